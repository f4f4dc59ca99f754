"""Exports: labels and decisions as JSON lines, in constant memory and beside the writer."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from askance.service import messages
from askance.service.commands.items import decision
from askance.service.state import journal
from askance.service.store import Store
from askance.service.store.entries import Entry
from askance.service.task import LiveTask
from askance.service.transaction import Draft
from askance.service.views.items import everything_found
from askance.service.views.task import story_of

_encode = msgspec.json.Encoder().encode


def decisions(store: Store, number: int) -> Iterator[bytes]:
    """A line for each item that was decided, with the probability and the coin of the question."""
    for batch in store.entries(number, kinds=[journal.ITEM, journal.QUESTION]):
        yield b"".join(_encode(_decision(entry)) + b"\n" for entry in batch)


def labels(store: Store, task: LiveTask) -> Iterator[bytes]:
    """A line for each item that has a label, with all labels given."""
    for batch in store.entries(task.number, kinds=[journal.QUESTION, journal.TAUGHT]):
        draft = Draft(task.fold, store, task.number, 0.0)
        draft.look_up(batch)
        lines = (_labelled(story_of(draft, entry)) for entry in batch)
        yield b"".join(_encode(line) + b"\n" for line in lines if line is not None)


def items(store: Store, task: LiveTask, wish: messages.ItemSearch) -> Iterator[bytes]:
    """A line for each item that matches, the newest first."""
    for stories in everything_found(store, task, wish):
        yield b"".join(_encode(told) + b"\n" for told in stories)


def _labelled(told: messages.ItemStory) -> dict[str, Any] | None:
    if told.label is None:
        return None
    content = {
        name: value for name in ("id", "text", "record", "note") if (value := getattr(told, name)) is not None
    }
    return {
        "item": told.item,
        **content,
        "label": told.label,
        "probability": told.decision.probability if told.decision else None,
        "votes": told.votes,
        "corrections": told.corrections,
        "agreement": told.agreement,
    }


def _decision(entry: Entry) -> dict[str, Any]:
    body = journal.read(entry)
    content = {name: value for name in ("text", "record", "note") if (value := getattr(body, name)) is not UNSET}
    told = msgspec.to_builtins(decision(entry, body))
    return {"at": entry.at, **content, **told, "coin": body.coin, "wanted": body.wanted}
