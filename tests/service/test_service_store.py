"""The store: what was appended is there, in SQLite and in PostgreSQL."""

import subprocess
import sys
import threading

import pytest

from askance.errors import StoreError
from askance.service.store import Entry, LinkRecord, Store, TaskRecord, TokenRecord, open_store
from stores import about, all_entries, item


@pytest.fixture
def store(store_url):
    with open_store(store_url) as opened:
        opened.add_task("mails", b"{}", 10.0)
        yield opened


def test_what_is_appended_is_there_after_closing(store_url):
    entries = [
        item(1, "a"),
        about(2, "lease", 1),
        about(3, "label", 1, "a"),
        Entry(4, 1.5, "note", None, None, None, b""),
    ]
    with open_store(store_url) as store:
        assert store.tasks() == []
        task = store.add_task("mails", b"{}", 10.0)
        assert store.last(task.id) == 0
        store.append(task.id, entries)
    with open_store(store_url) as store:
        assert store.tasks() == [task] == [TaskRecord(1, "mails", b"{}", 10.0)]
        assert store.last(task.id) == 4
        assert all_entries(store) == entries
        assert store.check() == []


def test_tasks_have_their_own_journals_and_settings(store):
    pages = store.add_task("pages", b"1", 11.0)
    store.append(1, [item(1, "same")])
    store.append(pages.id, [item(1, "same", b"of pages")])
    assert all_entries(store, pages.id) == [item(1, "same", b"of pages")]
    store.set_task(pages.id, b"2")
    assert [task.settings for task in store.tasks()] == [b"{}", b"2"]
    with pytest.raises(StoreError, match="there is no task 9"):
        store.set_task(9, b"")
    with pytest.raises(StoreError):
        store.add_task("pages", b"", 12.0)
    with pytest.raises(StoreError):
        store.append(9, [item(1)])
    assert len(store.tasks()) == 2


@pytest.mark.parametrize(
    "bad",
    [
        [item(3, "new"), item(4, "taken")],
        [item(3, "twice"), item(4, "twice")],
        [item(2)],
        [item(3), item(3)],
        [item(4)],
        [item(3), Entry(4, 1.0, "item", 4, "lone \ud800", None, b"")],
        [item(3), item(4, "zero \0")],
        [item(3), Entry(4, 1.0, "item", 2**70, None, None, b"")],
        [item(3), Entry(4, 1.0, "item", 4, None, None, None)],
    ],
    ids=["key taken", "key twice", "seq taken", "seq twice", "gap", "no text", "zero", "too large", "no body"],
)
def test_append_is_all_or_nothing(store, bad):
    store.append(1, [item(1, "taken"), item(2)])
    store.add_snapshot(1, 2, b"kept")
    with pytest.raises(StoreError) as fault:
        store.append(1, bad, drop_from=1)
    assert not fault.value.full
    assert store.last(1) == 2
    assert store.snapshot_seqs(1) == [2]
    store.append(1, [item(3, "new"), about(4, "label", 1, "taken")])  # the same key, for another kind
    assert store.last(1) == 4


def test_entries_come_in_order_in_batches_and_by_kind(store):
    entries = [about(seq, "label", seq - 1) if seq % 5 == 0 else item(seq) for seq in range(1, 24)]
    store.append(1, entries)
    for size in (1, 5, 23, 100):
        batches = list(store.entries(1, batch=size))
        assert [entry for batch in batches for entry in batch] == entries
        assert all(len(batch) == size for batch in batches[:-1])
        assert all(batches)
    assert all_entries(store, after=3, upto=7, batch=2) == entries[3:7]
    assert [entry.seq for entry in all_entries(store, kinds=["label"], batch=2)] == [5, 10, 15, 20]
    assert [entry.seq for entry in all_entries(store, kinds={"label", "item"}, upto=6)] == [1, 2, 3, 4, 5, 6]
    assert all_entries(store, kinds=[]) == all_entries(store, 2) == all_entries(store, after=23) == []


def test_appending_goes_on_while_entries_are_read(store):
    store.append(1, [item(seq) for seq in range(1, 11)])
    seen = []
    for batch in store.entries(1, batch=3):
        seen += [entry.seq for entry in batch]
        store.append(1, [item(store.last(1) + 1)])
    assert seen == list(range(1, 11))


def test_entries_are_found_by_seq_by_item_and_by_key(store):
    entries = [item(1, "a"), item(2, "b"), about(3, "lease", 1), about(4, "label", 1, "a"), about(5, "skip", 2)]
    store.append(1, entries)
    assert store.at(1, [4, 1, 1, 99]) == {1: entries[0], 4: entries[3]}
    assert store.at(1, []) == {}
    assert store.of_item(1, 1) == [entries[0], entries[2], entries[3]]
    assert store.of_item(1, 3) == []
    assert store.by_key(1, "item", ["a", "b", "c"]) == {"a": entries[0], "b": entries[1]}
    assert store.by_key(1, "label", ["a", "b"]) == {"a": entries[3]}


def test_many_keys_at_once(store):
    store.append(1, [item(seq, f"k{seq}") for seq in range(1, 5001)])
    found = store.by_key(1, "item", [f"k{seq}" for seq in range(1, 10_001, 2)])
    assert {key: entry.seq for key, entry in found.items()} == {f"k{seq}": seq for seq in range(1, 5001, 2)}
    assert len(store.at(1, range(1, 6001))) == 5000


def test_keys_and_items_are_looked_up_in_their_indexes(tmp_path):
    """The planner once read all keys of a task for a few of them, and all entries for those about a few items."""
    with open_store(str(tmp_path / "a.db")) as store:
        asked = []
        with store.one_moment() as connection:
            reader = Recorder(connection, asked)
            reader.by_key(1, "item", ["a", "b"])
            reader.of_item(1, 7)
            reader.about(1, range(1, 50))
            plans = [connection.rows(f"EXPLAIN QUERY PLAN {sql}", values) for sql, values in asked]
    told = " ".join(str(row[3]) for plan in plans for row in plan)
    assert "journal_key (task=? AND kind=? AND key=?)" in told
    assert "journal_item (task=? AND item=?)" in told
    assert "SCAN journal" not in told
    assert "journal_1 (task=?)" not in told


class Recorder(Store):
    """Keeps what is asked of the database."""

    def __init__(self, connection, asked):
        self._connection, self._asked = connection, asked

    def _rows(self, sql, values=()):
        self._asked.append((sql, values))
        return self._connection.rows(sql, values)


def test_snapshots(store):
    store.append(1, [item(seq) for seq in range(1, 31)])
    assert store.snapshot(1) is None
    for seq in (10, 20, 30):
        store.add_snapshot(1, seq, b"\x00state %d" % seq)
    store.add_snapshot(1, 20, b"newer")
    assert store.snapshot(1) == (30, b"\x00state 30")
    assert store.snapshot(1, before=30) == (20, b"newer")
    assert store.snapshot(1, before=10) is None
    store.append(1, [about(31, "correction", 15)], drop_from=20)
    assert store.snapshot_seqs(1) == [10]
    store.drop_snapshots(1, [10, 11])
    assert store.snapshot_seqs(1) == []


def test_tokens_and_settings(store):
    ann, bob = TokenRecord("ann", "labeller", b"\x00\xff", 1.0, None), TokenRecord("bob", "admin", b"b", 2.0, None)
    store.add_token(ann)
    store.add_token(bob)
    for same in (bob._replace(digest=b"c"), bob._replace(name="carol")):
        with pytest.raises(StoreError):
            store.add_token(same)
    assert store.token_by_digest(b"\x00\xff") == ann
    assert store.token_by_digest(b"") is None
    changed = ann._replace(revoked=5.0, digest=b"d", tasks="{}", expires=6.0, previous=b"\x00\xff", subject="a b")
    store.set_token(changed)
    assert store.tokens() == [changed, bob]
    with pytest.raises(StoreError, match="there is no token 'dan'"):
        store.set_token(bob._replace(name="dan"))
    with pytest.raises(StoreError):
        store.set_token(bob._replace(subject="a b"))
    assert store.setting("code") is None
    store.set_setting("code", "1")
    store.set_setting("code", "2")
    assert store.setting("code") == "2"
    carl = TokenRecord("carl", "read", b"e", 3.0, None)
    assert not store.add_token(carl, in_exchange=("code", "1"))
    assert store.add_token(carl, in_exchange=("code", "2"))
    assert (store.setting("code"), store.tokens()) == (None, [changed, bob, carl])


def test_a_link_is_used_once(store):
    store.add_token(TokenRecord("ann", "read", b"a", 1.0, None))
    old, link, other = (
        LinkRecord(key, "ann", 1.0, until, None) for key, until in ((b"o", 2.0), (b"l", 9.0), (b"x", 9.0))
    )
    for each in (old, link, other):
        store.add_link(each, forget_before=2.0)
    assert (store.use_link(b"l", 4.0), store.use_link(b"l", 5.0), store.use_link(b"?", 5.0)) == (
        True,
        False,
        False,
    )
    assert store.link(b"l") == link._replace(used=4.0)
    store.drop_links("ann")
    assert (store.link(b"x"), store.link(b"l")) == (None, link._replace(used=4.0))
    store.add_link(other, forget_before=3.0)
    assert (store.link(b"o"), store.link(b"x")) == (None, other)
    store.set_setting("code", None)
    assert store.setting("code") is None


def test_one_owner_at_a_time(store_url):
    first = open_store(store_url)
    with pytest.raises(StoreError, match="another process owns this store"):
        open_store(store_url)
    with open_store(store_url, own=False) as reader:
        assert reader.tasks() == []
        with pytest.raises(StoreError, match="reading only"):
            reader.add_task("mails", b"", 1.0)
    first.close()
    with pytest.raises(StoreError, match="closed"):
        first.tasks()
    open_store(store_url).close()


OTHER_OWNER = "import sys; from askance.service.store import open_store; open_store(sys.argv[1]).close()"


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_a_link_does_not_make_a_second_owner(tmp_path, link):
    with open_store(str(tmp_path / "a.db")) as store:
        for file in tmp_path.glob("*.lock"):
            file.unlink()  # nor does a lock file that is deleted
        (tmp_path / "elsewhere").mkdir()
        other = tmp_path / "elsewhere" / "b.db"
        getattr(other, link)(tmp_path / "a.db")
        for path in (tmp_path / "a.db", other):
            with pytest.raises(StoreError, match="another process owns this store"):
                open_store(str(path))
            command = [sys.executable, "-c", OTHER_OWNER, str(path)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert (done.returncode, "another process owns this store" in done.stderr) == (1, True)
        store.add_task("mails", b"", 1.0)
    with open_store(str(other)) as again:
        assert len(again.tasks()) == 1


def test_a_reader_creates_nothing(store_url, tmp_path):
    with pytest.raises(StoreError, match="there is no"):
        open_store(store_url, own=False)
    assert list(tmp_path.iterdir()) == []


def test_threads_read_and_write_at_the_same_time(store):
    faults = []

    def write(number):
        store.set_setting(f"of {number}", str(number))

    def read():
        try:
            for _ in range(20):
                entries = all_entries(store, batch=7)
                assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=read) for _ in range(4)]
    threads += [threading.Thread(target=write, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for seq in range(1, 61):
        store.append(1, [item(seq)])
    for thread in threads:
        thread.join()
    assert faults == []
    assert [store.setting(f"of {number}") for number in range(5)] == list("01234")
