"""What the current model says of stored items, and what was predicted on arrival."""

from collections import Counter
from collections.abc import Mapping
from itertools import islice

import msgspec
import numpy as np

from askance.metrics.estimates import LEVEL
from askance.metrics.samples import share_range
from askance.service import messages
from askance.service.label_sets import class_counts
from askance.service.state import journal
from askance.service.state.fold import Fold
from askance.service.state.ranking import Certainty, certainty
from askance.service.state.rows import AnyRow
from askance.service.store import Store
from askance.service.task import Task

AT_ONCE = 200  # rows that are predicted while the model waits
RECENT, BEFORE = 500, 4500  # items whose predictions are compared
FEWEST = 100  # items before the recent ones


def predicted(fold: Fold, rows: Mapping[int, AnyRow]) -> Certainty:
    """What the model says of rows, some at a time: labels that come meanwhile do not wait for all."""
    left = iter(rows.values())
    parts = []
    while some := list(islice(left, AT_ONCE)):
        with fold.model.lock:
            parts.append(certainty(fold.model.learner, fold.settings, some))
    predictions = [label for part in parts for label in part.predictions]
    return Certainty(predictions, np.concatenate([part.certainties for part in parts]), parts[0].is_probability)


class _Said(msgspec.Struct):
    """The part of an item's entry that is needed here."""

    prediction: str


_said = msgspec.json.Decoder(_Said)


def over_time(store: Store, task: Task) -> messages.PredictedClasses:
    """The classes that were predicted for the newest items, and for those before them."""
    settings = task.settings
    labels: list[str] = []
    for batch in store.newest(task.number, None, (journal.ITEM, journal.QUESTION), RECENT):
        labels += [_said.decode(entry.body).prediction for entry in batch]
        if len(labels) >= RECENT + BEFORE:
            break
    recent, before = labels[:RECENT], labels[RECENT:]
    if len(before) < FEWEST:
        return messages.PredictedClasses(len(recent), len(before), [])
    now, then = (class_counts(settings, Counter(some)) for some in (recent, before))
    found = [_compared(name, (now[name], len(recent)), (then[name], len(before))) for name in settings.classes]
    return messages.PredictedClasses(len(recent), len(before), found)


def _compared(name: str, recent: tuple[int, int], before: tuple[int, int]) -> messages.PredictedClass:
    """The share of items with a class now and before, from the numbers of those with it and of all."""
    now, then = (share_range(*counts, LEVEL) for counts in (recent, before))
    changed = now.low > then.high or now.high < then.low
    return messages.PredictedClass(
        name, (now.value, now.low, now.high), (then.value, then.low, then.high), changed
    )
