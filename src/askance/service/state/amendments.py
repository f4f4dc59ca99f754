"""Amendments: entries that change what earlier entries have done."""

from typing import Any, NamedTuple

from msgspec import UNSET

from askance.service.state import journal
from askance.service.store.entries import Entry


class Amendments(NamedTuple):
    """Undone entries, corrected labels by item, and rollbacks by entry with the version they go back to."""

    undone: set[int]
    corrected: dict[int, str]
    rolled_back: dict[int, int]

    def add(self, entry: Entry, body: Any) -> None:
        """Take in an amendment. The last correction of an item holds."""
        if entry.kind == journal.UNDO:
            self.undone.add(body.of)
        elif entry.kind == journal.ROLLBACK:
            self.rolled_back[entry.seq] = body.to
        elif entry.kind == journal.CORRECTION:  # deleted items are known by what is left of their entries
            assert entry.item is not None
            self.corrected[entry.item] = body.label

    def forgets(self, seq: int) -> bool:
        """Whether a rollback that was not undone makes the model forget what this entry taught it."""
        return any(to < seq < at and at not in self.undone for at, to in self.rolled_back.items())


def decides(entry: Entry, body: Any) -> bool:
    """Whether somebody decided about an item with an entry: a lead, or the author of a correction."""
    is_final = entry.kind == journal.LABEL and body.final
    return is_final or entry.kind in (journal.REVIEWED, journal.CORRECTION)


def is_in_place(entry: Entry, body: Any) -> bool:
    """Whether an amendment takes effect where it is in the journal."""
    return entry.kind == journal.CORRECTION and body.instead_of is not UNSET
