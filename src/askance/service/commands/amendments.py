"""Commands that change the past: undo, corrections and rollbacks."""

from typing import NamedTuple

from msgspec import UNSET, Struct

from askance.service import messages
from askance.service.commands.items import entry_of
from askance.service.commands.keys import check_key
from askance.service.commands.labels import item_numbers, lend, standing_votes
from askance.service.errors import conflict, not_found
from askance.service.label_sets import check_label, id_of, label_of
from askance.service.messages.base import ShownLabel
from askance.service.state import journal
from askance.service.store.entries import Entry
from askance.service.transaction import Transaction


class PendingAmendment(NamedTuple):
    """An entry that changes the past, and the first entry from which the journal must be replayed.

    The `others` are written with it, all or none, and the journal is replayed once for all of them. So is what it
    erases: entries that take the place of others, and images.
    """

    kind: str
    body: Struct
    item: int | None  # none for a rollback, which is about all items
    key: str | None
    who: str | None
    start: int
    others: tuple["PendingAmendment", ...] = ()
    replaced: tuple[Entry, ...] = ()
    images: frozenset[str] = frozenset()

    @property
    def all(self) -> tuple["PendingAmendment", ...]:
        """It and the others."""
        return self, *self.others

    @property
    def first(self) -> int:
        """The first entry from which the journal must be replayed for all of them."""
        return min(one.start for one in self.all)


def undo(
    transaction: Transaction, request: messages.Undo, who: str | None
) -> PendingAmendment | messages.Amendment:
    """Undo a label of this labeller. The same key again does nothing."""
    key = None if request.key is UNSET else request.key
    if (earlier := _earlier(transaction, journal.UNDO, key)) is not None:
        same = request.item is UNSET or request.item == earlier.item
        check_key(key or "", earlier, "undoing", who, same=same)
        return _again(transaction, earlier)
    if request.item is not UNSET:
        votes = [entry for entry in standing_votes(transaction, request.item) if _is_by(entry, who)]
        if not votes:
            raise not_found("no_label", f"item {request.item} has no label from you that can be undone")
        seq, item = votes[-1].seq, request.item
    else:
        given = transaction.fold.recent.get(who or "")
        if not given:
            raise not_found("no_label", "there is no label from you that can be undone")
        seq, item = given[-1]
    if item in transaction.fold.amendments.corrected:
        raise conflict(
            "corrected", f"item {item} was corrected after that label: send another correction to change it"
        )
    return PendingAmendment(journal.UNDO, journal.Undo(seq), item, key, who, seq)


def lend_again(transaction: Transaction, item: int, who: str | None) -> None:
    """Lend the question of a label that was undone to its labeller, if that can be paid.

    It is not lent if others have it meanwhile.
    """
    question, labels = transaction.fold.question_of(item), transaction.settings.labels
    if question is None or not question.has_room(who, transaction.now, labels):
        return
    missing = question.missing(transaction.settings.label_cost, transaction.now)
    if question.voter(who) is None and (not missing or missing <= transaction.fold.labels_left(transaction.now)):
        lend(transaction, [question], transaction.now + labels.lease_seconds, who)


def correct(
    transaction: Transaction, request: messages.Correction, who: str | None
) -> PendingAmendment | messages.Amendment:
    """Correct the label of an item, now or by a replay. The same key or the same label again does nothing."""
    key = None if request.key is UNSET else request.key
    label = check_label(transaction.settings, request.label)
    item = item_numbers(transaction, [request])[0]
    if (earlier := _earlier(transaction, journal.CORRECTION, key)) is not None:
        same = (earlier.item, journal.read(earlier).label) == (item, label)
        check_key(key or "", earlier, "correction", who, same=same)
        return _again(transaction, earlier)
    entry = entry_of(transaction, item)
    now = label_now(transaction, entry)
    if now is None:
        raise conflict("not_labelled", f"item {item} has no label to correct")
    if now == label_of(transaction.settings, label):
        return messages.Amendment(item, now, transaction.fold.version, 0, again=True)
    settings = transaction.settings
    if settings.corrects_in_place:
        body = journal.Correction(label, id_of(settings, now))
        transaction.write(journal.CORRECTION, body, item=item, key=key, who=who)
        return messages.Amendment(item, label_of(settings, label), transaction.fold.version, 0)
    start = item if entry.kind == journal.IMPORTED else standing_votes(transaction, item)[0].seq
    return PendingAmendment(journal.CORRECTION, journal.Correction(label), item, key, who, start)


def roll_back(transaction: Transaction, to: int, who: str | None) -> PendingAmendment:
    """Make the model forget what it learned after a version. The labels stay in the journal."""
    if not 0 <= to < transaction.fold.version:
        raise not_found(
            "unknown_version", f"there is no version {to} before {transaction.fold.version}, the current one"
        )
    return PendingAmendment(journal.ROLLBACK, journal.Rollback(to), None, None, who, to + 1)


def undo_rollback(transaction: Transaction, number: int, who: str | None) -> PendingAmendment:
    """Make the model learn again what a rollback made it forget."""
    amendments = transaction.fold.amendments
    if number not in amendments.rolled_back or number in amendments.undone:
        raise not_found("unknown_rollback", f"there is no rollback {number} that can be undone")
    return PendingAmendment(
        journal.UNDO, journal.Undo(number), None, None, who, amendments.rolled_back[number] + 1
    )


def label_now(transaction: Transaction, entry: Entry) -> ShownLabel | None:
    """The current label of an item, by the current names of classes; None if it has none."""
    item, corrected = entry.seq, transaction.fold.amendments.corrected
    settings = transaction.settings
    if entry.kind == journal.IMPORTED:
        return label_of(settings, corrected.get(item, journal.read(entry).label))
    if entry.kind == journal.GOLD:  # labellers must not see it
        return None
    never_asked = entry.kind == journal.ITEM and not settings.asks_on_lease
    questions = transaction.fold.questions
    if never_asked or item in questions.open or item in questions.given_up:
        return None
    votes = [journal.read(vote) for vote in standing_votes(transaction, item)]
    if not votes:
        return None
    return label_of(settings, corrected.get(item, journal.outcome([vote.label for vote in votes], votes[-1])))


def label_probability(transaction: Transaction, item: int) -> float | None:
    """How probable the label of an item was when its votes settled it; None if something else did."""
    if item in transaction.fold.amendments.corrected or item in transaction.fold.questions.open:
        return None
    votes = standing_votes(transaction, item)
    verdict = journal.read(votes[-1]).verdict if votes else None
    return None if verdict is None else float(verdict.probability)


def _is_by(vote: Entry, who: str | None) -> bool:
    """Whether a person gave a label. That of a program can only be corrected."""
    return vote.who == who and not journal.read(vote).by_program


def _earlier(transaction: Transaction, kind: str, key: str | None) -> Entry | None:
    """The entry that a request with this key wrote before."""
    return None if key is None else transaction.by_key([kind], [key]).get(key)


def _again(transaction: Transaction, earlier: Entry) -> messages.Amendment:
    """The answer to a request that wrote this entry before."""
    assert earlier.item is not None
    label = label_now(transaction, transaction.at([earlier.item])[earlier.item])
    return messages.Amendment(earlier.item, label, transaction.fold.version, 0, again=True)
