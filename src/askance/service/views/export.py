"""Exports as JSON lines, in constant memory and without blocking the writer."""

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from askance.service import messages
from askance.service.commands.items import decision
from askance.service.state import journal
from askance.service.store import Store
from askance.service.store.entries import Entry
from askance.service.task import Task
from askance.service.transaction import Transaction
from askance.service.views.items import everything_found
from askance.service.views.task import detail_of

_encode = msgspec.json.Encoder().encode


def decisions(store: Store, number: int) -> Iterator[bytes]:
    """One line per decided item, with the probabilities and the coin."""
    for batch in store.entries(number, kinds=[journal.ITEM, journal.QUESTION]):
        yield b"".join(_encode(_decision(entry)) + b"\n" for entry in batch)


def labels(store: Store, task: Task) -> Iterator[bytes]:
    """One line per item that has a label, with all votes."""
    for batch in store.entries(task.number, kinds=[journal.QUESTION, journal.IMPORTED]):
        transaction = Transaction(task.fold, store, task.number, 0.0)
        transaction.look_up(batch)
        lines = (_labelled(detail_of(transaction, entry)) for entry in batch)
        yield b"".join(_encode(line) + b"\n" for line in lines if line is not None)


def items(store: Store, task: Task, request: messages.ItemSearch) -> Iterator[bytes]:
    """One line per matching item, the newest first."""
    for details in everything_found(store, task, request):
        yield b"".join(_encode(detail) + b"\n" for detail in details)


def _labelled(detail: messages.ItemDetail) -> dict[str, Any] | None:
    if detail.label is None:
        return None
    content = {
        name: value for name in ("id", "text", "record", "note") if (value := getattr(detail, name)) is not None
    }
    return {
        "item": detail.item,
        **content,
        "label": detail.label,
        "ask_probability": detail.decision.ask_probability if detail.decision else None,
        "votes": detail.votes,
        "corrections": detail.corrections,
        "agreement": detail.agreement,
    }


def _decision(entry: Entry) -> dict[str, Any]:
    body = journal.read(entry)
    content = {name: value for name in ("text", "record", "note") if (value := getattr(body, name)) is not UNSET}
    decided = msgspec.to_builtins(decision(entry))
    return {"at": entry.at, **content, **decided, "coin": body.coin, "rule_probability": body.rule_probability}
