"""The contents of the items that entries of a journal are about."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from askance.service.state import journal
from askance.service.state.guesses import with_guesses
from askance.service.store.entries import Entry

LookUp = Callable[[Iterable[int]], Mapping[int, Entry]]
GuessesAbout = Callable[[Collection[int]], Mapping[int, list[Entry]]]


def no_guesses(_items: Collection[int]) -> Mapping[int, list[Entry]]:
    """The entries of late guesses where there are none."""
    return {}


def contents_of(entries: list[Entry], bodies: list[Any], look_up: LookUp) -> dict[int, Any]:
    """The contents of the items that come in or are labelled in these entries, by number."""
    contents = {
        entry.seq: body for entry, body in zip(entries, bodies, strict=True) if entry.kind in journal.ITEMS
    }
    labelled = {entry.item for entry in entries if entry.kind == journal.LABEL and entry.item is not None}
    earlier = look_up(labelled - contents.keys())
    return contents | {seq: journal.read(entry) for seq, entry in earlier.items() if entry.kind in journal.ITEMS}


def as_labelled(entries: list[Entry], contents: Mapping[int, Any], guesses_about: GuessesAbout) -> dict[int, Any]:
    """The contents of items with the guesses that had come when they were labelled, by the entry of the label."""
    labels = [entry for entry in entries if entry.kind == journal.LABEL and entry.item in contents]
    about = guesses_about({entry.item for entry in labels if entry.item is not None})
    found = {}
    for label in labels:
        item = label.item or 0
        earlier = [entry for entry in about.get(item, ()) if entry.seq < label.seq]
        if earlier:
            found[label.seq] = with_guesses(contents[item], earlier)
    return found
