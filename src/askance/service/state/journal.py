"""The journal's language: what kinds of entries there are, and what each of them holds."""

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from askance.service.settings import Budget, Costs, Interface, Labelling, State, TaskSettings
from askance.service.store.entries import Entry

# An item that was decided and not asked for, one that was, and one that came with its label.
ITEM, QUESTION, IMPORTED = "item", "question", "imported"
LEASE, RETURN, LABEL, SKIP = "lease", "return", "label", "skip"
UNDO, CORRECTION, ROLLBACK = "undo", "correction", "rollback"
SETTINGS, STATE = "settings", "state"

ITEMS = (ITEM, QUESTION, IMPORTED)
AMENDMENTS = (UNDO, CORRECTION, ROLLBACK)


class Content(Struct, frozen=True, omit_defaults=True):
    """What an item looks like."""

    text: str | UnsetType = UNSET
    record: dict[str, Any] | UnsetType = UNSET
    note: str | UnsetType = UNSET


class DecidedItem(Content, frozen=True, kw_only=True):
    """An item and what was decided about it, by which version of the model and by which coin.

    `probability` is the one that counted: 0 where the budget had no label left, and `wanted` the rule's own.
    """

    label: str
    score: float
    probability: float
    wanted: float
    coin: float
    version: int


class ImportedItem(Content, frozen=True, kw_only=True):
    """An item that came with its label."""

    label: str


class Lease(Struct, frozen=True):
    """Until when the labeller of the entry has the question."""

    until: float


class Label(Struct, frozen=True):
    """A label, and also the right label of a correction."""

    label: str


class Undo(Struct, frozen=True):
    """Which entry, a label or a roll-back, is taken back."""

    of: int


class Rollback(Struct, frozen=True):
    """The version to which the model goes back: labels after it, up to this entry, are not learned."""

    to: int


class SettingsChange(Struct, frozen=True, omit_defaults=True):
    """The parts of a task's settings that are other ones from now on."""

    budget: Budget | UnsetType = UNSET
    labels: Labelling | UnsetType = UNSET
    costs: Costs | UnsetType = UNSET
    interface: Interface | UnsetType = UNSET

    def applied_to(self, settings: TaskSettings) -> TaskSettings:
        """The settings with these parts in place of theirs."""
        parts = {name: getattr(self, name) for name in self.__struct_fields__}
        return msgspec.structs.replace(
            settings, **{name: part for name, part in parts.items() if part is not UNSET}
        )


class StateChange(Struct, frozen=True):
    """Whether the task asks and lends from now on."""

    state: State


class Nothing(Struct, frozen=True):
    """The kind says it all."""


BODIES: dict[str, type[Struct]] = {
    ITEM: DecidedItem,
    QUESTION: DecidedItem,
    IMPORTED: ImportedItem,
    LEASE: Lease,
    RETURN: Nothing,
    LABEL: Label,
    SKIP: Nothing,
    UNDO: Undo,
    CORRECTION: Label,
    ROLLBACK: Rollback,
    SETTINGS: SettingsChange,
    STATE: StateChange,
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
    """A new entry; an item's number is its own."""
    own_key = None if key is UNSET else key
    return Entry(seq, at, kind, seq if kind in ITEMS else item, own_key, who, _encode(body))


def read(written: Entry) -> Any:
    """What an entry holds."""
    return _decoders[written.kind].decode(written.body)
