"""The service as a process: killed, copied, without room, without its database, and under load."""

import contextlib
import json
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import pytest

from askance.service.label_sets import label_of as shown
from askance.service.settings import from_json
from askance.service.state import journal
from askance.service.state.models import encode
from askance.service.store import open_store
from askance.service.task import Task
from command_line import complaint
from service_lives import AUTO, GONE, PATH, SEVERAL, TASK, Connection, Memory, Running, label_of, one_life
from stores import KINDS

TEXTS = [f"word{n % 7} word{n % 11} word{n % 13}" for n in range(120)]


def survives_kills(store, directory, kills, random_state=1, task=TASK):
    """No acknowledged label is lost, none is applied twice; the longest start."""
    memory, chance, slowest = Memory(random_state, task == SEVERAL), random.Random(random_state), 0.0
    for _ in range(kills):
        acknowledged, unclear = len(memory.labels), memory.unclear
        seconds, figures = one_life(store, directory, memory, chance.uniform(0.02, 0.6), task)
        slowest = max(slowest, seconds)
        assert acknowledged <= figures["labelled"] <= acknowledged + unclear
    finish(store, directory, memory, task)
    with open_store(store) as opened:
        labels = [entry for batch in opened.entries(1, kinds=[journal.LABEL]) for entry in batch]
        settings = from_json(opened.tasks()[0].settings)
        assert {one.item: shown(settings, journal.read(one).label) for one in labels} == memory.labels
        assert len(labels) == len(memory.labels), "no label is there twice"
        decided = [entry for batch in opened.entries(1, kinds=[journal.ITEM, journal.QUESTION]) for entry in batch]
        assert {entry.key: entry.seq for entry in decided} == memory.items
        asked = {entry.item for batch in opened.entries(1, kinds=journal.ASKED_ITEMS) for entry in batch}
        assert memory.asked <= asked
        assert memory.asked == asked or task != TASK, "the answer to a lease may be lost"
        assert opened.check() == []
        again = Task(opened, 1, settings)
        model = encode(again.fold.model.learner)
        opened.drop_snapshots(1, opened.snapshot_seqs(1))
        again.rebuild()
        assert encode(again.fold.model.learner) == model
    return slowest, memory


def finish(store, directory, memory, task):
    """A last life in which everything that is unclear is sent again."""
    running = Running(store, task, directory)
    connection = Connection(running.port)
    while memory.unsent:
        memory.decided(connection.post(f"{PATH}/items", {"items": memory.unsent.popleft()})["decisions"])
    while (item := memory.next_item()) is not None:
        label = {"item": item, "label": memory.label_of(item), "key": f"label-{item}"}
        connection.post(f"{PATH}/labels", {"labels": [label]})
        memory.labels[item] = label["label"]
    assert running.get(f"{PATH}/figures")["labelled"] == len(memory.labels) == len(memory.asked)
    connection.close()
    assert running.stop() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_acknowledged_is_lost_by_kill_9(kind, new_store_url, tmp_path):
    _, memory = survives_kills(new_store_url(kind), tmp_path, kills=2)
    assert memory.labels, "how many depends on how fast the machine is"


@pytest.mark.slow
def test_nor_with_the_automatic_learner(tmp_path):
    _, memory = survives_kills(str(tmp_path / "a.db"), tmp_path, kills=2, random_state=4, task=AUTO)
    assert len(memory.items) > len(memory.labels) > 0


@pytest.mark.slow
def test_nor_with_several_classes_per_item(tmp_path):
    _, memory = survives_kills(str(tmp_path / "a.db"), tmp_path, kills=3, random_state=5, task=SEVERAL)
    assert len(memory.items) > len(memory.labels) > 0


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_nor_by_a_thousand_kills(kind, new_store_url, tmp_path):
    slowest, memory = survives_kills(new_store_url(kind), tmp_path, kills=1000)
    print(f"{kind}: {len(memory.labels)} labels, {memory.unclear} answers lost, slowest start {slowest:.2f} s")


def sent(connection, texts):
    return [
        connection.post(f"{PATH}/items", {"items": [{"text": text, "id": f"{n}-{text}"}]})["decisions"][0]
        for n, text in enumerate(texts)
    ]


@pytest.mark.slow
def test_a_kill_during_a_replay_loses_no_correction(tmp_path):
    store = str(tmp_path / "a.db")
    running = Running(store, TASK, tmp_path)
    connection = Connection(running.port)
    for start in range(0, 6000, 1000):
        batch = [{"text": f"word{n % 50} word{n % 7}"} for n in range(start, start + 1000)]
        decided = connection.post(f"{PATH}/items", {"items": batch})["decisions"]
        labels = [{"item": one["item"], "label": label_of(one["item"])} for one in decided if one["ask"]]
        connection.post(f"{PATH}/labels", {"labels": labels})
    connection.close()
    item, label = 1, "ham" if label_of(1) == "spam" else "spam"
    sender = threading.Thread(target=corrected, args=(running.port, item, label))
    sender.start()
    while not running.get(f"{PATH}/items/{item}")["corrections"]:
        pass
    running.kill()
    sender.join()
    running = Running(store, TASK, tmp_path)
    assert running.get(f"{PATH}/items/{item}")["label"] == label
    assert running.stop() == 0
    with open_store(store) as opened:
        assert opened.check() == []
        task = Task(opened, 1, from_json(opened.tasks()[0].settings))
        model = encode(task.fold.model.learner)
        opened.drop_snapshots(1, opened.snapshot_seqs(1))
        task.rebuild()
        assert encode(task.fold.model.learner) == model


def corrected(port, item, label):
    with contextlib.suppress(*GONE), Connection(port) as connection:
        connection.post(f"{PATH}/corrections", {"item": item, "label": label})


@pytest.mark.slow
def test_a_copy_goes_on_with_the_same_decisions_on_another_port(tmp_path):
    task = TASK.replace("PA-II", "PAA-II")
    first = Running(str(tmp_path / "a.db"), task, tmp_path)
    connection = Connection(first.port)
    for decision in sent(connection, TEXTS[:60]):
        if decision["ask"]:
            label = {"item": decision["item"], "label": label_of(decision["item"])}
            connection.post(f"{PATH}/labels", {"labels": [label]})
    connection.close()
    first.kill()
    for path in tmp_path.glob("a.db*"):
        shutil.copy(path, tmp_path / path.name.replace("a.db", "b.db"))
    runs = []
    for name in ("a.db", "b.db"):
        running = Running(str(tmp_path / name), task, tmp_path)
        connection = Connection(running.port)
        runs.append([sent(connection, TEXTS[60:]), model_of(running.port)])
        connection.close()
        running.stop()
    assert runs[0] == runs[1]
    assert len({decision["ask_probability"] for decision in runs[0][0]}) > 10


def model_of(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{PATH}/export/model", timeout=30) as answer:
        return answer.read()


@pytest.mark.slow
def test_a_disk_without_room(tmp_path):
    running = Running(str(tmp_path / "a.db"), TASK, tmp_path, "--log", "error", limit=1_500_000)
    connection = Connection(running.port)
    acknowledged, refused = 0, None
    for n in range(2000):
        request = connection.prepared(f"{PATH}/items", {"items": [{"text": f"{n} " + "word " * 300}] * 5})
        answer = connection.send(request)
        if answer.status != 200:
            refused = answer
            break
        acknowledged += 5
    assert refused is not None
    assert refused.status in (503, 507), refused
    assert b"nothing was changed" in refused.body or b"the store is not available" in refused.body
    assert connection.send(request).status in (503, 507)
    assert acknowledged > 10
    connection.close()
    running.kill()
    again = Running(str(tmp_path / "a.db"), TASK, tmp_path)
    assert again.get(f"{PATH}/figures")["items"] == acknowledged
    assert again.stop() == 0


def test_a_database_that_goes_away(postgres_server, tmp_path):
    url = postgres_server.new_schema()
    running = Running(url, TASK, tmp_path, "--log", "error")
    connection = Connection(running.port)
    sent(connection, TEXTS[:3])
    label = connection.prepared(f"{PATH}/labels", {"labels": [{"item": 1, "label": "ham", "key": "k"}]})
    postgres_server.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
        "AND backend_type = 'client backend'"
    )
    statuses = [connection.send(label).status for _ in range(5)]
    connection.close()
    assert set(statuses) <= {200, 503}
    assert statuses[-1] == 200, "it comes back by itself"
    assert running.get(f"{PATH}/figures")["labelled"] == 1
    assert running.stop() == 0


# ---------------------------------------------------------------------- where it listens


@pytest.mark.parametrize("option", ["--open", "--demo"])
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.org"])
def test_it_is_not_open_to_the_world(host, option, tmp_path):
    told = complaint("serve", "--store", tmp_path / "a.db", option, "--host", host)
    assert "without tokens, everyone who reaches this address" in told
    assert not (tmp_path / "a.db").exists()


def test_a_fresh_start_listens_here_alone_and_prints_a_link(tmp_path):
    toml = tmp_path / "task.toml"
    toml.write_text(TASK)
    command = [sys.executable, "-m", "askance", "serve", "--store", str(tmp_path / "a.db"), "--task", str(toml)]
    process = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, text=True)
    lines = [process.stdout.readline() for _ in range(3)]
    try:
        url = lines[0].split()[3]
        assert url.startswith("http://127.0.0.1:")
        assert "this machine only" in lines[0]
        assert lines[2].startswith("Tasks: load (PA-II). ")
        link = lines[1].split()[-1]
        assert link.startswith(f"{url}/first?code=")
        wait_for(url)
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(f"{url}/api/tasks", timeout=10)
        port = int(url.rsplit(":", 1)[1])
        for address in other_addresses():
            with pytest.raises(ConnectionRefusedError), socket.create_connection((address, port), timeout=2):
                pass
        code = json.dumps({"code": link.split("=")[1]}).encode()
        request = urllib.request.Request(f"{url}/api/first", code, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert json.load(answer)["role"] == "admin"
        assert "another process owns" in complaint("serve", "--store", tmp_path / "a.db", "--port", 0)
        assert "in use" in complaint("serve", "--store", tmp_path / "b.db", "--port", port)
    finally:
        process.terminate()
        assert process.wait(30) == 0
        process.stdout.close()


def wait_for(url):
    for _ in range(400):
        try:
            with urllib.request.urlopen(f"{url}/ready", timeout=2):
                return
        except OSError:
            time.sleep(0.01)


def other_addresses():
    """Addresses of this machine that others can reach."""
    found = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    return [address for address in found if not address.startswith("127.")]


# ---------------------------------------------------------------------- load


def answer_some(connection, times):
    """Lease three questions and answer them, taking the times of the acknowledgements."""
    lent = connection.post(f"{PATH}/leases", {"count": 3})["questions"]
    for question in lent:
        answer = {"item": question["item"], "label": label_of(question["item"]), "lease": question["lease"]}
        start = time.perf_counter()
        connection.post(f"{PATH}/labels", {"labels": [answer]})
        times.append(time.perf_counter() - start)
    return len(lent)


def labels_during_ingest(store, directory, rows, labellers, batch=500):
    """Labellers answer while rows come in; the times of their acknowledgements."""
    task = TASK.replace("PA-II", "PAA-II") + "[budget]\nrate = 0.05\n"
    running = Running(store, task, directory, "--log", "error")
    over, times, faults = threading.Event(), [], []

    def label():
        try:
            with Connection(running.port) as connection:
                while not over.is_set():
                    over.wait(0.1 if answer_some(connection, times) else 0.3)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=label) for _ in range(labellers)]
    for thread in threads:
        thread.start()
    connection, chance = Connection(running.port), random.Random(5)
    start = time.perf_counter()
    for n in range(0, rows, batch):
        texts = [" ".join(f"word{chance.randrange(2000)}" for _ in range(10)) for _ in range(batch)]
        connection.post(
            f"{PATH}/items", {"items": [{"text": text, "id": f"{n + i}"} for i, text in enumerate(texts)]}
        )
    seconds = time.perf_counter() - start
    # A slow machine has taken all rows in before the first label: the labellers go on until they gave some.
    end = time.monotonic() + 120
    while not faults and len(times) <= 20 and time.monotonic() < end:
        time.sleep(0.1)
    over.set()
    for thread in threads:
        thread.join()
    figures = running.get(f"{PATH}/figures")
    assert not faults, faults[0]
    assert figures["items"] == rows
    assert figures["labelled"] == len(times) > 20, "each label once"
    assert figures["asked"] <= 20 + 0.05 * rows
    connection.close()
    assert running.stop() == 0
    return sorted(times), seconds


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_labellers_during_an_ingest(kind, new_store_url, tmp_path):
    labels_during_ingest(new_store_url(kind), tmp_path, rows=2000, labellers=5)


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_fifty_labellers_during_a_million_rows(kind, new_store_url, tmp_path):
    times, seconds = labels_during_ingest(new_store_url(kind), tmp_path, rows=1_000_000, labellers=50)
    p99 = times[int(0.99 * len(times))]
    print(f"{kind}: {len(times)} labels, p99 {1e3 * p99:.0f} ms, {1e6 / seconds:.0f} rows/s")
