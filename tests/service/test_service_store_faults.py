"""A store that is old, full, gone or killed: what was acknowledged is there, and the rest is told."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import pytest

from askance.errors import StoreError
from askance.service.store import AuditRecord, SessionRecord, TokenRecord, open_store, schema
from askance.service.store.opening import is_postgres
from askance.service.store.schema import STEPS, bring_up_to_date
from killed_writer import AT_ONCE
from paths import SUPPORT
from stores import about, all_entries, item, limit_pages, old_store, raw_connection


@pytest.fixture
def store(store_url):
    with open_store(store_url) as opened:
        opened.add_task("mails", b"{}", 10.0)
        yield opened


LATER = ("CREATE TABLE later (a {INTEGER})", "ALTER TABLE tasks ADD COLUMN note TEXT")


def test_an_empty_database_gets_the_tables(store_url):
    old_store(store_url, ())
    with open_store(store_url) as store:
        store.add_task("mails", b"", 1.0)
        store.append(1, [item(1)])
        store.add_snapshot(1, 1, b"")
        store.add_token(TokenRecord("ann", "admin", b"", 1.0, None))
        store.set_setting("a", "b")
        store.add_session(SessionRecord(b"", 1, "ann", 1.0, 1.0, 2.0, ""))
        store.add_audit_record(AuditRecord(0, 1.0, "ann", "sign_in"))
        assert store.check() == []
    with open_store(store_url, own=False) as store:
        assert [token.name for token in store.tokens()] == ["ann"]
        assert (len(store.sessions()), [entry.seq for entry in store.audit_records(9)]) == (1, [1])


def test_an_older_version_is_brought_up_to_date(store_url, monkeypatch):
    old_store(store_url, STEPS)
    monkeypatch.setattr(schema, "STEPS", (*STEPS, LATER))
    with pytest.raises(StoreError, match=f"version {len(STEPS)}.* reads version {len(STEPS) + 1}"):
        open_store(store_url, own=False)
    with open_store(store_url) as store:
        assert all_entries(store) == [item(1, "a"), about(2, "label", 1)]
        assert (store.snapshot(1), store.tokens()[0].name) == ((2, b"state"), "bob")
        with store.one_moment() as connection:
            assert connection.rows("SELECT note FROM tasks") == [(None,)]
            assert connection.rows("SELECT a FROM later") == []
    with open_store(store_url, own=False) as store:
        assert store.check() == []


def test_tokens_from_before_rights_per_task_are_for_all_tasks(store_url):
    connection, dialect = raw_connection(store_url)
    connection.run("BEGIN")
    bring_up_to_date(connection, dialect, STEPS[:1])
    connection.run("INSERT INTO tokens (name, role, digest, created) VALUES ('bob', 'read', ?, 1.0)", (b"old",))
    connection.run("COMMIT")
    connection.close()
    with open_store(store_url) as store:
        assert store.tokens() == [TokenRecord("bob", "read", b"old", 1.0, None)]
        assert store.check() == []


def test_a_newer_version_is_refused_and_left_alone(store_url):
    old_store(store_url, (*STEPS, ("CREATE TABLE later (a TEXT)",)))
    for own in (True, False):
        with pytest.raises(StoreError, match=f"version {len(STEPS) + 1}.* newer askance"):
            open_store(store_url, own=own)
    connection, _ = raw_connection(store_url)
    assert connection.rows("SELECT version FROM schema_version") == [(len(STEPS) + 1,)]
    connection.close()


def test_a_step_that_fails_changes_nothing(store_url):
    old_store(store_url, STEPS)
    connection, dialect = raw_connection(store_url)
    connection.run("BEGIN")
    with pytest.raises(StoreError):
        bring_up_to_date(
            connection, dialect, (*STEPS, ("CREATE TABLE later (a TEXT)", "CREATE TABLE tasks (a TEXT)"))
        )
    connection.run("ROLLBACK")
    connection.close()
    with open_store(store_url) as store:
        assert store.check() == []


def test_a_full_disk(store, store_url, request):
    store.append(1, [item(1)])
    fill_disk, make_room = full_disk(store, store_url, request)
    fill_disk()
    with pytest.raises(StoreError, match="disk is full") as fault:
        store.append(1, [item(seq, None, os.urandom(3000)) for seq in range(2, 200)])
    assert fault.value.full
    assert store.last(1) == 1
    make_room()
    store.append(1, [item(2)])
    assert all_entries(store) == [item(1), item(2)]
    assert store.check() == []


def full_disk(store, url, request):
    if not is_postgres(url):
        return (lambda: limit_pages(store, 60)), (lambda: limit_pages(store, 2**30))
    server, schema = request.getfixturevalue("postgres_server"), url.rpartition("%3D")[2]
    return (
        lambda: server.run(
            f"CREATE FUNCTION {schema}.full() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END $$; "
            f"CREATE TRIGGER full_disk AFTER INSERT ON {schema}.journal EXECUTE FUNCTION {schema}.full()"
        ),
        lambda: server.run(f"DROP TRIGGER full_disk ON {schema}.journal"),
    )


def test_a_server_that_went_away_comes_back(postgres_server, monkeypatch):
    monkeypatch.setattr("askance.service.store.postgres.OWNER_LEAVES", 0.1)
    postgres_url = postgres_server.new_schema()
    with open_store(postgres_url) as store:
        store.add_task("mails", b"", 1.0)
        store.append(1, [item(1)])
        assert store.last(1) == 1
        cut(postgres_server)
        with pytest.raises(StoreError):
            store.append(1, [item(2)])
        with pytest.raises(StoreError):
            store.reachable()
        store.reachable()
        store.append(1, [item(2)])
        assert store.last(1) == 2
        with pytest.raises(StoreError, match="another process owns"):  # the lock is taken anew as well
            open_store(postgres_url)
        cut(postgres_server)
        with pytest.raises(StoreError), store.writing() as connection:
            connection.run("SELECT 1")
        with open_store(postgres_url) as other:
            other.append(1, [item(3)])
            with pytest.raises(StoreError, match="another process owns"):
                store.append(1, [item(3)])
        with pytest.raises(StoreError, match="expected seq 4, got 3"):
            store.append(1, [item(3)])


def cut(server):
    server.run("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'askance'")


def test_a_server_that_is_not_there():
    with pytest.raises(StoreError, match="PostgreSQL database labels on 127"):
        open_store("postgresql://me:secret@127.0.0.1:1/labels")
    with pytest.raises(StoreError) as fault:
        open_store("postgresql://me:secret@127.0.0.1:1/labels")
    assert "secret" not in str(fault.value)


@pytest.mark.parametrize("url", ["", "mysql://host/labels", "sqlite:///"])
def test_no_store_at_all(url):
    with pytest.raises(ValueError, match="is not the URL of a store: give a path, sqlite:///path or postgresql:"):
        open_store(url)


def test_files_that_are_no_stores(tmp_path):
    (tmp_path / "text.db").write_text("no database at all, but long enough to be looked at " * 20)
    with pytest.raises(StoreError, match="not an SQLite file"):
        open_store(str(tmp_path / "text.db"))
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE accounts (a TEXT)")
    other.close()
    for own in (True, False):
        with pytest.raises(StoreError):
            open_store(str(tmp_path / "other.db"), own=own)
    with pytest.raises(StoreError, match="this directory does not exist"):
        open_store(str(tmp_path / "nowhere" / "a.db"))


def test_a_file_system_without_a_write_ahead_log_is_refused(tmp_path, monkeypatch):
    connect = sqlite3.connect
    # Without shared memory, as on a network file system.
    monkeypatch.setattr(sqlite3, "connect", lambda address, **how: connect(f"{address}&vfs=unix-none", **how))
    with pytest.raises(StoreError, match="cannot use a write-ahead log here"):
        open_store(str(tmp_path / "a.db"))


def test_sqlite_urls_and_modes(tmp_path):
    with open_store(f"sqlite:///{tmp_path}/with space?#%.db") as store, store.writing() as connection:
        assert connection.rows("PRAGMA journal_mode") == [("wal",)]
        assert connection.rows("PRAGMA synchronous") == [(2,)]
        assert connection.rows("PRAGMA foreign_keys") == [(1,)]
    path = tmp_path / "with space?#%.db"
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "kills", [6, pytest.param(20, marks=pytest.mark.slow), pytest.param(1000, marks=pytest.mark.soak)]
)
def test_what_was_acknowledged_survives_kill_9(store_url, kills):
    chance = random.Random(7)
    with open_store(store_url) as store:
        store.add_task("mails", b"", 1.0)
    command = [sys.executable, str(SUPPORT / "killed_writer.py"), store_url]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    try:
        acknowledged = 0
        for _ in range(kills):
            acknowledged = max(acknowledged, killed_after(writer, chance.randint(1, 6), chance.random() * 0.003))
            with open_store(store_url, own=False) as store:
                last = store.last(1)
                assert last >= acknowledged
                assert last % AT_ONCE == 0  # never half of what was appended at once
                assert store.check() == []
        assert acknowledged >= kills * AT_ONCE
    finally:
        writer.kill()  # its child ends by itself
        writer.communicate()
    with open_store(store_url) as store:
        assert len(store.by_key(1, "item", [f"k{seq}" for seq in range(1, acknowledged + 1)])) == acknowledged


def killed_after(writer, acknowledgements, seconds):
    """The last seq that a new child told before it was killed."""
    writer.stdin.write("go\n")
    child, told = None, []
    while child is None or len(told) < acknowledgements:
        line = writer.stdout.readline().strip()
        if line.startswith("started"):
            child = int(line.split()[1])
        else:
            told.append(int(line))
    threading.Event().wait(seconds)
    os.kill(child, signal.SIGKILL)
    while (line := writer.stdout.readline().strip()) != "ended":
        told.append(int(line))
    return max(told)


@pytest.mark.slow
@pytest.mark.parametrize("before", [0, 1, 200])
def test_plans_made_in_a_young_table_do_not_read_all_of_it_later(postgres_server, before):
    url = postgres_server.new_schema()
    with open_store(url) as store:
        store.add_task("mails", b"{}", 10.0)
        store.append(1, [item(n, f"a-{n}") for n in range(1, before + 1)])
    wanted = [f"a-{n}" for n in range(300)]
    with open_store(url) as store:
        for _ in range(8):  # by then both the driver and the server keep the statement
            store.by_key(1, "item", wanted)
        store.append(1, [item(n, f"a-{n}") for n in range(before + 1, 20_001)])
        for _ in range(8):
            assert len(store.by_key(1, "item", wanted)) == 299
    assert rows_read(postgres_server, url.rpartition("%3D")[2]) < 20_000


def rows_read(server, schema):
    """Of the journal; a connection tells the server when it ends."""
    time.sleep(0.2)
    sql = (
        "SELECT seq_tup_read + (SELECT SUM(idx_tup_read) FROM pg_stat_user_indexes AS i WHERE i.relid = t.relid) "
        f"FROM pg_stat_user_tables AS t WHERE schemaname = '{schema}' AND relname = 'journal'"
    )
    return int(server.run(sql)[0][0])
