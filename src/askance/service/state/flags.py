"""Flags: people ask others to look at an item again."""

from collections.abc import Container
from typing import Any

from askance.service.state import journal
from askance.service.state.amendments import decides
from askance.service.store.entries import Entry

Flags = dict[int, dict[int, str]]  # item: its open flags, by entry, with who raised them


def take(flags: Flags, entry: Entry, body: Any, undone: Container[int]) -> None:
    """Raise a flag, or forget one that was taken back, or all flags of an item that somebody has decided about."""
    item = entry.item or 0
    if entry.kind == journal.FLAG:
        flags.setdefault(item, {})[entry.seq] = entry.who or ""
    elif item in flags:
        if entry.kind == journal.UNFLAG:
            flags[item].pop(body.of, None)
        if decides(entry, body) and entry.seq not in undone:
            flags[item].clear()
        if not flags[item]:
            del flags[item]
