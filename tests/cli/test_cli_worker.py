"""`askance worker`: a language model guesses the items of a real service."""

import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import askance
from askance.service.client import Client
from askance.service.settings import Asking, Hashing, Interface, TaskSettings
from askance.service.state import programs
from command_line import answer, complaint, output
from fake_model import FakeModel, fake_model, says
from service_server import real_service

KEY, GUIDANCE = "sk-canary-key", "canary guideline"
TASK = TaskSettings(
    "desk",
    ["ham", "spam"],
    algorithm="PA-I",
    hashing=Hashing(bits=10),
    questions=Asking("lease"),
    interface=Interface(guidance=GUIDANCE),
)
TEXTS = ["free cash", "see you at nine", "win a prize now"]


def think(item: dict[str, Any]) -> Any:
    return says("spam" if any(word in item["text"] for word in ("cash", "win")) else "ham", 0.75)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    monkeypatch.setenv("ASKANCE_MODEL_KEY", KEY)
    monkeypatch.setenv("ASKANCE_MODEL_HOSTS", "127.0.0.1")
    with fake_model(think) as found:
        yield found


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    with real_service(tmp_path, TASK) as (url, code):
        with askance.Client(url) as stranger:
            admin = stranger.first_token(code).token
        with askance.Client(url, admin, task="desk") as client:
            monkeypatch.setenv("ASKANCE_URL", url)
            monkeypatch.setenv("ASKANCE_TOKEN", client.create_token("worker", "ingest").token)
            client.import_items(["free money", "see you soon"], ["spam", "ham"])
            client.decide(TEXTS)
            yield client


def words(model: FakeModel, tmp_path: Path, *more: str) -> list[str]:
    cache = str(tmp_path / "cache.jsonl")
    return ["worker", "--task", "desk", "--model", "gpt-test", "--model-url", model.url, "--cache", cache, *more]


def guesses(client: Client) -> dict[str | None, Any]:
    return {one.text: one.guesses and one.guesses["gpt-test"].label for one in client.search(state="open").items}


def test_waiting_items_get_a_guess_once(
    client: Client, model: FakeModel, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    told = answer(*words(model, tmp_path, "--once", "--price", "0.01", "--budget", "1"))
    assert told == {
        "guesses": 3, "from_cache": 0, "no_answer": 0, "no_content": 0, "spent": "0.03", "stopped": ""
    }  # fmt: skip
    assert guesses(client) == dict(zip(TEXTS, ["spam", "ham", "spam"], strict=True))
    assert {"item": {"text": "free money"}, "label": "spam"} in model.documents[0]["examples"]
    assert output(*words(model, tmp_path, "--once")).startswith("0 guesses were sent")
    assert len(model.requests) == 3
    client.export(tmp_path / "labels.jsonl", "labels")
    client.export(tmp_path / "items.jsonl", "items")
    written = [path.read_bytes() for path in tmp_path.iterdir() if path.is_file()]  # the store, too
    everything = b"".join(written) + caplog.text.encode() + json.dumps(told).encode()
    assert b"gpt-test" in everything
    assert KEY.encode() not in everything
    assert b"written by strangers" not in everything, "no prompt is written anywhere"


def test_a_budget_ends_the_work_and_the_rest_comes_later(client: Client, model: FakeModel, tmp_path: Path) -> None:
    told = output(*words(model, tmp_path, "--price", "0.01", "--budget", "0.02"))
    assert "2 guesses were sent" in told
    assert "The budget does not have enough left" in told
    assert sum(one is not None for one in guesses(client).values()) == 2
    assert answer(*words(model, tmp_path, "--once", "--price", "0.01", "--budget", "0.03"))["guesses"] == 1
    assert all(guesses(client).values())


def test_the_money_of_the_task_ends_it_before_the_model_is_asked(
    client: Client, model: FakeModel, tmp_path: Path
) -> None:
    client.change(oracles={"budget": 0.02, "people": 1, "guesses": {"gpt-test": 0.01}})
    assert "The budget does not have enough left" in output(*words(model, tmp_path, "--once"))
    assert len(model.requests) == 2
    money = client.figures().spend.money
    assert money is not None
    assert (money.spent, money.left) == ("0.02", "0.00")
    assert client.questions(3) == []
    client.change(oracles={"budget": 1.03, "people": 1, "guesses": {"gpt-test": 0.01}})
    assert answer(*words(model, tmp_path, "--once"))["guesses"] == 1
    assert len(client.questions(3)) == 1


@pytest.mark.slow
def test_a_task_that_chooses_gets_guesses_about_what_people_would_be_asked(
    client: Client, model: FakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model answers through its socket, and decides after few labels."""
    monkeypatch.setattr(programs, "FEWEST", 2)
    client.change(oracles={"people": 1, "guesses": {"gpt-test": 0.01}, "enough": 0.6, "check": 0.01})
    client.decide([f"{text} {number}" for text in TEXTS[:2] for number in range(80)])
    first = answer(*words(model, tmp_path, "--once"))["guesses"]
    assert 50 <= first <= 100, "it does not guess about everything"
    for _ in range(20):
        (question,) = client.questions(1)
        client.label(question, "spam" if "cash" in str(question.text) or "win" in str(question.text) else "ham")
    money = client.figures().spend.money
    assert money is not None
    people, program = money.oracles
    assert (people.decided, program.decided >= 20) == (20, True)
    assert all(one.votes[0].by == "gpt-test" for one in client.search(labeller="gpt-test").items)
    more = answer(*words(model, tmp_path, "--once"))["guesses"]
    assert more > 0, "others are doubted most now"


@pytest.mark.slow
def test_ctrl_c_ends_it_after_the_current_item(client: Client, model: FakeModel, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "askance", *words(model, tmp_path, "--json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ.copy()) as process:
        client_waits_for(client)
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=60)
        assert process.returncode == 0
    assert json.loads(told)["guesses"] == 3


def client_waits_for(client: Client) -> None:
    """Wait until all items have their guess."""
    end = time.monotonic() + 60
    while not all(guesses(client).values()):
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--price", "1", "--token-price", "1"], "--price and --token-price are two ways"),
        (["--budget", "1"], "--budget needs a price"),
        (["--price", "cheap"], "--price cheap: give an amount of money"),
        (["--price", "-1"], "--price -1: give an amount of money"),
        (["--model-url", "https://evil.example/v1"], "evil.example is not an allowed host"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_sent(
    model: FakeModel, tmp_path: Path, more: list[str], sentence: str
) -> None:
    assert sentence in complaint(*words(model, tmp_path, *more))
    assert not model.requests


def test_no_host_is_allowed_by_default(model: FakeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASKANCE_MODEL_HOSTS")
    assert "127.0.0.1 is not an allowed host" in complaint(*words(model, tmp_path))
