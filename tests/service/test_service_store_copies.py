"""Copies of a store, checks, and less room for old items, in SQLite and in PostgreSQL."""

import os
import threading

import pytest

from askance.errors import StoreError
from askance.service.store import copy, open_store
from command_line import answer, askance, complaint, output
from service_task import TaskRunner
from stores import KINDS, about, all_entries, content, fill, item


@pytest.fixture
def store(store_url):
    with open_store(store_url) as opened:
        opened.add_task("mails", b"{}", 10.0)
        yield opened


@pytest.mark.parametrize("target", KINDS)
def test_a_copy_equals_its_source(store_url, new_store_url, target):
    copied = new_store_url(target)
    shares = []
    with open_store(store_url) as store:
        fill(store)
        copy(store, copied, shares.append)
        with open_store(copied) as again:
            assert content(again) == content(store)
            assert all(content(again).values())
            assert again.check() == []
            again.append(1, [item(1201)])
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_there_and_back_again(new_store_url):
    here, there, back = new_store_url("sqlite"), new_store_url("postgres"), new_store_url("sqlite")
    with open_store(here) as store:
        fill(store)
        before = content(store)
        copy(store, there)
    with open_store(there, own=False) as moved:
        copy(moved, back)
    with open_store(back, own=False) as store:
        assert content(store) == before


def test_only_an_empty_store_is_copied_into(store_url, new_store_url):
    with open_store(new_store_url("sqlite")) as source:
        fill(source, 10)
        with open_store(store_url) as target:
            target.set_setting("code", "1")
        with pytest.raises(StoreError, match="not empty: it has settings"):
            copy(source, store_url)
        with open_store(store_url) as target:
            assert target.tasks() == []
            target.set_setting("code", None)
        copy(source, store_url)
        with open_store(store_url) as target:
            assert content(target) == content(source)


def test_a_backup_is_one_plain_file_or_none_at_all(tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    with open_store(str(tmp_path / "a.db")) as store:
        fill(store, 2000)

        def interrupt(share):
            assert [path.name for path in folder.iterdir() if not path.name.startswith(".")] == []
            if share > 0.5:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            copy(store, str(folder / "b.db"), interrupt)
        assert list(folder.iterdir()) == []
        copy(store, str(folder / "b.db"))
        assert [path.name for path in folder.iterdir()] == ["b.db"]
        (folder / "c.db-wal").write_bytes(b"of another database")
        with pytest.raises(StoreError, match="would damage a new one"):
            copy(store, str(folder / "c.db"))
        store.append(1, [item(2001)])
    with open_store(str(folder / "b.db"), own=False) as backup:
        assert backup.last(1) == 2000
    assert [path.name for path in folder.iterdir() if path.name.startswith("b.db")] == ["b.db"]


def test_a_backup_during_appends_is_a_prefix(store, store_url, new_store_url):
    store.append(1, [item(seq) for seq in range(1, 1501)])
    done, grown = threading.Event(), threading.Event()

    def go_on():
        while not done.is_set():
            last = store.last(1)
            store.append(1, [item(last + 1), about(last + 2, "label", last + 1)])
            grown.set()

    def wait_for_more(_share):
        grown.clear()
        assert grown.wait(60)

    copied = new_store_url("sqlite")
    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        with open_store(store_url, own=False) as reader:
            copy(reader, copied, wait_for_more)
    finally:
        done.set()
        thread.join()
    with open_store(copied, own=False) as backup:
        last = backup.last(1)
        assert backup.check() == []
        assert last % 2 == 0
        assert 1500 <= last < store.last(1)
        assert all_entries(backup) == all_entries(store, upto=last)


def test_bodies_are_rewritten_and_nothing_else(store):
    large = os.urandom(3000)
    entries = [item(seq, f"k{seq}", large) for seq in range(1, 601)]
    store.append(1, [*entries, about(601, "label", 3)])
    store.rewrite(1, dict.fromkeys(range(2, 401), b"{}"))
    written = all_entries(store)
    assert written == [one._replace(body=b"{}") if 2 <= one.seq <= 400 else one for one in [*entries, written[-1]]]
    assert store.check() == []
    assert store.by_key(1, "item", ["k5"])["k5"] == entries[4]._replace(body=b"{}")


@pytest.mark.slow
def test_a_file_with_shorter_bodies_is_smaller(tmp_path):
    path = tmp_path / "a.db"
    with open_store(str(path)) as store:
        store.add_task("mails", b"", 1.0)
        store.append(1, [item(seq, None, os.urandom(600)) for seq in range(1, 20_001)])
    before = path.stat().st_size
    with open_store(str(path)) as store:
        store.rewrite(1, dict.fromkeys(range(1, 20_001), b"{}"))
        store.shrink()
    assert path.stat().st_size < before / 3


def test_damage_is_told(store):
    store.append(1, [item(seq) for seq in range(1, 11)])
    store.append(1, [about(11, "label", 12), about(12, "label", 99)])
    store.add_snapshot(1, 15, b"")
    with store.writing() as connection:
        connection.run("DELETE FROM journal WHERE seq IN (4, 5)")
    assert store.check() == [
        "task 1: 10 entries have seqs from 1 to 12: 2 are missing",
        "task 1: 2 entries are about items that do not exist, the first of them entry 11",
        "task 1: the snapshot at 15 is beyond the end of the journal",
    ]


def test_backup_restore_and_check_on_the_command_line(store_url, new_store_url, tmp_path):
    backup, restored = tmp_path / "backup.db", new_store_url("sqlite")
    with open_store(store_url) as store:
        fill(store)
        assert output("store", "backup", store_url, backup) == "copied 2 tasks with 1,202 entries\n"
        told = answer("store", "restore", backup, restored)
        assert told == {"tasks": [{"name": "mails", "entries": 1200}, {"name": "pages\n'?%s", "entries": 2}]}
        with open_store(restored, own=False) as again:
            assert content(again) == content(store)
        with store.writing() as connection:
            connection.run("DELETE FROM journal WHERE task = 2 AND seq = 1")
        damaged = askance("store", "check", store_url)
        assert (damaged.exit_code, damaged.stderr) == (1, "")
        assert damaged.stdout.startswith("task 2: 1 entries have seqs from 2 to 2: 1 are missing\n")
        assert "exists: choose another name" in complaint("store", "backup", store_url, backup)
        assert "not empty" in complaint("store", "restore", backup, restored)
        assert "another process owns" in complaint("store", "compact", store_url, "mails", "--keep-days", 1)
    sound = new_store_url("sqlite")
    with TaskRunner(sound) as runner:
        runner.decide("win free cash", "lunch at nine")
        assert output("store", "check", sound) == "no damage found\n"


def test_a_store_that_is_not_there_is_not_created(tmp_path):
    nowhere = tmp_path / "a.db"
    for words in (
        ("backup", nowhere, tmp_path / "b.db"),
        ("check", nowhere),
        ("restore", nowhere, tmp_path / "b.db"),
    ):
        assert "there is no store here" in complaint("store", *words)
    assert "there is no store here" in complaint("store", "compact", nowhere, "mails", "--keep-days", 1)
    assert list(tmp_path.iterdir()) == []


def test_a_postgres_store_is_restored(new_store_url, tmp_path):
    """The source may be a running store of either kind."""
    source, target = new_store_url("postgres"), tmp_path / "a.db"
    with open_store(source) as store:
        fill(store)
        assert output("store", "restore", source, target) == "copied 2 tasks with 1,202 entries\n"
        with open_store(str(target), own=False) as again:
            assert content(again) == content(store)
