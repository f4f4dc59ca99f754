"""What a check of a store finds out beyond the database: whether every body and every snapshot can be read."""

import zlib
from collections.abc import Iterator

from askance._util.sealed_file import header_of
from askance.errors import ModelFileError, StoreError
from askance.service.state import journal
from askance.service.store import Store, TaskRecord


def problems(store: Store) -> list[str]:
    """The problems of a store, one sentence each; empty if there are none."""
    found = store.check()
    for task in store.tasks():
        found += [*_unreadable(store, task), *_damaged_snapshots(store, task)]
    return found


def _unreadable(store: Store, task: TaskRecord) -> Iterator[str]:
    """The first entry whose body cannot be read, and how many there are."""
    first, count = "", 0
    for batch in store.entries(task.id):
        for entry in batch:
            try:
                journal.read(entry)
            except StoreError as error:
                first, count = first or str(error), count + 1
    if count:
        yield f"task {task.id}: {count} entries cannot be read; the first: {first}"


def _damaged_snapshots(store: Store, task: TaskRecord) -> Iterator[str]:
    before: int | None = None
    while (found := store.snapshot(task.id, before)) is not None:
        before = found[0]
        try:
            header_of(zlib.decompress(found[1]))
        except (ModelFileError, zlib.error):
            yield f"task {task.id}: the snapshot at {before} is damaged: an earlier one will be used"
