"""The service started from Python, and the client that is generated."""

import doctest
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

import askance
from askance import service
from askance.errors import ServiceError
from askance.service import launch
from askance.service.client import synchronous
from askance.service.settings import Asking, Hashing, Labelling, TaskSettings, to_json
from askance.service.store import open_store
from paths import ROOT

TASK = TaskSettings("tickets", ["billing", "bug"], algorithm="PA-I", hashing=Hashing(bits=8))


def test_a_service_in_this_process(tmp_path):
    store = tmp_path / "a.db"
    with (
        service.start(store, [TASK], open_to_all=True) as running,
        askance.Client(running.url, task="tickets") as one,
    ):
        assert one.decide("my invoice is wrong").ask
        assert repr(running) == f"RunningService(url={running.url!r})"
    with pytest.raises(ServiceError), askance.Client(running.url, retries=0) as gone:
        gone.tasks()
    running.stop()
    with service.start(store) as again:
        with askance.Client(again.url) as stranger:
            token = stranger.first_token(again.admin_code()).token
        with askance.Client(again.url, token, "tickets") as one:
            assert one.figures().items == 1


def test_a_temporary_store_is_gone_at_the_end(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with service.start(open_to_all=True) as running, askance.Client(running.url) as one:
        assert one.tasks() == []
        assert list(tmp_path.iterdir()) != []
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_started(tmp_path):
    with pytest.raises(ValueError, match="must listen on a loopback address"):
        service.start(host="0.0.0.0", open_to_all=True)
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ValueError, match="cannot listen"):
        service.start(port=taken.getsockname()[1])
    with pytest.raises(ValueError, match="the settings are not valid"):
        service.start(tasks=[{"name": "a"}])
    with service.start(tmp_path / "a.db", [TASK], open_to_all=True):
        pass
    with pytest.raises(ValueError, match="with other settings"):
        service.start(tmp_path / "a.db", [{"name": "tickets", "classes": ["a", "b"]}])
    with service.start(tmp_path / "a.db"):
        pass  # what failed before has let go of the store


def test_run_serves_until_it_is_stopped(tmp_path):
    program = f"import askance.service; askance.service.run({str(tmp_path / 'a.db')!r}, port=0)"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment
    ) as one:
        url = one.stdout.readline().split()[-1]
        code = one.stdout.readline().strip().rpartition("=")[2]
        with askance.Client(url) as client:
            assert client.first_token(code).role == "admin"
        one.send_signal(signal.SIGTERM)
        assert one.wait(30) == 0


def test_a_learner_that_takes_long_to_prepare_is_announced(monkeypatch, capsys):
    monkeypatch.setattr(launch, "PATIENCE", 0.0)
    monkeypatch.setattr(launch, "warm_up", lambda _: time.sleep(0.2))
    launch.prepare_learner()
    assert capsys.readouterr() == ("", launch.PREPARING + "\n")
    monkeypatch.setattr(launch, "PATIENCE", 60.0)
    launch.prepare_learner()
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
def test_settings_without_an_algorithm_are_those_of_the_stored_task(tmp_path):
    given = {"name": "tickets", "classes": ["billing", "bug"], "hashing": {"bits": 8}}
    for stored in (TASK, TaskSettings("tickets", ["billing", "bug"], hashing=Hashing(bits=8))):
        store = tmp_path / f"{stored.method}.db"
        with service.start(store, [stored], open_to_all=True):
            pass
        with (
            service.start(store, [given], open_to_all=True) as running,
            askance.Client(running.url, task="tickets") as one,
        ):
            assert one.task_detail().settings.algorithm == stored.method
        other = {**given, "algorithm": "PAA-I"}
        with pytest.raises(ValueError, match="with other settings"):
            service.start(store, [other], open_to_all=True)


@pytest.mark.slow
def test_tasks_that_counted_votes_are_served_with_the_same_settings_and_still_count(tmp_path):
    given = TaskSettings("tickets", ["billing", "bug"], algorithm="PA-I", hashing=Hashing(bits=8))
    given = msgspec.structs.replace(given, labels=Labelling(per_item=2))
    with open_store(str(tmp_path / "a.db")) as store:  # as an earlier version stored it
        store.add_task("tickets", to_json(msgspec.structs.replace(given, questions=Asking("arrival"))), 1.0)
    for _ in range(2):
        with (
            service.start(tmp_path / "a.db", [given], open_to_all=True) as running,
            askance.Client(running.url, task="tickets") as one,
        ):
            assert not one.task_detail().settings.labels.weighs_votes
    with service.start(tmp_path / "b.db", [given], open_to_all=True):
        pass
    with (
        service.start(tmp_path / "b.db", [given], open_to_all=True) as running,
        askance.Client(running.url, task="tickets") as one,
    ):
        assert one.task_detail().settings.labels.weighs_votes


def test_examples_run():
    assert doctest.testmod(launch).failed == 0


def test_the_synchronous_client_is_current():
    sys.path.append(str(ROOT / "tools"))
    try:
        import make_sync_client as tool
    finally:
        sys.path.pop()
    assert Path(synchronous.__file__) in tool.FILES.values()
    for source, target in tool.FILES.items():
        assert target.read_text(encoding="utf-8") == tool.synchronous(source), "run tools/make_sync_client.py"
