"""Numbers that are not finite: they are refused before they are written, and a model that has some is found out.

A rule may overflow when values are huge, or when it learns from them again and again. JSON has no such numbers, so
an entry with one could not be read again.
"""

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from askance.engine.passes import arrays_of, learned
from askance.errors import AskanceError
from askance.learners.core import Decision, LearnerCore
from askance.rules.rows import Row
from askance.service.state.item_model import ItemModel, RecordRow

SMALL, LARGE = 1e-6, 1e6  # values beyond them are unusual, and worth a second look


class NotFiniteError(AskanceError):
    """The model computed a number that is not finite about a row; `changed` says whether it has seen the row."""

    def __init__(self, *, changed: bool, place: int = 0) -> None:
        super().__init__("a number that the model computed is not finite")
        self.changed = changed
        self.place = place  # of the item in its request


def sentence(diverged: int) -> str | None:
    """What is wrong with a model that diverged at that entry, and what to do; None if the entry is 0."""
    if not diverged:
        return None
    return (
        f"the model has diverged: after entry {diverged} its numbers are not finite, because values were too "
        "large or the algorithm is unstable with them: undo the label of that entry, or roll the model back to an "
        "earlier version; then scale the values down, or use another algorithm"
    )


def is_unusual(row: Row | RecordRow) -> bool:
    """Whether a row has values that a rule may overflow with."""
    if isinstance(row, RecordRow):
        return any(not SMALL < abs(value) < LARGE for value in row.numbers.values())
    if not len(row.values):
        return False
    sizes = np.abs(row.values)
    return bool(sizes.max() > LARGE or sizes.min() < SMALL)


def decision(model: LearnerCore | ItemModel, row: Row | RecordRow, *, granted: bool) -> Decision:
    """The decision of a model about a row; NotFiniteError unless score and probability are sound numbers."""
    unusual = is_unusual(row)
    if unusual and not has_finite_score(model, row):
        raise NotFiniteError(changed=False)
    try:
        found = model.ask(row, granted=granted)
    except (ValueError, ArithmeticError):  # kernels say so themselves
        raise NotFiniteError(changed=True) from None
    sound = math.isfinite(found.score) and 0 <= found.ask_probability <= 1
    if sound and unusual and isinstance(model, LearnerCore):  # what the query rule remembers
        sound = _all_finite(arrays_of(model.machine.core.memory))
    if not sound:
        raise NotFiniteError(changed=True)
    return found


def learned_well(model: LearnerCore | ItemModel, row: Row | RecordRow, label: str, probability: float) -> bool:
    """Let a model learn a label; return whether its numbers are still finite, as far as the row shows."""
    try:
        model.tell(row, label, probability)
    except (ValueError, ArithmeticError):
        return False
    return not is_unusual(row) or has_finite_score(model, row)


def has_finite_score(model: LearnerCore | ItemModel, row: Row | RecordRow) -> bool:
    """Whether the current score of a row is finite. Nothing changes."""
    if isinstance(model, ItemModel):
        return bool(np.isfinite(model.decision_function([row])).all())
    if not model.is_fitted or isinstance(row, RecordRow):
        return True
    shape = (1, model.width)
    rows = sp.csr_array((row.values, row.indices, np.array([0, len(row.indices)], np.int32)), shape=shape)
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.isfinite(model.decision_function(rows)).all())
    except (ValueError, ArithmeticError):
        return False


def is_finite(model: LearnerCore | ItemModel) -> bool:
    """Whether all that a model has learned is finite. This takes about a millisecond per million weights."""
    if isinstance(model, LearnerCore):
        return _all_finite(learned(model.machine.core))
    return _all_finite(model.arrays())


def _all_finite(arrays: dict[str, Any]) -> bool:
    return all(array.dtype.kind != "f" or bool(np.isfinite(array).all()) for array in arrays.values())
