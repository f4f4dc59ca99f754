"""The review queue: disagreements, flags, labels that the current model contradicts, and skipped items.

It is made from the journal and the current model when somebody looks at it: nothing has to be kept up to date.
"""

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec import UNSET

from askance.service import messages
from askance.service.commands.amendments import label_now
from askance.service.commands.labels import standing_votes
from askance.service.commands.reviews import is_decided
from askance.service.label_sets import check_single
from askance.service.state import journal
from askance.service.state.fold import Fold
from askance.service.state.rows import has_content, stored_rows
from askance.service.store import Store
from askance.service.store.entries import Entry
from askance.service.task import Task
from askance.service.transaction import Transaction
from askance.service.views.items import items_of
from askance.service.views.predictions import predicted
from askance.service.views.task import detail_of

LOOKED_AT = 2000  # labelled items per request
MOST_OPEN = 500  # open questions and flagged items per request
DOUBTFUL = 0.1  # of the labels that the model agrees with count as doubtful


class Suspect(NamedTuple):
    """What the current model says of an item whose label it contradicts."""

    prediction: str
    certainty: float
    is_probability: bool


def queue(store: Store, task: Task, request: messages.ReviewSearch) -> messages.ReviewQueue:
    """What to review: disagreements, open ones first, flagged items, likely errors, and skipped items."""
    check_single(task.settings, "reviews")
    fold = task.fold
    tied, skipped = ([], []) if request.before is not UNSET else _unanswered(fold)
    flagged = [] if request.before is not UNSET else heapq.nlargest(MOST_OPEN, fold.flags.copy())
    entries = _newest(store, task, None if request.before is UNSET else request.before)
    transaction = Transaction(fold, store, task.number, 0.0)
    unanswered = _undecided(transaction, _there(transaction, [*tied, *skipped]))
    tied = [item for item in tied if item in unanswered]
    labelled = _undecided(transaction, _labelled(transaction, entries))
    in_doubt = _there(transaction, flagged)
    transaction.look_up(list(in_doubt.values()))
    split = [item for item in labelled if _differ(transaction, item)]
    others = {item: entry for item, entry in labelled.items() if item not in split}
    suspects, looked_at = _suspects(transaction, others)
    reasons: dict[int, messages.ReviewReason] = {
        **dict.fromkeys(skipped, "skipped"),
        **dict.fromkeys(suspects, "likely error"),
        **dict.fromkeys(flagged, "flagged"),  # an open flag is not decided about, whatever came before it
        **dict.fromkeys((*tied, *split), "disagreement"),
    }
    known = unanswered | labelled | in_doubt
    order = [item for item in dict.fromkeys((*tied, *split, *flagged, *suspects, *skipped)) if item in known]
    cases = [_case(transaction, known[item], reasons[item], suspects.get(item)) for item in order[: request.count]]
    before = entries[-1].seq if len(entries) == LOOKED_AT else None
    return messages.ReviewQueue(cases, len(order) - len(cases), looked_at, before)


def _unanswered(fold: Fold) -> tuple[list[int], list[int]]:
    """Questions without a label: those whose votes differ, and those that somebody skipped. The newest first."""
    questions = fold.questions
    # Copies: the writer may change them meanwhile.
    waiting = [*list(questions.given_up.values()), *list(questions.open.values())]
    tied = (one.item for one in waiting if len(one.counts()) > 1)
    skipped = (one.item for one in waiting if one.skipped)
    return heapq.nlargest(MOST_OPEN, tied), heapq.nlargest(MOST_OPEN, skipped)


def _newest(store: Store, task: Task, before: int | None) -> list[Entry]:
    """The newest entries with which items became questions or were imported."""
    return next(store.newest(task.number, before, (*journal.ASKED_ITEMS, journal.IMPORTED), LOOKED_AT), [])


def _labelled(transaction: Transaction, entries: Sequence[Entry]) -> dict[int, Entry]:
    """The items of these entries that are neither open nor given up."""
    questions = transaction.fold.questions
    items = {entry.seq: entry for entry in items_of(transaction, entries).values()}
    return {
        item: entry
        for item, entry in items.items()
        if item not in questions.open and item not in questions.given_up
    }


def _there(transaction: Transaction, items: Iterable[int]) -> dict[int, Entry]:
    """The items that were not deleted a moment ago."""
    return {item: entry for item, entry in transaction.at(items).items() if entry.kind in journal.ITEMS}


def _undecided(transaction: Transaction, items: Mapping[int, Entry]) -> dict[int, Entry]:
    """The items about which nobody has decided since the last vote or skip."""
    transaction.look_up(list(items.values()))
    return {item: entry for item, entry in items.items() if not is_decided(transaction.of_item(item))}


def _differ(transaction: Transaction, item: int) -> bool:
    return len({journal.read(vote).label for vote in standing_votes(transaction, item)}) > 1


def _suspects(transaction: Transaction, items: Mapping[int, Entry]) -> tuple[dict[int, Suspect], int]:
    """The items whose label the current model contradicts, the surest first, and the number that was compared."""
    fold, settings = transaction.fold, transaction.settings
    labels = {item: str(label) for item, entry in items.items() if (label := label_now(transaction, entry))}
    contents = transaction.contents(labels)
    rows = stored_rows(settings, {item: one for item, one in contents.items() if has_content(settings, one)})
    if not rows or fold.model.diverged:
        return {}, 0
    said = predicted(fold, rows)
    names = [settings.name_of(label) for label in said.predictions]
    given = [labels[item] for item in rows]
    sure = _contradicted(names, given, said.certainties)
    order = sorted(sure, key=lambda place: -said.certainties[place])
    numbers = list(rows)
    found = {
        numbers[place]: Suspect(names[place], float(said.certainties[place]), said.is_probability)
        for place in order
    }
    return found, len(rows)


def _contradicted(predicted: Sequence[str], given: Sequence[str], certainties: Iterable[float]) -> Collection[int]:
    """The places where the model predicts another class and is not in doubt about it.

    It is surer than of the least certain tenth of the labels of that class that it agrees with. Like the
    thresholds of confident learning (Northcutt, Jiang and Chuang, 2021), this needs no calibrated probability.
    """
    sure = np.asarray(list(certainties))
    names, labels = np.array(predicted), np.array(given)
    found = []
    for name in np.unique(names):
        right = sure[(names == name) & (labels == name)]
        if len(right):
            found += np.flatnonzero(
                (names == name) & (labels != name) & (sure > np.quantile(right, DOUBTFUL))
            ).tolist()
    return found


def _case(
    transaction: Transaction, entry: Entry, why: messages.ReviewReason, suspect: Suspect | None
) -> messages.ReviewCase:
    detail = detail_of(transaction, entry)
    if suspect is None:
        return messages.ReviewCase(why, detail)
    probability, margin = (suspect.certainty, None) if suspect.is_probability else (None, suspect.certainty)
    return messages.ReviewCase(why, detail, suspect.prediction, probability, margin)
