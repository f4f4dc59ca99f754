"""The kinds of journal entries, and what the body of each kind holds."""

from collections.abc import Collection, Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from askance.errors import StoreError
from askance.service.columns import Columns
from askance.service.prices import Oracles
from askance.service.settings import (
    Budget,
    Certify,
    Costs,
    Goal,
    Interface,
    Labelling,
    State,
    TaskSettings,
)
from askance.service.state.questions import Verdict
from askance.service.store.entries import Entry

# An item that was decided and not asked about, one that was, and one that was imported with its label.
ITEM, QUESTION, IMPORTED = "item", "question", "imported"
# If questions are chosen on lease, an item becomes a question later, and waits again if nobody answers.
ASK, WITHDRAW = "ask", "withdraw"
LEASE, RETURN, LABEL, SKIP = "lease", "return", "label", "skip"
UNDO, CORRECTION, ROLLBACK = "undo", "correction", "rollback"
# A program says later what it thinks the label of an item is.
GUESS = "guess"
# A labeller wants a lead to look at an item, or no longer does.
FLAG, UNFLAG = "flag", "unflag"
# A lead has looked at an item and leaves it as it is.
REVIEWED = "reviewed"
SETTINGS, STATE = "settings", "state"
# A lead has deleted items. What is left of the entry of such an item is of another kind.
DELETION, DELETED = "deletion", "deleted"
# Items that waited have lost their content, so nobody can be asked about them any more.
COMPACTION = "compaction"
# Confident predictions are decided without people from now on, or no longer.
CERTIFIED, REVOKED = "certified", "revoked"
DRIFT = "drift"

# An item whose label is known: people label it all the same, so that it shows who is right.
GOLD = "gold"

ITEMS = (ITEM, QUESTION, IMPORTED)
WITH_CONTENT = (*ITEMS, GOLD)
ASKED_ITEMS = (QUESTION, ASK)  # entries with which an item becomes a question
AMENDMENTS = (UNDO, CORRECTION, ROLLBACK, DELETION)

Reason = Literal["audit", "check", "doubt", "given", "guesses"]


class Guess(Struct, frozen=True, omit_defaults=True):
    """What a program thinks the label is, and how confident it says it is."""

    label: str
    confidence: float | None = None


class LateGuess(Struct, frozen=True, omit_defaults=True):
    """A guess that came after its item, and who made it; if the item was deleted, only who, if it was paid."""

    name: str = ""
    guess: Guess | UnsetType = UNSET


class Content(Struct, frozen=True, omit_defaults=True):
    """The content of an item. The numbers of a vector are as `state.vectors` packs them."""

    text: str | UnsetType = UNSET
    record: dict[str, Any] | UnsetType = UNSET
    note: str | UnsetType = UNSET
    vector: bytes | UnsetType = UNSET
    image: str | UnsetType = UNSET
    guesses: dict[str, Guess] | UnsetType = UNSET


class DecidedItem(Content, frozen=True, kw_only=True):
    """An item and the decision about it, with the version of the model and the coin.

    `rule_probability` is what the query rule computed. `ask_probability` is the effective one: 0 if the budget had
    no label left. It is `automatic` if a certificate held and the prediction was confident enough. `guessers` are
    the programs whose guesses came with the item and were paid for, if it was deleted.
    """

    prediction: str
    score: float
    ask_probability: float
    rule_probability: float
    coin: float
    version: int
    automatic: bool = False
    guessers: list[str] | UnsetType = UNSET

    @property
    def all_guessers(self) -> list[str]:
        """The programs whose guesses came with the item."""
        return list(self.guesses or ()) if self.guessers is UNSET else self.guessers


class ImportedItem(Content, frozen=True, kw_only=True):
    """An item that was imported with its label, and where the label comes from."""

    label: str
    source: str | UnsetType = UNSET
    labeller: str | UnsetType = UNSET
    labelled_at: float | UnsetType = UNSET


class DeletedItem(Content, frozen=True, kw_only=True):
    """What is left of an item that was deleted: numbers and classes, for what was counted before.

    It has what was `decided` and whether it was `asked` about on arrival, or the `label` of an imported or
    `gold` item, and no content.
    """

    decided: DecidedItem | UnsetType = UNSET
    asked: bool = False
    label: str | UnsetType = UNSET
    gold: bool = False


class Asked(Struct, frozen=True):
    """Why an item became a question, and what the model of that version said about it.

    An `audit` is drawn at random, and each of the items so far had this `probability` of being drawn. A `check` is
    drawn at random from confident predictions. If it was `given`, somebody named the item. If the reason is
    `guesses`, programs decide, and the next entry has the label. If they could have decided, but a person is
    asked, then `check` is the probability of that.
    """

    reason: Reason
    version: int
    prediction: str
    score: float
    probability: float | None = None
    check: float | None = None


class Lease(Struct, frozen=True):
    """The end of a lease; the labeller is in the entry."""

    until: float


class Label(Struct, frozen=True, omit_defaults=True):
    """The label of a vote. A `final` vote of a lead settles the label, whatever others say.

    The vote with which an item was settled has the verdict, if votes are weighed. A label `by_program` follows
    from the guesses about the item; the author of the entry is the program.
    """

    label: str
    final: bool = False
    verdict: Verdict | None = None
    by_program: bool = False


class Correction(Struct, frozen=True, omit_defaults=True):
    """The right label, and in place of which other one.

    A correction with `instead_of` takes effect at its own place in the journal. Without, the label is learned in
    the place of the wrong one: that is how other learners do it, and how all did in earlier versions.
    """

    label: str
    instead_of: str | UnsetType = UNSET


class Skip(Struct, frozen=True, omit_defaults=True):
    """Why a labeller skipped a question, if they said so."""

    reason: str | UnsetType = UNSET


class Flag(Struct, frozen=True, omit_defaults=True):
    """What a labeller notes about an item that they flag, if they do."""

    note: str | UnsetType = UNSET


class Undo(Struct, frozen=True):
    """The entry that is undone: a label, a rollback or a flag."""

    of: int


class Rollback(Struct, frozen=True):
    """The version to which the model goes back. Labels between it and this entry are not learned."""

    to: int


class Deletion(Struct, frozen=True):
    """The deleted items, with the label that each had. Those that were imported are apart, and gold items."""

    items: dict[int, str | None]
    imported: dict[int, str]
    gold: list[int] = []

    @property
    def all(self) -> dict[int, str | None]:
        """The items of both kinds."""
        return self.items | self.imported


class Compaction(Struct, frozen=True):
    """The items that waited, and no longer do because their content was dropped."""

    items: list[int]


class SettingsChange(Struct, frozen=True, omit_defaults=True):
    """The sections of a task's settings that change at this entry.

    Classes are added at the end. All other entries name a class by its first name. Items that were to be texts
    become records if the first table says so.
    """

    budget: Budget | UnsetType = UNSET
    labels: Labelling | UnsetType = UNSET
    costs: Costs | UnsetType = UNSET
    interface: Interface | UnsetType = UNSET
    classes: list[str] | UnsetType = UNSET
    former: dict[str, str] | UnsetType = UNSET
    positive: str | UnsetType | None = UNSET
    columns: Columns | UnsetType = UNSET
    item: Literal["record"] | UnsetType = UNSET
    goal: Goal | UnsetType = UNSET
    certify: Certify | UnsetType = UNSET
    oracles: Oracles | UnsetType = UNSET

    def applied_to(self, settings: TaskSettings) -> TaskSettings:
        """Return the settings with these sections replaced."""
        parts = {name: getattr(self, name) for name in self.__struct_fields__}
        return msgspec.structs.replace(
            settings, **{name: part for name, part in parts.items() if part is not UNSET}
        )


class StateChange(Struct, frozen=True):
    """The new state of the task."""

    state: State


class Certified(Struct, frozen=True):
    """What is certified: at most a share `error` is wrong of the predictions with a score of at least `threshold`.

    `share` of the recent items had such a prediction. There are `members` so far, of which `labels` have a label,
    and `mistakes` of these were wrong. The threshold may be null in journals of earlier versions.
    """

    error: float
    confidence: float
    threshold: float | None
    share: float
    members: int
    labels: int
    mistakes: int


class Revoked(Struct, frozen=True):
    """Why nothing is certified any more.

    There are too many `mistakes`, too many checks have no answer yet (`late`), or the `settings` have changed.
    """

    reason: Literal["mistakes", "late", "settings"]


class Drift(Struct, frozen=True):
    """Predictions have become worse, probably since this time."""

    since: float


class Nothing(Struct, frozen=True):
    """An empty body: the kind says it all."""


BODIES: dict[str, type[Struct]] = {
    ITEM: DecidedItem,
    QUESTION: DecidedItem,
    IMPORTED: ImportedItem,
    GOLD: ImportedItem,
    ASK: Asked,
    WITHDRAW: Nothing,
    LEASE: Lease,
    RETURN: Nothing,
    LABEL: Label,
    SKIP: Skip,
    UNDO: Undo,
    CORRECTION: Correction,
    ROLLBACK: Rollback,
    GUESS: LateGuess,
    FLAG: Flag,
    UNFLAG: Undo,
    REVIEWED: Nothing,
    SETTINGS: SettingsChange,
    STATE: StateChange,
    DELETION: Deletion,
    DELETED: DeletedItem,
    COMPACTION: Compaction,
    CERTIFIED: Certified,
    REVOKED: Revoked,
    DRIFT: Drift,
}

_encode = msgspec.json.Encoder().encode
_decoders = {kind: msgspec.json.Decoder(body) for kind, body in BODIES.items()}


def entry(
    kind: str,
    seq: int,
    at: float,
    body: Struct,
    *,
    item: int | None = None,
    key: Any = None,
    who: str | None = None,
) -> Entry:
    """Make a new entry. The number of an item is the seq of its entry."""
    own_key = None if key is UNSET else key
    return Entry(seq, at, kind, seq if kind in WITH_CONTENT else item, own_key, who, _encode(body))


def read(written: Entry) -> Any:
    """Decode the body of an entry; StoreError if it is damaged."""
    try:
        return _decoders[written.kind].decode(written.body)
    except (msgspec.DecodeError, KeyError, UnicodeDecodeError) as error:
        reason = f"unknown kind {error}" if isinstance(error, KeyError) else error
        raise StoreError(f"entry {written.seq} is damaged ({reason}): restore a backup") from None


def outcome(labels: Sequence[str], last: Label) -> str:
    """The label of an item that is settled, from the labels of all votes and the last one."""
    if last.final:
        return last.label
    return max(labels, key=labels.count) if last.verdict is None else last.verdict.label


def without_content(written: Entry, priced: Collection[str]) -> Entry:
    """The entry that takes the place of an item that is deleted. The sender's id goes with the content.

    Of its guesses, it stays known which `priced` programs made one: they were paid.
    """
    body = read(written)
    if written.kind in (IMPORTED, GOLD):
        left = DeletedItem(label=body.label, gold=written.kind == GOLD)
    else:
        nothing = dict.fromkeys(Content.__struct_fields__, UNSET)
        paid = [name for name in body.all_guessers if name in priced]
        decided = msgspec.structs.replace(body, **nothing, guessers=paid or UNSET)
        left = DeletedItem(decided=decided, asked=written.kind == QUESTION)
    return entry(DELETED, written.seq, written.at, left, item=written.seq, who=written.who)


def as_it_came(written: Entry, body: Any) -> tuple[Entry, Any]:
    """An entry and its body; for what is left of a deleted item, as they were without the content."""
    if written.kind != DELETED:
        return written, body
    if body.decided is UNSET:
        return written._replace(kind=GOLD if body.gold else IMPORTED), ImportedItem(label=body.label)
    return written._replace(kind=QUESTION if body.asked else ITEM), body.decided
