"""Compaction: drop the content of old items that were not asked about. Decisions and labels are kept."""

from collections.abc import Collection

import msgspec
from msgspec import UNSET

from askance.service import messages
from askance.service.errors import RequestError
from askance.service.images import is_kept
from askance.service.replay import horizon_name
from askance.service.settings import PARTS
from askance.service.state import journal, snapshots
from askance.service.state.rows import parts_of
from askance.service.store import Store
from askance.service.task import Task

DAY = 86_400.0


def compact(task: Task, keep_days: float, now: float) -> messages.Compacted:
    """Drop contents that are older than `keep_days` days, up to the last snapshot before that time.

    The model can then no longer be rebuilt from the beginning: it starts from that snapshot, and nothing before it
    can be replayed.
    """
    if task.is_amending:  # the fold, of which a snapshot is taken, does not know all amendments
        raise RequestError(503, "amending", "a correction is being applied: try again later", retry_after=10)
    task.settle()
    store, number = task.store, task.number
    store.add_snapshot(number, task.fold.seq, snapshots.pack(snapshots.content(task.fold)))
    before = _first_since(store, number, now - keep_days * DAY)
    older = [seq for seq in store.snapshot_seqs(number) if seq < before]
    if not older or older[-1] <= task.horizon():
        return messages.Compacted(0, task.horizon())
    upto, kept = older[-1], _kept(task)
    if without := [item for item in task.fold.candidates.waiting if item <= upto and item not in kept]:
        task.stop_asking(without)  # first: if the compaction does not come to its end, nothing is missing
    store.set_setting(horizon_name(number), str(upto))
    store.drop_snapshots(number, older[:-1])
    return messages.Compacted(_strip(store, number, upto, kept), upto)


def _kept(task: Task) -> set[int]:
    """The items that were asked about on lease, or will be, at random or for a certificate."""
    entries = task.store.entries(task.number, kinds=[journal.ASK])
    asked = {entry.item for batch in entries for entry in batch if entry.item is not None}
    return asked | task.fold.audits.kept.keys() | set(task.fold.automation.checks())


def _strip(store: Store, number: int, upto: int, kept: Collection[int]) -> int:
    stripped, nothing = 0, dict.fromkeys((*PARTS, "note", "image", "guesses"), UNSET)
    images: set[str] = set()
    for batch in store.entries(number, upto=upto, kinds=[journal.ITEM]):
        bodies = {entry.seq: journal.read(entry) for entry in batch if entry.seq not in kept}
        whole = {seq: body for seq, body in bodies.items() if parts_of(body)}
        store.rewrite(
            number,
            {seq: msgspec.json.encode(msgspec.structs.replace(body, **nothing)) for seq, body in whole.items()},
        )
        stripped += len(whole)
        images |= {body.image for body in whole.values() if body.image is not UNSET and is_kept(body.image)}
    if images:
        store.drop_images(number, images - _shown(store, number))
    store.shrink()
    return stripped


def _shown(store: Store, number: int) -> set[str]:
    """The images of all items that have one: several items may have the same."""
    batches = store.entries(number, kinds=journal.WITH_CONTENT)
    return {body.image for batch in batches for body in map(journal.read, batch) if body.image is not UNSET}


def _first_since(store: Store, number: int, at: float) -> int:
    """The first entry that is not older, or the next one to come."""
    return store.first_since(number, at) or store.last(number) + 1
