"""Compaction: drop the content of old items that were not asked about. Decisions and labels are kept."""

import msgspec
from msgspec import UNSET

from askance.service import messages
from askance.service.state import journal, snapshots
from askance.service.store import Store
from askance.service.task import Task, horizon_name

DAY = 86_400.0


def compact(task: Task, keep_days: float, now: float) -> messages.Compacted:
    """Drop contents that are older than `keep_days` days, up to the last snapshot before that time.

    The model can then no longer be rebuilt from the beginning: it starts from that snapshot, and labels from
    before it can no longer be corrected.
    """
    task.settle()
    store, number = task.store, task.number
    store.add_snapshot(number, task.fold.seq, snapshots.pack(snapshots.content(task.fold)))
    before = _first_since(store, number, now - keep_days * DAY)
    older = [seq for seq in store.snapshot_seqs(number) if seq < before]
    if not older or older[-1] <= task.horizon():
        return messages.Compacted(0, task.horizon())
    store.set_setting(horizon_name(number), str(older[-1]))
    store.drop_snapshots(number, older[:-1])
    return messages.Compacted(_strip(store, number, older[-1]), older[-1])


def _strip(store: Store, number: int, upto: int) -> int:
    stripped = 0
    for batch in store.entries(number, upto=upto, kinds=[journal.ITEM]):
        bodies = {entry.seq: journal.read(entry) for entry in batch}
        whole = {seq: body for seq, body in bodies.items() if body.text is not UNSET or body.record is not UNSET}
        store.rewrite(
            number,
            {
                seq: msgspec.json.encode(msgspec.structs.replace(body, text=UNSET, record=UNSET, note=UNSET))
                for seq, body in whole.items()
            },
        )
        stripped += len(whole)
    store.shrink()
    return stripped


def _first_since(store: Store, number: int, at: float) -> int:
    """The first entry that is not older, or the next one to come. Times never decrease along a journal."""
    low, high = 1, store.last(number) + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if store.at(number, [middle])[middle].at >= at else (middle + 1, high)
    return low
