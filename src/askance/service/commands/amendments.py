"""Commands that change the past: labels taken back, and corrections."""

from typing import NamedTuple

from msgspec import UNSET, Struct

from askance.service import messages
from askance.service.commands.items import check_class
from askance.service.commands.labels import item_numbers, standing_votes
from askance.service.errors import conflict, unknown
from askance.service.state import journal
from askance.service.store.entries import Entry
from askance.service.transaction import Draft


class Amendment(NamedTuple):
    """An entry about the past: what it says, and the first entry from which the journal is to be replayed."""

    kind: str
    body: Struct
    item: int | None  # none for a roll-back, which is about all of them
    key: str | None
    who: str | None
    start: int


def undo(draft: Draft, wish: messages.Undo, who: str | None) -> Amendment | messages.Mended:
    """Take back a label of this labeller; the same key again does nothing more."""
    key = None if wish.key is UNSET else wish.key
    repeated = _repeated(draft, journal.UNDO, key)
    if repeated is not None:
        return repeated
    if wish.item is not UNSET:
        votes = [entry for entry in standing_votes(draft, wish.item) if entry.who == who]
        if not votes:
            raise unknown("no_label", f"you have given item {wish.item} no label that could be taken back")
        seq, item = votes[-1].seq, wish.item
    else:
        given = draft.fold.recent.get(who or "")
        if not given:
            raise unknown("no_label", "you have given no label that could be taken back")
        seq, item = given[-1]
    if item in draft.fold.amendments.corrected:
        raise conflict(
            "corrected", f"item {item} was corrected since: send another correction to change its label"
        )
    return Amendment(journal.UNDO, journal.Undo(seq), item, key, who, seq)


def correct(draft: Draft, wish: messages.Correction, who: str | None) -> Amendment | messages.Mended:
    """The right label for an item that has one; the same key, or the same label, again does nothing more."""
    key = None if wish.key is UNSET else wish.key
    repeated = _repeated(draft, journal.CORRECTION, key)
    if repeated is not None:
        return repeated
    check_class(draft.settings, wish.label)
    item = item_numbers(draft, [wish])[0]
    entry = draft.at([item]).get(item)
    if entry is None or entry.kind not in journal.ITEMS:
        raise unknown("unknown_item", f"there is no item {item}")
    now = label_now(draft, entry)
    if now is None:
        raise conflict("not_labelled", f"item {item} has no label that could be corrected")
    if now == wish.label:
        return messages.Mended(item, now, draft.fold.version, 0, again=True)
    start = item if entry.kind == journal.TAUGHT else standing_votes(draft, item)[0].seq
    return Amendment(journal.CORRECTION, journal.Label(wish.label), item, key, who, start)


def roll_back(draft: Draft, to: int, who: str | None) -> Amendment:
    """Have the model forget what it learned after a version; the labels stay in the journal."""
    if not 0 <= to < draft.fold.version:
        raise unknown("unknown_version", f"there is no version {to} before {draft.fold.version}, the one of now")
    return Amendment(journal.ROLLBACK, journal.Rollback(to), None, None, who, to + 1)


def take_back_rollback(draft: Draft, number: int, who: str | None) -> Amendment:
    """Have the model learn again what a roll-back had it forget."""
    amendments = draft.fold.amendments
    if number not in amendments.rolled_back or number in amendments.undone:
        raise unknown("unknown_rollback", f"there is no roll-back {number} that could be taken back")
    return Amendment(journal.UNDO, journal.Undo(number), None, None, who, amendments.rolled_back[number] + 1)


def label_now(draft: Draft, entry: Entry) -> str | None:
    """The label that was learned for an item."""
    item, corrected = entry.seq, draft.fold.amendments.corrected
    if entry.kind == journal.TAUGHT:
        return corrected.get(item, journal.read(entry).label)
    if entry.kind == journal.ITEM or item in draft.fold.questions.open:
        return None
    votes = [journal.read(vote).label for vote in standing_votes(draft, item)]
    if not votes:
        return None
    return corrected.get(item, max(votes, key=votes.count))


def _repeated(draft: Draft, kind: str, key: str | None) -> messages.Mended | None:
    earlier = draft.by_key([kind], [key]).get(key) if key is not None else None
    if earlier is None:
        return None
    assert earlier.item is not None
    label = label_now(draft, draft.at([earlier.item])[earlier.item])
    return messages.Mended(earlier.item, label, draft.fold.version, 0, again=True)
