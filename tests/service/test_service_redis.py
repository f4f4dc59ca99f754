"""Redis Streams with a real Redis: nothing is lost, nothing is decided twice, bad entries hold nothing up."""

import json
import threading
from contextlib import contextmanager

import pytest

import askance
from askance.errors import ServiceError
from askance.service import start
from askance.service.connectors.redis_streams import RedisConnector, Streams, connected, run
from command_line import answer, complaint
from redis_server import running_redis
from service_world import SPAM
from webhook_receiver import eventually

pytestmark = pytest.mark.slow

STREAMS = Streams(items="in", decisions="out", labels="labels", block=0.01, batch=3)


@pytest.fixture(scope="module")
def server():
    with running_redis() as server:
        yield server


@pytest.fixture
def redis(server):
    with server.client() as redis:
        redis.flushall()
        yield redis


@pytest.fixture
def service(tmp_path):
    with start(tmp_path / "store.db", [SPAM], open_to_all=True) as service:
        yield service


@pytest.fixture
def client(service):
    with askance.Client(service.url, task="spam", retries=1) as client:
        yield client


def connector(client, redis, streams=STREAMS):
    made = RedisConnector(client, redis, "spam", streams)
    made.begin()
    return made


def all_moved(client, redis, streams=STREAMS):
    made = connector(client, redis, streams)
    run(made, once=True, wait=lambda _seconds: False)
    return made.progress


def entries(redis, stream):
    return [
        {name.decode(): value.decode() for name, value in fields.items()} for _, fields in redis.xrange(stream)
    ]


def pending(redis):
    return redis.xpending("in", "askance")["pending"]


def test_items_go_in_and_decisions_and_labels_come_out(client, redis):
    numbers = [redis.xadd("in", {"text": f"win {number}", "note": "n"}).decode() for number in range(7)]
    redis.xadd("in", {"text": "hello", "id": "mine"})
    done = all_moved(client, redis)
    assert (done.items, done.asked, done.again, done.refused) == (8, 8, 0, 0)
    assert pending(redis) == 0
    decisions = entries(redis, "out")
    assert [one["id"] for one in decisions] == [*(f"in:{number}" for number in numbers), "mine"]
    assert [int(one["item"]) for one in decisions] == list(range(1, 9))
    assert all(json.loads(one["ask"]) is True and 0 < float(one["ask_probability"]) <= 1 for one in decisions)
    client.label("mine", "ham")
    client.import_items(["old"], ["spam"], source="vendor 2024")
    assert all_moved(client, redis).labels == 2
    asked, imported = entries(redis, "labels")
    assert (asked["id"], asked["label"], asked["text"], float(asked["weight"]) >= 1) == (
        "mine",
        "ham",
        "hello",
        True,
    )
    assert (imported["label"], imported["source"], "weight" in imported) == ("spam", "vendor 2024", False)
    assert all_moved(client, redis).labels == 0, "every label once"


def test_records(tmp_path, redis):
    task = {"name": "spam", "classes": ["no", "yes"], "item": "record", "hashing": {"bits": 8}}
    with (
        start(tmp_path / "r.db", [task], open_to_all=True) as service,
        askance.Client(service.url, task="spam") as client,
    ):
        redis.xadd("in", {"record": json.dumps({"amount": 3, "city": "Rome"})})
        assert all_moved(client, redis).items == 1
        assert client.item_detail(1).record == {"amount": 3, "city": "Rome"}


def test_entries_that_can_never_be_items_are_put_aside(client, redis):
    client.decide(askance.service.messages.Item(text="first", id="taken"))
    bad = [
        {"text": "other", "id": "taken"},
        {"txt": "misspelt"},
        {"record": "{"},
        {"record": "[1]"},
        {"text": b"\xff"},
        {"text": "x", "id": "a\nb"},
    ]
    for fields in bad:
        redis.xadd("in", {"text": "good"})
        redis.xadd("in", fields)
    done = all_moved(client, redis)
    assert (done.items, done.refused) == (6, 6)
    assert pending(redis) == 0
    refused = entries(redis, "in:refused")
    assert len(refused) == 6
    said = {one["error"] for one in refused}
    assert any("the id 'taken' belongs to other content" in error for error in said)
    assert any("must have the field 'text'" in error for error in said)
    ids = [entry.decode() for entry, _ in redis.xrange("in")]
    assert {one["entry"] for one in refused} == set(ids[1::2])


def test_a_connector_that_ends_before_it_acknowledges_loses_and_repeats_nothing(client, redis, monkeypatch):
    for number in range(4):
        redis.xadd("in", {"text": f"text {number}"})
    first = connector(client, redis)
    monkeypatch.setattr(RedisConnector, "_acknowledge", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        first.step()
    monkeypatch.undo()
    assert (pending(redis), client.figures().items, entries(redis, "out")) == (3, 3, [])
    done = all_moved(client, redis)
    assert (done.items, done.again) == (4, 3)
    assert client.figures().items == 4
    assert [int(one["item"]) for one in entries(redis, "out")] == [1, 2, 3, 4]


def test_entries_of_a_consumer_that_ended_are_taken_over(client, redis):
    redis.xadd("in", {"text": "a"})
    connector(client, redis)
    redis.xreadgroup("askance", "dead", {"in": ">"})
    assert pending(redis) == 1
    assert all_moved(client, redis).items == 0, "it may still be at work"
    assert all_moved(client, redis, STREAMS._replace(claim_after=0)).items == 1
    assert pending(redis) == 0


def test_entries_that_were_deleted_meanwhile_hold_nothing_up(client, redis):
    gone = redis.xadd("in", {"text": "a"})
    connector(client, redis)
    redis.xreadgroup("askance", "askance", {"in": ">"})
    redis.xdel("in", gone)
    redis.xadd("in", {"text": "b"})
    assert all_moved(client, redis).items == 1
    assert pending(redis) == 0


def test_two_connectors_share_the_items_and_write_each_label_once(service, client, redis, server):
    for number in range(40):
        redis.xadd("in", {"text": f"text {number}", "id": str(number)})
    client.import_items([f"old {number}" for number in range(20)], ["ham"] * 20)
    done = []

    def work(name):
        with askance.Client(service.url, task="spam") as own, server.client() as connection:
            done.append(all_moved(own, connection, STREAMS._replace(consumer=name)))

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(one.items for one in done) == 40
    assert sum(one.labels for one in done) == len(entries(redis, "labels")) == 20
    assert sorted(int(one["id"]) for one in entries(redis, "out")) == list(range(40))


def test_it_waits_for_a_service_that_is_away(tmp_path, redis):
    with served(tmp_path) as client:
        port = client.port
        redis.xadd("in", {"text": "before"})
        assert all_moved(client, redis).items == 1
    redis.xadd("in", {"text": "while it is away"})
    waited = []

    def wait(seconds):
        waited.append(seconds)
        return len(waited) > 2

    with askance.Client(f"http://127.0.0.1:{port}", task="spam", retries=0) as nobody:
        run(connector(nobody, redis), once=True, wait=wait)
    assert waited == [1.0, 1.0, 1.0]
    assert pending(redis) == 1
    with served(tmp_path) as client:
        assert all_moved(client, redis).items == 1
        assert client.figures().items == 2
    assert pending(redis) == 0
    assert len(entries(redis, "out")) == 2


@contextmanager
def served(directory):
    """A client of a service on the store of this directory."""
    with (
        start(directory / "s.db", [SPAM], open_to_all=True) as service,
        askance.Client(service.url, task="spam", retries=0) as client,
    ):
        client.port = int(service.url.rpartition(":")[2])
        yield client


def test_it_waits_for_a_redis_that_is_killed(client, redis, server):
    redis.xadd("in", {"text": "a"})
    stop = threading.Event()
    made = RedisConnector(client, connected(server.url), "spam", STREAMS)
    thread = threading.Thread(target=run, args=(made,), kwargs={"once": False, "wait": stop.wait, "pause": 0.02})
    thread.start()
    try:
        eventually(lambda: made.progress.items == 1)
        server.kill()
        decided = client.decide("not from Redis")
        client.label(decided, "ham")
        server.start()
        redis.xadd("in", {"text": "b"})
        eventually(lambda: made.progress.items == 2)
        eventually(lambda: made.progress.labels == 1)
    finally:
        stop.set()
        thread.join()
    assert [one["label"] for one in entries(redis, "labels")] == ["ham"]
    assert pending(redis) == 0


def test_wrong_tokens_and_tasks_are_not_waited_for(tmp_path, redis):
    redis.xadd("in", {"text": "a"})
    with (
        start(tmp_path / "t.db", [SPAM]) as service,
        askance.Client(service.url, "wrong", "spam") as client,
        pytest.raises(ServiceError, match="not known"),
    ):
        all_moved(client, redis)
    assert pending(redis) == 1


def test_streams_that_are_written_to_can_be_kept_short(client, redis):
    client.import_items([f"old {number}" for number in range(600)], ["ham"] * 600)
    all_moved(client, redis, STREAMS._replace(longest=100, batch=100))
    assert 100 <= redis.xlen("labels") < 300


# ---------------------------------------------------------------------- the command


def test_the_command(service, redis, server, monkeypatch):
    monkeypatch.setenv("ASKANCE_URL", service.url)
    monkeypatch.setenv("ASKANCE_REDIS", server.url)
    redis.xadd("in", {"text": "win"})
    words = ("connect", "redis", "--task", "spam")
    told = answer(*words, "--items", "in", "--decisions", "out", "--labels", "l", "--once")
    assert told == {"items": 1, "asked": 1, "again": 0, "refused": 0, "labels": 0}
    assert len(entries(redis, "out")) == 1
    assert "there is nothing to do" in complaint(*words)
    assert "--decisions are about the items" in complaint(*words, "--labels", "l", "--decisions", "out")
    assert "there is no task 'other'" in complaint("connect", "redis", "--task", "other", "--items", "in")
    lost = complaint(*words, "--items", "in", "--redis", "redis://me:secret@127.0.0.1:1")
    assert "redis://127.0.0.1:1: Redis does not answer" in lost
    assert "is not the address of a Redis server" in complaint(*words, "--items", "in", "--redis", "127.0.0.1")
