"""Exports of labels, decisions and items, in constant memory and without blocking the writer.

Each kind has two forms: objects for JSON lines, with everything that is known, and flat rows for tables. A weight
is 1/probability of the question. Where the probability is not known, both are None.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from askance.service import messages
from askance.service.commands.items import decision, image_of
from askance.service.messages.base import ShownLabel
from askance.service.settings import TaskSettings
from askance.service.state import journal
from askance.service.state.vectors import length_of
from askance.service.store import Store
from askance.service.store.entries import Entry
from askance.service.task import Task
from askance.service.transaction import Transaction
from askance.service.views.items import ASKED, everything_found, items_of
from askance.service.views.task import detail_of

# The numbers of vectors are not exported.
CONTENT = ("id", "text", "record", "note", "image", "vector_length", "guesses")
_encode = msgspec.json.Encoder().encode

Batches = Iterator[list[dict[str, Any]]]


def lines(batches: Iterable[Iterable[Any]]) -> Iterator[bytes]:
    """Objects as JSON lines."""
    for batch in batches:
        yield b"".join(_encode(one) + b"\n" for one in batch)


# ---------------------------------------------------------------------- objects


def decisions(store: Store, task: Task) -> Batches:
    """One object per decided item, with the probabilities and the coin."""
    for batch in store.entries(task.number, kinds=[journal.ITEM, journal.QUESTION]):
        yield [_decision(task.settings, entry) for entry in batch]


def labels(store: Store, task: Task) -> Batches:
    """One object per item that has a label, with all votes."""
    for details in labelled(store, task):
        yield [_labelled(detail) for detail in details]


def labelled(store: Store, task: Task) -> Iterator[list[messages.ItemDetail]]:
    """The items that have a label, the oldest first."""
    for batch in store.entries(task.number, kinds=[*journal.ASKED_ITEMS, journal.IMPORTED]):
        transaction = Transaction(task.fold, store, task.number, 0.0)
        items = list(items_of(transaction, batch).values())
        transaction.look_up(items)
        details = (detail_of(transaction, entry) for entry in items)
        yield [detail for detail in details if detail.label is not None]


def known_probability(detail: messages.ItemDetail) -> float | None:
    """The probability with which a label was asked for; None if that is not known, or there was no question.

    A question that was not left to a coin has no probability, or 0.
    """
    return detail.ask_probability or None


def weight(detail: messages.ItemDetail) -> float | None:
    """The number of items for which a label stands; None if there is none, or no coin asked for it."""
    probability = known_probability(detail)
    return 1 / probability if detail.label is not None and probability else None


def _labelled(detail: messages.ItemDetail) -> dict[str, Any]:
    content = {name: value for name in CONTENT if (value := getattr(detail, name)) is not None}
    return {
        "item": detail.item,
        **content,
        "label": detail.label,
        "label_probability": detail.label_probability,
        "reason": detail.reason,
        "ask_probability": known_probability(detail),
        "weight": weight(detail),
        "votes": detail.votes,
        "corrections": detail.corrections,
        "agreement": detail.agreement,
        "provenance": detail.provenance,
    }


def _decision(settings: TaskSettings, entry: Entry) -> dict[str, Any]:
    body, decided = journal.read(entry), decision(settings, entry)
    parts = ((name, getattr(body, name)) for name in ("text", "record", "note"))
    content = {name: value for name, value in parts if value is not UNSET}
    if body.image is not UNSET:
        content["image"] = image_of(settings, entry.seq, body)
    if (length := length_of(body)) is not None:
        content["vector_length"] = length
    if body.guesses is not UNSET:
        name_of = settings.name_of
        content["guesses"] = {
            name: messages.GuessDetail(name_of(one.label), one.confidence) for name, one in body.guesses.items()
        }
    return {
        "at": entry.at,
        **content,
        **msgspec.to_builtins(decided),
        "ask_probability": None if decided.ask and not decided.ask_probability else decided.ask_probability,
        "weight": 1 / decided.ask_probability if decided.ask and decided.ask_probability else None,
        "coin": body.coin,
        "rule_probability": body.rule_probability,
    }


# ---------------------------------------------------------------------- flat rows


def decision_rows(store: Store, task: Task) -> Batches:
    """One row per decided item."""
    for batch in decisions(store, task):
        yield [
            one
            | {name: _as_text(one.get(name)) for name in ("record", "guesses")}
            | {"prediction": _label_as_text(one["prediction"])}
            for one in batch
        ]


def label_rows(store: Store, task: Task) -> Batches:
    """One row per item that has a label, the oldest first."""
    for details in labelled(store, task):
        yield [_row(detail) for detail in details]


def item_rows(store: Store, task: Task, request: messages.ItemExport) -> Batches:
    """One row per matching item, the newest first."""
    for details in everything_found(store, task, request):
        yield [_row(detail) for detail in details]


def _row(detail: messages.ItemDetail) -> dict[str, Any]:
    decided, origin = detail.decision, detail.provenance
    standing = [vote for vote in detail.votes if not vote.undone]
    names = list(dict.fromkeys(vote.by for vote in standing if vote.by))
    return {
        "item": detail.item,
        "id": detail.id,
        "at": detail.at,
        "state": detail.state,
        "text": detail.text,
        "record": _as_text(detail.record),
        "note": detail.note,
        "image": detail.image,
        "guesses": _as_text(detail.guesses),
        "label": _label_as_text(detail.label),
        "label_probability": detail.label_probability,
        "ask_probability": known_probability(detail),
        "weight": weight(detail),
        "ask": detail.state in ASKED,
        "reason": detail.reason,
        "prediction": _label_as_text(decided.prediction) if decided else None,
        "score": decided.score if decided else None,
        "version": decided.version if decided else None,
        "automatic": decided.automatic if decided else False,
        "votes": len(standing),
        "agreement": detail.agreement,
        "corrected": bool(detail.corrections),
        "labeller": origin.labeller if origin else ", ".join(names) or None,
        "labelled_at": origin.labelled_at if origin else max((vote.at for vote in standing), default=None),
        "source": origin.source if origin else None,
    }


def _label_as_text(label: ShownLabel | None) -> str | None:
    """A label for a cell; a list of classes as JSON, as `read_multilabel` reads it."""
    return _encode(label).decode() if isinstance(label, list) else label


def _as_text(record: dict[str, Any] | None) -> str | None:
    """A record or guesses as JSON: tables have the same columns whatever these hold."""
    return None if record is None else _encode(record).decode()
