"""Webhooks: every event arrives, in order, signed, however the receiver behaves, and no command waits for it."""

import contextlib
import ipaddress
import json
import random
import shutil
import socket
import ssl
import subprocess
import threading
import time

import pytest

import askance
from askance.service import messages, start
from askance.service.api.guard import ServerOptions
from askance.service.connectors import addresses, delivery, signing
from askance.service.connectors.delivery import Pace
from askance.service.connectors.events import EVENT_TYPES, KINDS, EventMaker
from askance.service.errors import RequestError
from askance.service.settings import Asking, Labelling
from askance.service.store import WebhookRecord, open_store
from needs import missing
from service_task import TaskRunner, settings, texts
from service_world import SPAM, TASK, World, items
from webhook_receiver import Receiver, eventually

pytestmark = pytest.mark.slow

HOOKS = f"{TASK}/webhooks"
QUICK = Pace(first=0.01, most=0.05, failures=5, timeout=60.0)


class Hooked(World):
    """A service whose webhooks may go to this machine."""

    def __init__(self, path, pace=QUICK, *, private=True):
        super().__init__(path, private_webhooks=private, pace=pace)

    def add(self, receiver, *events, after=None):
        body = {"url": receiver.url, "events": events} | ({} if after is None else {"after": after})
        made = self.post(HOOKS, body)
        return made["webhook"]["number"], made["secret"]

    def shown(self, number=1):
        return next(hook for hook in self.call("GET", HOOKS).json()["webhooks"] if hook["number"] == number)

    def label(self, *numbers, label="spam"):
        self.post(f"{TASK}/labels", {"labels": [{"item": number, "label": label} for number in numbers]})


class Reopened:
    """The same store, with a service that was stopped and started again."""

    def __init__(self, path):
        from askance.service.service import Service
        from askance.service.store import open_store

        self.service = Service(open_store(str(path)), private_webhooks=True, pace=QUICK)


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.end()


@pytest.fixture
def world(tmp_path):
    world = Hooked(tmp_path / "a.db")
    yield world
    world.close()


def kinds(events):
    return [(event["type"], event["data"]["seq"]) for event in events]


# ---------------------------------------------------------------------- what is sent


def test_the_life_of_an_item(world, receiver):
    _, secret = world.add(receiver)
    world.post(f"{TASK}/items", {"items": [{"text": "win cash", "id": "m1", "note": "look"}]})
    world.label(1)
    world.post(f"{TASK}/corrections", {"item": 1, "label": "ham"})
    world.post(f"{TASK}/import", {"items": [{"text": "old", "label": "ham", "source": "vendor 2024"}]})
    world.post(f"{TASK}/state", {"state": "paused"})
    eventually(lambda: any(event["type"] == "task.state" for event in list(receiver.taken)), "the last event")
    events = list(receiver.taken)  # how many are new versions depends on how many entries were read at once
    by_type = {}
    for event in events:
        by_type.setdefault(event["type"], []).append(event["data"])
    (opened,) = by_type["question.open"]
    assert (opened["task"], opened["item"], opened["id"], opened["text"], opened["note"]) == (
        *("spam", 1, "m1", "win cash", "look"),
    )
    assert 0 < opened["ask_probability"] <= 1
    settled = by_type["label.settled"]
    assert [(data["item"], data["label"], data["corrected"], data["imported"]) for data in settled] == [
        (1, "spam", False, False),
        (1, "ham", True, False),
        (4, "ham", False, True),
    ]
    assert settled[0]["weight"] == 1 / settled[0]["ask_probability"]
    assert (settled[2]["weight"], settled[2]["source"]) == (None, "vendor 2024")
    assert by_type["task.state"] == [{"task": "spam", "seq": 5, "state": "paused"}]
    assert by_type["model.version"][-1]["version"] == world.call("GET", f"{TASK}/figures").json()["version"]
    for headers, body in receiver.requests:
        event = json.loads(body)
        identity = signing.verify(secret, headers, body)
        assert identity == f"spam.{event['data']['seq']}.{event['type']}"
        assert headers["content-type"] == "application/json"
    assert eventually(lambda: world.shown()["behind"] == 0)


def test_only_the_events_that_were_asked_for(world, receiver):
    world.add(receiver, "task.state", "label.settled")
    world.post(f"{TASK}/items", items("win", "hello"))
    world.label(2)
    world.post(f"{TASK}/state", {"state": "paused"})
    assert kinds(receiver.wait_for(2)) == [("label.settled", 3), ("task.state", 4)]
    assert eventually(lambda: world.shown()["position"] == 4)
    assert len(receiver.taken) == 2


def events_of(runner, wanted=EVENT_TYPES, batch=100):
    maker = EventMaker(runner.store, runner.task.number, runner.settings)
    entries = runner.store.entries(runner.task.number, kinds=KINDS, batch=batch)
    return [event for some in entries for _, events in maker.events(some, wanted) for event in events]


def test_a_label_is_settled_by_the_vote_that_decides_it(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), settings(labels={"per_item": 2})) as runner:
        item = runner.decide("win")[0].item
        runner.label(item, "spam", "ann")
        runner.label(item, "ham", "bob")  # they disagree
        third = runner.label(item, "ham", "cat")
        assert third.state == "learned"
        told = [(event.type, event.seq, event.data.get("label")) for event in events_of(runner)]
        assert told[1:] == [("label.settled", third.version, "ham"), ("model.version", third.version, None)]
        runner.undo("cat", item=item)
        told = events_of(runner)[-2:]
        assert [(event.type, event.data.get("again")) for event in told] == [
            ("question.open", True),
            ("model.version", None),
        ]


def test_the_number_of_votes_is_that_of_their_time(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), settings()) as runner:
        first, second = (one.item for one in runner.decide("win", "hello"))
        one = runner.label(first, "spam")
        runner.change(labels=Labelling(per_item=2))
        runner.label(second, "ham", "ann")
        two = runner.label(second, "ham", "bob")
        settled = [event.seq for event in events_of(runner, ["label.settled"])]
        assert settled == [one.version, two.version]


def test_questions_that_are_chosen_on_lease(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), settings(questions=Asking("lease"))) as runner:
        runner.decide(*(f"text {number}" for number in range(30)))
        asked = []
        for _ in range(8):
            (question,) = runner.lease(count=1).questions
            runner.label(question.item, "ham")
            asked.append(question.item)
        opened, settled = (events_of(runner, [kind]) for kind in ("question.open", "label.settled"))
        assert [event.data["item"] for event in opened] == [event.data["item"] for event in settled] == asked
        assert {event.data["reason"] for event in settled} <= {"audit", "doubt"}
        for event in settled:
            assert (event.data["weight"] is None) == (event.data["ask_probability"] is None)
            assert event.data["text"].startswith("text ")


def test_rollbacks_are_new_versions(tmp_path):
    with TaskRunner(str(tmp_path / "a.db"), settings()) as runner:
        runner.label(runner.decide("win")[0].item, "spam")
        gone = runner.roll_back(0)
        undone = runner.undo_rollback(gone.number)
        assert [event.seq for event in events_of(runner, ["model.version"], batch=1)][-2:] == [
            gone.number,
            undone.number,
        ]


@pytest.mark.parametrize("seed", range(3))
def test_settled_labels_add_up_to_the_labels_of_the_task(tmp_path, seed):
    """A receiver that keeps the last event of each item knows what the task knows."""
    chance = random.Random(seed)
    with TaskRunner(str(tmp_path / "a.db"), settings(labels={"per_item": chance.choice([1, 2])})) as runner:
        for text, label in texts(chance, 25):
            runner.decide(text)
            for item in list(runner.task.fold.questions.open):
                for who in ("ann", "bob", "cat"):
                    question = runner.task.fold.questions.open.get(item)
                    if question and not question.voter(who) and chance.random() < 0.4:
                        runner.label(item, label if chance.random() < 0.8 else "ham", who)
            if chance.random() < 0.3:
                with_label = [item for item in range(1, runner.task.fold.seq) if _label(runner, item)]
                if with_label:
                    runner.correct(chance.choice(with_label), chance.choice(["ham", "spam"]))
            if chance.random() < 0.3 and runner.task.fold.recent.get("ann"):
                with contextlib.suppress(RequestError):  # of a label that was corrected
                    runner.undo("ann")
                runner.clock.now += 1000  # the lease of the undone question ends
        known = {}
        for event in events_of(runner, ["label.settled", "question.open"], batch=7):
            known[event.data["item"]] = event.data.get("label")
        assert len(known) > 3
        assert known == {item: runner.detail(item).label for item in known}
        labelled = {item for item in range(1, runner.task.fold.seq + 1) if _label(runner, item)}
        assert labelled == {item for item, label in known.items() if label}


def _label(runner, item):
    entry = runner.store.at(runner.task.number, [item])[item]
    return runner.detail(item).label if entry.kind in ("question", "item", "imported") else None


# ---------------------------------------------------------------------- receivers that fail


def test_a_receiver_that_fails_gets_the_same_event_again_and_then_the_next(world, receiver):
    receiver.answers.extend([500, None, 302, (503, {"Retry-After": "0"})])
    _, secret = world.add(receiver, "question.open")
    world.post(f"{TASK}/items", items("a", "b", "c"))
    assert kinds(receiver.wait_for(3)) == [("question.open", seq) for seq in (1, 2, 3)]
    identities = [signing.verify(secret, *request) for request in receiver.requests]
    assert identities == ["spam.1.question.open"] * 5 + ["spam.2.question.open", "spam.3.question.open"]
    eventually(lambda: world.shown()["delivered"] == 3)
    shown = world.shown()
    assert (shown["failures"], shown["error"], shown["disabled"]) == (0, None, None)


def test_a_receiver_that_dies_and_comes_back_misses_nothing(tmp_path, receiver):
    world = Hooked(tmp_path / "a.db", QUICK._replace(failures=10_000))
    try:
        world.add(receiver, "question.open")
        world.post(f"{TASK}/items", items("a", "b"))
        receiver.wait_for(2)
        receiver.end()
        world.post(f"{TASK}/items", items("c", "d"))
        failing = eventually(lambda: world.shown() if world.shown()["failures"] > 2 else None)
        assert "refused" in failing["error"]
        assert failing["behind"] == 2
        metrics = world.call("GET", "/metrics", role="read").text
        assert 'askance_webhook_behind{task="spam",webhook="1"} 2.0' in metrics
        assert 'askance_webhook_disabled{task="spam",webhook="1"} 0.0' in metrics
        receiver.begin()
        assert kinds(receiver.wait_for(4)) == [("question.open", seq) for seq in (1, 2, 3, 4)]
    finally:
        world.close()


def test_a_slow_receiver_holds_nobody_up(world, receiver):
    other, release = Receiver(), threading.Event()
    try:
        receiver.answers.append(lambda: 200 if release.wait(60) else 500)
        world.add(receiver, "question.open")
        world.add(other, "question.open")
        world.post(f"{TASK}/items", items("a"))
        eventually(lambda: receiver.requests)
        for _ in range(5):
            world.post(f"{TASK}/items", items("b"))
        world.label(1, 2)
        assert len(other.wait_for(6)) == 6, "other webhooks do not wait either"
        assert receiver.taken == []
        release.set()
        receiver.wait_for(6)
    finally:
        release.set()
        other.end()


def test_an_answer_that_takes_too_long_is_a_failure(tmp_path, receiver):
    world = Hooked(tmp_path / "a.db", QUICK._replace(timeout=0.2))
    release = threading.Event()
    try:
        receiver.answers.append(lambda: release.wait(60) and 200)
        world.add(receiver, "question.open")
        world.post(f"{TASK}/items", items("a"))
        receiver.wait_for(1)
        assert len(receiver.requests) >= 2
    finally:
        release.set()
        world.close()


def test_after_many_failures_it_is_disabled_and_can_go_on_later(world, receiver):
    receiver.answers.extend([500] * QUICK.failures)
    number, _ = world.add(receiver, "question.open")
    world.post(f"{TASK}/items", items("a"))
    disabled = eventually(lambda: world.shown() if world.shown()["disabled"] else None)
    assert disabled["disabled"] == "5 failures one after the other, the last: the receiver answered 500"
    assert 'askance_webhook_disabled{task="spam",webhook="1"} 1.0' in world.call("GET", "/metrics").text
    world.post(f"{TASK}/items", items("b"))
    assert len(receiver.requests) == QUICK.failures
    again = world.post(f"{HOOKS}/{number}/replay", {})
    assert (again["disabled"], again["failures"]) == (None, 0)
    assert kinds(receiver.wait_for(2)) == [("question.open", 1), ("question.open", 2)]


def test_a_receiver_that_is_gone_is_left_alone_at_once(world, receiver):
    receiver.answers.append(410)
    world.add(receiver, "question.open")
    world.post(f"{TASK}/items", items("a"))
    assert eventually(lambda: world.shown()["disabled"]) == "the receiver answered 410"
    assert len(receiver.requests) == 1


def test_pauses_grow_up_to_a_limit():
    pace = Pace(first=1.0, most=60.0)
    one = delivery.Delivery.__new__(delivery.Delivery)
    one._pace = pace
    record = delivery.WebhookRecord(1, 1, "", "", "", 0, 0, None, None, 0.0)
    for failures, low, high in [(1, 0.8, 1.2), (4, 6.4, 9.6), (30, 48, 72)]:
        one.record = record._replace(failures=failures)
        assert low <= one._pause(delivery.Outcome("x")) <= high
    one.record = record._replace(failures=1)
    assert one._pause(delivery.Outcome("x", retry_after=30)) >= 24
    assert one._pause(delivery.Outcome("x", retry_after=3600)) <= 72


def test_the_client_has_a_verb_for_each(tmp_path, receiver):
    options = ServerOptions(private_webhooks=True)
    with (
        start(tmp_path / "s.db", [SPAM], open_to_all=True, options=options) as service,
        askance.Client(service.url, task="spam") as client,
    ):
        client.decide(["win", "hello"])
        made = client.add_webhook(receiver.url, ["question.open"], after=1)
        assert kinds(receiver.wait_for(1)) == [("question.open", 2)]
        client.replay_webhook(made.webhook.number, 0)
        receiver.wait_for(3)
        identities = [signing.verify(made.secret, *request)[:6] for request in receiver.requests]
        assert identities == ["spam.2", "spam.1", "spam.2"]
        eventually(lambda: client.webhooks()[0].delivered == 3)
        assert client.remove_webhook(made.webhook.number).behind == 0
        assert client.webhooks() == []


def test_the_same_events_can_be_asked_for(world, receiver):
    world.add(receiver, "question.open", "label.settled")
    world.post(f"{TASK}/items", items("a", "b", "c"))
    world.label(1, 3)
    sent = receiver.wait_for(5)
    found, after = [], 0
    while True:
        told = world.call("GET", f"{TASK}/changes?after={after}&count=2", role="read").json()
        found += told["changes"]
        if told["position"] == told["last"] == after:
            break
        after = told["position"]
    asked = [(one["type"], one["seq"], one["data"]) for one in found if one["type"] != "model.version"]
    assert asked == [
        (event["type"], event["data"].pop("seq"), event["data"]) for event in sent if event["data"].pop("task")
    ]
    only = world.call("GET", f"{TASK}/changes?type=label.settled").json()["changes"]
    assert [one["data"]["item"] for one in only] == [1, 3]
    assert world.call("GET", f"{TASK}/changes?after=99").json() == {"changes": [], "position": 99, "last": 5}


# ---------------------------------------------------------------------- positions


def test_a_restart_goes_on_where_it_was(tmp_path, receiver):
    world = Hooked(tmp_path / "a.db", QUICK._replace(failures=10_000))
    world.add(receiver, "question.open")
    world.post(f"{TASK}/items", items("a", "b"))
    receiver.wait_for(2)
    receiver.end()
    world.post(f"{TASK}/items", items("c"))
    eventually(lambda: world.shown()["failures"])
    world.close()
    receiver.begin()
    again = Reopened(tmp_path / "a.db")
    try:
        assert kinds(receiver.wait_for(3)) == [("question.open", seq) for seq in (1, 2, 3)]
    finally:
        again.service.stop()
    assert len(receiver.taken) == 3, "and nothing twice, because it was stopped in good order"


def test_what_was_sent_before_a_crash_comes_again_with_the_same_ids(tmp_path, receiver, monkeypatch):
    monkeypatch.setattr(delivery.Delivery, "_save", lambda self: None)  # it was killed before it could write
    world = Hooked(tmp_path / "a.db")
    world.add(receiver, "question.open")
    world.post(f"{TASK}/items", items("a", "b"))
    receiver.wait_for(2)
    world.close()
    again = Reopened(tmp_path / "a.db")
    try:
        receiver.wait_for(4)
    finally:
        again.service.stop()
    identities = [headers["webhook-id"] for headers, _ in receiver.requests]
    assert identities == ["spam.1.question.open", "spam.2.question.open"] * 2


def test_everything_can_be_sent_again_from_any_entry(world, receiver):
    world.post(f"{TASK}/items", items("a", "b", "c"))
    number, _ = world.add(receiver, "question.open", after=1)
    assert kinds(receiver.wait_for(2)) == [("question.open", 2), ("question.open", 3)]
    assert world.post(f"{HOOKS}/{number}/replay", {"after": 0})["behind"] >= 0
    assert kinds(receiver.wait_for(5))[2:] == [("question.open", seq) for seq in (1, 2, 3)]
    refused = world.call("POST", f"{HOOKS}/{number}/replay", {"after": 4})
    assert refused.status_code == 422
    assert "the last entry of the journal is 3" in refused.json()["error"]["message"]


def test_long_journals_are_read_in_parts(world, receiver, monkeypatch):
    monkeypatch.setattr(delivery, "AT_ONCE", 4)
    monkeypatch.setattr(delivery, "SAVE_EVERY", 0.0)
    world.post(f"{TASK}/items", items(*"abcdefghijk"))
    world.add(receiver, "question.open", after=0)
    assert kinds(receiver.wait_for(11)) == [("question.open", seq) for seq in range(1, 12)]
    eventually(lambda: world.store.webhooks()[0].position == 11)


def test_a_removed_webhook_sends_nothing_any_more(world, receiver):
    number, _ = world.add(receiver, "question.open")
    assert world.call("DELETE", f"{HOOKS}/{number}").json()["number"] == number
    world.post(f"{TASK}/items", items("a"))
    assert world.call("GET", HOOKS).json() == {"webhooks": []}
    assert world.call("DELETE", f"{HOOKS}/{number}").json()["error"]["code"] == "unknown_webhook"
    assert world.call("POST", f"{HOOKS}/{number}/replay", {}).status_code == 404
    assert world.call("GET", "/api/tasks/records/webhooks").json() == {"webhooks": []}
    assert receiver.requests == []


def test_a_webhook_that_cannot_use_the_store_tries_again(world, receiver, monkeypatch):
    from askance.errors import StoreError

    world.add(receiver, "question.open")
    last, failures = world.store.last, iter([True, True])

    def failing(task):
        if threading.current_thread().name.startswith("askance-webhook") and next(failures, False):
            raise StoreError("not now")
        return last(task)

    monkeypatch.setattr(world.store, "last", failing)
    world.post(f"{TASK}/items", items("a"))
    receiver.wait_for(1)


# ---------------------------------------------------------------------- where they may go

PRIVATE = (
    *("127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
    *("224.0.0.1", "255.255.255.255", "192.0.2.7", "::1", "::", "fe80::1", "fd00::1", "ff02::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1"),
)


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_refused(tmp_path, address):
    assert not addresses.is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_public_addresses_are_not(address):
    assert addresses.is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/", "http://localhost/", "https://[::1]/a", "http://0x7f.1/"])
def test_this_machine_is_refused_unless_it_is_allowed(tmp_path, url):
    world = Hooked(tmp_path / "a.db", private=False)
    try:
        refused = world.call("POST", HOOKS, {"url": url})
        assert refused.status_code == 422
        assert "not a public address: start the service with --private-webhooks" in refused.text
        assert world.call("GET", HOOKS).json() == {"webhooks": []}
    finally:
        world.close()


def test_a_name_that_leads_elsewhere_later_is_refused_then(tmp_path, receiver, monkeypatch):
    """A name that is public when it is added and private when it is used (DNS rebinding)."""
    found = {"address": "93.184.216.34"}
    monkeypatch.setattr(
        addresses.socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", (found["address"], receiver.port))]
    )
    world = Hooked(tmp_path / "a.db", private=False)
    try:
        world.post(HOOKS, {"url": f"http://hooks.example:{receiver.port}/", "events": ["question.open"]})
        found["address"] = "127.0.0.1"
        world.post(f"{TASK}/items", items("a"))
        shown = eventually(lambda: world.shown() if world.shown()["failures"] else None)
        assert "hooks.example is at 127.0.0.1, which is not a public address" in shown["error"]
        assert receiver.requests == []
    finally:
        world.close()


def test_all_addresses_of_a_name_are_tried(receiver, monkeypatch):
    """The receiver listens on one of two addresses, as if a name had ::1 and 127.0.0.1."""
    found = [(2, 1, 6, "", (address, receiver.port)) for address in ("127.0.0.99", "127.0.0.1", "127.0.0.1")]
    monkeypatch.setattr(addresses.socket, "getaddrinfo", lambda *_, **__: found)
    target = addresses.target_of(f"http://hooks.example:{receiver.port}/hook")
    assert delivery.Sender(2.0, private=True).post(target, {}, b"{}").error is None
    assert len(receiver.requests) == 1
    del found[1:]
    assert "refused" in delivery.Sender(2.0, private=True).post(target, {}, b"{}").error


def test_what_a_receiver_says_is_text_for_every_store():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            with server.accept()[0] as connection:
                connection.recv(100)
                connection.sendall(b"\x15\x03\x01\x00\x02\x02F")  # a TLS alert

        thread = threading.Thread(target=answer)
        thread.start()
        target = addresses.target_of(f"http://127.0.0.1:{server.getsockname()[1]}/")
        error = delivery.Sender(2.0, private=True).post(target, {}, b"{}").error
        thread.join()
    assert error.isprintable()


def test_a_webhook_that_was_removed_writes_nothing_about_the_next_one(tmp_path):
    with open_store(str(tmp_path / "a.db")) as store:
        task = store.add_task("spam", b"{}", 1.0).id
        removed = store.add_webhook(WebhookRecord(0, task, "http://a/", "s", "label", 49, 0, None, None, 1.0))
        store.drop_webhook(removed.id)
        added = store.add_webhook(removed._replace(id=0, url="http://b/", position=3, created=2.0))
        assert added.id == removed.id
        store.set_webhook(removed._replace(position=50, failures=7))
        assert store.webhooks() == [added]
        store.set_webhook(added._replace(position=4))
        assert store.webhooks()[0].position == 4


def test_the_connection_goes_to_the_address_that_was_checked(world, receiver, monkeypatch):
    asked = []

    def look_up(host, port, **_):
        asked.append(host)
        return [(2, 1, 6, "", ("127.0.0.1" if len(asked) % 2 else "203.0.113.1", port))]

    monkeypatch.setattr(addresses, "socket", type("", (), {"getaddrinfo": look_up, "SOCK_STREAM": 1}))
    target = addresses.target_of(f"http://hooks.example:{receiver.port}/hook")
    outcome = delivery.Sender(2.0, private=True).post(target, {}, b'{"a": 1}')
    assert outcome.error is None
    assert asked == ["hooks.example"]
    assert receiver.requests[0][0]["host"] == f"hooks.example:{receiver.port}"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://example.org/", "is not an address for webhooks"),
        ("example.org", "is not an address for webhooks"),
        ("http://", "is not an address for webhooks"),
        ("http://example.org:99999/", "is not a URL"),
        ("https://me:secret@example.org/", "has a user name or a fragment"),
        ("https://example.org/#a", "has a user name or a fragment"),
        ("https://example.org/a b", "characters that are not allowed"),
        ("https://exämple.org/", "characters that are not allowed"),
        ("https://example.org/\r\nX: y", "characters that are not allowed"),
    ],
)
def test_urls_that_cannot_be(world, url, said):
    refused = world.call("POST", HOOKS, {"url": url})
    assert refused.status_code == 422
    assert said in refused.json()["error"]["message"]


@pytest.mark.parametrize(
    "body", [{}, {"url": ""}, {"url": "http://a.org", "events": ["x"]}, {"url": "http://a.org", "after": -1}]
)
def test_requests_that_are_not_valid(world, body):
    assert world.call("POST", HOOKS, body).status_code == 422
    assert world.call("GET", HOOKS).json() == {"webhooks": []}


def test_there_are_at_most_ten(world, receiver):
    for _ in range(10):
        world.add(receiver, "task.state")
    refused = world.call("POST", HOOKS, {"url": receiver.url})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "too_many_webhooks")


def test_secrets_are_shown_once_and_are_not_in_the_audit_log(world, receiver):
    _, secret = world.add(receiver)
    assert secret.startswith("whsec_")
    for path in (HOOKS, "/api/audit", "/metrics"):
        assert secret not in world.call("GET", path).text


# ---------------------------------------------------------------------- signatures


def test_certificates_are_checked(tmp_path, monkeypatch):
    if shutil.which("openssl") is None:
        missing("TLS of webhooks", "openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext"
    names = ["subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*command.split(), *names], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    receiver = Receiver(tls=context)
    try:
        target = addresses.target_of(f"https://localhost:{receiver.port}/")
        refused = delivery.Sender(5.0, private=True).post(target, {}, b"{}")
        assert "certificate verify failed" in refused.error
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert delivery.Sender(5.0, private=True).post(target, {}, b"{}").error is None
        other = addresses.target_of(f"https://127.0.0.1:{receiver.port}/")
        assert "IP address mismatch" in delivery.Sender(5.0, private=True).post(other, {}, b"{}").error
        assert len(receiver.taken) == 1
    finally:
        receiver.end()


def test_the_vector_of_the_specification():
    """The example that the libraries of Standard Webhooks test themselves with."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    headers = signing.signed(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}', 1614265330)
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("wrong", ["body", "id", "secret", "old", "early", "none", "number", "scheme"])
def test_what_is_not_signed_is_refused(wrong):
    secret = signing.new_secret()
    headers, body, now = signing.signed(secret, "a", b"{}", 1000.0), b"{}", 1000.0
    if wrong == "body":
        body = b"{} "
    elif wrong == "id":
        headers["webhook-id"] = "b"
    elif wrong == "secret":
        secret = signing.new_secret()
    elif wrong in ("old", "early"):
        now += 301 if wrong == "old" else -301
    elif wrong == "none":
        del headers["webhook-signature"]
    elif wrong == "number":
        headers["webhook-timestamp"] = "²"
    else:
        headers["webhook-signature"] = headers["webhook-signature"].replace("v1,", "v2,")
    with pytest.raises(ValueError, match=r"signature|timestamp|missing"):
        signing.verify(secret, headers, body, now=now)


def test_one_of_several_signatures_is_enough():
    secret = signing.new_secret()
    headers = {name.title(): value for name, value in signing.signed(secret, "a", b"{}", time.time()).items()}
    headers["Webhook-Signature"] = f"v1,AAAA {headers['Webhook-Signature']}"
    assert signing.verify(secret, headers, b"{}") == "a"
    with pytest.raises(ValueError, match="not the secret of a webhook"):
        signing.verify("whsec_?", headers, b"{}")


def test_messages_and_events_agree():
    assert messages.webhooks.EventType.__args__ == EVENT_TYPES
