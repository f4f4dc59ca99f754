"""Every entry has a checksum: whatever is changed in the database by hand or by a fault is noticed."""

import pytest

from askance.errors import StoreError
from askance.service.checking import problems
from askance.service.settings import to_json
from askance.service.store import Entry, copy, open_store
from askance.service.store.entries import checksum
from askance.service.store.schema import STEPS
from service_task import TaskRunner, settings
from stores import about, all_entries, item, old_store

ENTRY = Entry(7, 100.5, "label", 3, "k", "ann", b'{"label":"spam"}')


@pytest.fixture
def store(store_url):
    with open_store(store_url) as opened:
        opened.add_task("mails", to_json(settings()), 10.0)
        yield opened


def test_a_checksum_covers_every_field():
    others = [
        ENTRY._replace(**{name: value})
        for name, value in {
            "seq": 8,
            "at": 100.25,
            "kind": "skip",
            "item": None,
            "key": None,
            "who": "bob",
            "body": b'{"label":"spaM"}',
        }.items()
    ]
    found = [checksum(1, entry) for entry in (ENTRY, *others)] + [checksum(2, ENTRY)]
    assert len(set(found)) == len(found) == 9
    assert checksum(1, ENTRY._replace(key=None, who="k")) != checksum(1, ENTRY._replace(key="k", who=None))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("body", b'{"label": "ham"}'),
        ("kind", "skip"),
        ("at", 5.0),
        ("item", 1),
        ("key", "other"),
        ("who", "eve"),
        ("checksum", None),
        ("checksum", 0),
    ],
)
def test_an_altered_entry_is_noticed(store, column, value):
    store.append(1, [item(1), item(2, "a"), about(3, "label", 2, "b"), about(4, "skip", 2)])
    assert store.check() == []
    assert len(all_entries(store, verified=True)) == 4
    assert len(store.at(1, [1, 3], verified=True)) == 2
    with store.writing() as connection:
        connection.run(f"UPDATE journal SET {column} = ? WHERE seq = 3", (value,))
    told = ["task 1: 1 entries do not match their checksums, the first of them entry 3"]
    assert store.check() == told
    for read in (lambda: all_entries(store, verified=True), lambda: store.at(1, [1, 3], verified=True)):
        with pytest.raises(StoreError, match="entry 3 does not match its checksum: restore a backup"):
            read()
    assert len(store.at(1, [1, 2], verified=True)) == 2


def test_a_task_is_not_rebuilt_from_an_altered_journal(tmp_path):
    runner = TaskRunner(str(tmp_path / "a.db"))
    with runner:
        decided = runner.decide("win free cash")[0]
        runner.label(decided.item, "spam")
        assert problems(runner.store) == []
        with runner.store.writing() as connection:
            connection.run("UPDATE journal SET body = ? WHERE seq = 2", (b'{"label":"ham"}',))
        with pytest.raises(StoreError, match="entry 2 does not match"):
            runner.task.rebuild()


def test_a_compaction_gives_new_checksums(store):
    store.append(1, [item(1), item(2)])
    store.rewrite(1, {1: b"{}"})
    assert store.check() == []
    assert all_entries(store, verified=True)[0].body == b"{}"


def test_a_copy_keeps_them(store, tmp_path):
    store.append(1, [item(1), item(2)])
    copy(store, str(tmp_path / "copy.db"))
    with open_store(str(tmp_path / "copy.db"), own=False) as copied:
        assert copied.check() == []
        assert all_entries(copied, verified=True) == [item(1), item(2)]


def test_entries_of_an_earlier_version_have_none_and_later_ones_do(store_url):
    old_store(store_url, STEPS[:1])
    with open_store(store_url) as store:
        assert all_entries(store, verified=True) == [item(1, "a"), about(2, "label", 1)]
        store.append(1, [item(3)])
        assert store.check() == []
        with store.writing() as connection:
            connection.run("UPDATE journal SET checksum = NULL WHERE seq = 3")
        assert store.check() == ["task 1: 1 entries do not match their checksums, the first of them entry 3"]
        store.rewrite(1, {1: b"{}"})  # a compaction gives old entries one
        with store.writing() as connection:
            connection.run("UPDATE journal SET body = ? WHERE seq = 1", (b"[]",))
        assert "2 entries do not match" in store.check()[0]


def test_bodies_and_snapshots_that_cannot_be_read_are_told(tmp_path):
    with TaskRunner(str(tmp_path / "a.db")) as runner:
        runner.decide("win free cash", "lunch")
        runner.store.append(1, [Entry(3, 2e6, "state", None, None, None, b'{"state":null}')])
        runner.store.append(1, [Entry(4, 2e6, "unheard of", None, None, None, b"{}")])
        runner.store.add_snapshot(1, 1, b"no snapshot")
        unreadable, snapshot = problems(runner.store)
        assert unreadable.startswith("task 1: 2 entries cannot be read; the first: entry 3 is damaged (Expected")
        assert snapshot == "task 1: the snapshot at 1 is damaged: an earlier one will be used"
