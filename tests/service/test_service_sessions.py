"""Sessions and the audit log, in SQLite and in PostgreSQL: when they end, and that they outlive a restart."""

import json
import threading

import pytest

from askance.errors import StoreError
from askance.service.auth.audit import AT_ONCE, LONGEST_DETAIL, AuditLog
from askance.service.auth.rights import Person
from askance.service.auth.sessions import IDLE, LIFE, MOST, NOTED, Sessions, csrf_of
from askance.service.auth.tokens import Tokens
from askance.service.errors import RequestError
from askance.service.messages import AuditRequest
from askance.service.store import copy, open_store

ANN, BOB = Person("ann", "labeller"), Person("bob", "read")


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class Door:
    """Tokens and sessions of a store."""

    def __init__(self, store, clock):
        self.store = store
        self.tokens = Tokens(store)
        for name, role in (("ann", "labeller"), ("bob", "read"), ("root", "admin")):
            if self.tokens.named(name) is None:
                self.tokens.create(name, role)
        self.clock = clock
        self.sessions = Sessions(store, self.tokens, clock)


@pytest.fixture
def door(tmp_path):
    with open_store(str(tmp_path / "a.db")) as store:
        yield Door(store, Clock())


def test_a_session_is_its_persons(door):
    secret, session = door.sessions.begin(ANN, "a\tbrowser" + "x" * 500)
    visit = door.sessions.find(secret)
    assert (visit.person, visit.number, visit.csrf) == (ANN, session.number, csrf_of(secret))
    assert session.agent == ("abrowser" + "x" * 500)[:200]
    assert secret not in visit.csrf
    for wrong in ("", secret[:-1], secret + "x", csrf_of(secret), session.digest.hex()):
        assert door.sessions.find(wrong) is None
    other, _ = door.sessions.begin(ANN, "")
    assert csrf_of(other) != csrf_of(secret)


def test_the_secret_is_stored_nowhere(door, tmp_path):
    secret, _ = door.sessions.begin(ANN, "")
    for path in tmp_path.iterdir():
        assert secret.encode() not in path.read_bytes()
        assert csrf_of(secret).encode() not in path.read_bytes()


def test_it_ends_when_it_is_not_used(door):
    secret, _ = door.sessions.begin(ANN, "")
    door.clock.now += IDLE - 1
    assert door.sessions.find(secret), "and this counts as use"
    door.clock.now += IDLE - 1
    assert door.sessions.find(secret)
    door.clock.now += IDLE
    assert door.sessions.find(secret) is None
    assert door.sessions.open() == []


def test_it_ends_after_a_week_however_much_it_is_used(door):
    secret, session = door.sessions.begin(ANN, "")
    for _ in range(int(LIFE // 3600) - 1):
        door.clock.now += 3600
        assert door.sessions.find(secret)
    door.clock.now = session.created + LIFE
    assert door.sessions.find(secret) is None


def test_a_revoked_token_ends_its_sessions_at_once(door):
    secrets = [door.sessions.begin(person, "")[0] for person in (ANN, ANN, BOB)]
    door.tokens.revoke("ann")
    assert [door.sessions.find(secret) is None for secret in secrets] == [True, True, False]
    assert [one.name for one in door.sessions.open()] == ["bob"]
    door.sessions.end_all("ann")
    assert [one.name for one in door.store.sessions()] == ["bob"]
    assert door.sessions.find(secrets[2]).person == BOB


def test_ending_sessions(door):
    (one, first), (two, second) = (door.sessions.begin(person, "") for person in (ANN, BOB))
    with pytest.raises(RequestError, match=f"no open session {second.number}"):
        door.sessions.end(second.number, "ann")
    assert door.sessions.find(two)
    door.sessions.end(first.number, "ann")
    assert door.sessions.find(one) is None
    with pytest.raises(RequestError, match="no open session"):
        door.sessions.end(first.number)
    door.sessions.end(second.number)
    assert door.store.sessions() == door.sessions.open() == []


def test_nobody_fills_the_store_with_sessions(door):
    bob, _ = door.sessions.begin(BOB, "")
    secrets = []
    for _ in range(MOST + 5):
        door.clock.now += 1
        secrets.append(door.sessions.begin(ANN, "")[0])
    assert [door.sessions.find(secret) is not None for secret in secrets] == [False] * 5 + [True] * MOST
    assert door.sessions.find(bob)
    assert len(door.store.sessions()) == MOST + 1
    door.clock.now += IDLE
    door.sessions.begin(BOB, "")
    assert len(door.store.sessions()) == 1, "those that ended are gone"


def test_the_store_is_told_of_use_once_a_minute(door):
    secret, session = door.sessions.begin(ANN, "")
    told = []
    for _ in range(int(3 * NOTED)):
        door.clock.now += 1
        visit = door.sessions.find(secret)
        if visit.to_note:
            told.append(door.clock.now)
            door.sessions.note(visit.number)
    assert told == [1060.0, 1120.0, 1180.0]
    assert [one.seen for one in door.store.sessions()] == [1180.0]
    door.sessions.end(session.number)
    door.sessions.note(session.number)
    assert door.store.sessions() == [], "one that has ended does not come back"


def test_a_session_that_cannot_be_kept_is_not_begun(door, monkeypatch):
    secret, _ = door.sessions.begin(ANN, "")

    def fail(*_):
        raise StoreError("no room", full=True)

    monkeypatch.setattr(door.store, "add_session", fail)
    monkeypatch.setattr(door.store, "drop_sessions", fail)
    with pytest.raises(StoreError):
        door.sessions.begin(BOB, "")
    with pytest.raises(StoreError):
        door.sessions.end_all("ann")
    assert [one.name for one in door.sessions.open()] == ["ann"]
    assert door.sessions.find(secret)


def test_they_outlive_a_restart_and_go_with_a_copy(store_url, new_store_url):
    copied, clock = new_store_url("sqlite"), Clock()
    with open_store(store_url) as store:
        door = Door(store, clock)
        secret, session = door.sessions.begin(ANN, "a browser")
        ended, other = door.sessions.begin(ANN, "")
        door.sessions.end(other.number)
        copy(store, copied)
    for url in (store_url, copied):
        with open_store(url) as store:
            door = Door(store, clock)
            assert door.sessions.open() == [session]
            assert door.sessions.find(ended) is None
            visit = door.sessions.find(secret)
            assert (visit.person, visit.csrf) == (ANN, csrf_of(secret))
            clock.now = 1000.0 + IDLE
            assert Door(store, clock).sessions.find(secret) is None
            clock.now = 1000.0


# ---------------------------------------------------------------------- audit


def test_entries_come_newest_first_and_by_pages(store_url):
    with open_store(store_url) as store:
        audit = AuditLog(store, Clock())
        for n in range(AT_ONCE + 30):
            audit.record("ann" if n % 2 else None, "export_labels", task="a" if n % 3 else "b", subject=str(n))
        page = audit.page(AuditRequest())
        assert ([entry.subject for entry in page.entries], page.more) == (
            [str(n) for n in range(129, 29, -1)],
            True,
        )
        rest = audit.page(AuditRequest(before=page.entries[-1].seq))
        assert ([entry.subject for entry in rest.entries], rest.more) == (
            [str(n) for n in range(29, -1, -1)],
            False,
        )
        chosen = audit.page(AuditRequest(who="ann", task="b", before=50)).entries
        assert [entry.subject for entry in chosen] == [str(n) for n in range(45, 0, -6)]
        lines = [json.loads(line) for line in b"".join(audit.lines(AuditRequest(who="ann"))).splitlines()]
        assert [line["seq"] for line in lines] == list(range(130, 0, -2))


def test_entries_noted_at_once_all_stand_in_the_trail(store_url):
    with open_store(store_url) as store:
        audit = AuditLog(store)
        threads = [
            threading.Thread(target=lambda: [audit.record("ann", "sign_in") for _ in range(10)]) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [entry.seq for entry in store.audit_records(99)] == list(range(40, 0, -1))


def test_a_long_detail_is_cut(tmp_path):
    with open_store(str(tmp_path / "a.db")) as store:
        AuditLog(store).record("ann", "create_task", detail="x" * 10_000)
        assert len(store.audit_records(1)[0].detail) == LONGEST_DETAIL
