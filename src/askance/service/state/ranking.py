"""How certain a model is of rows, and how alike rows are."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.auto.core import log_odds
from askance.rules.rows import Row
from askance.service.settings import TaskSettings
from askance.service.state.auto_model import AutoModel
from askance.service.state.item_model import ItemModel
from askance.service.state.models import Model
from askance.service.state.multilabel_model import MultiLabelModel
from askance.service.state.rows import AnyRow

Numbers = NDArray[np.float64]


class Opinions(NamedTuple):
    """What a model says of rows: their classes, scores as `ask` returns them, and by how much each class leads."""

    predictions: list[str]
    scores: Numbers
    leads: Numbers


def opinions(model: Model, settings: TaskSettings, rows: Sequence[AnyRow]) -> Opinions:
    """Predict rows."""
    if isinstance(model, MultiLabelModel):
        sets, leads = model.predicted(rows)
        return Opinions(sets, leads, leads)
    if isinstance(model, AutoModel):
        classes, shares = model.shares(rows)
        predictions = [str(label) for label in classes[shares.argmax(axis=1)]]
        if len(classes) == 2 and not settings.many:
            scores = log_odds(shares[:, 1])
            return Opinions(predictions, scores, np.abs(scores))
        leads = leads_of(shares)
        return Opinions(predictions, leads, leads)
    starts, indices, values = _joined(rows)
    X = sp.csr_array((values, indices, starts), shape=(len(rows), settings.width))
    scores = np.asarray(model.decision_function(X))
    leads = np.abs(scores) if scores.ndim == 1 else leads_of(scores)
    predictions = [str(label) for label in model.predict(X)]
    return Opinions(predictions, scores if scores.ndim == 1 else leads, leads)


class Certainty(NamedTuple):
    """How sure a model is of its prediction for each row: the probability or, if it has none, the margin."""

    predictions: list[str]
    certainties: Numbers
    is_probability: bool


def certainty(model: Model, settings: TaskSettings, rows: Sequence[AnyRow]) -> Certainty:
    """Predict rows, and say how sure the model is of each; of several labels, of the least certain one."""
    if isinstance(model, MultiLabelModel):
        sets, leads = model.predicted(rows)
        return Certainty(sets, (1 + leads) / 2, True)
    if isinstance(model, AutoModel):
        classes, chances = model.probabilities(rows)
        return Certainty([str(label) for label in classes[chances.argmax(axis=1)]], chances.max(axis=1), True)
    found = opinions(model, settings, rows)
    return Certainty(found.predictions, found.leads, False)


def likeness(model: Model, rows: Sequence[AnyRow], first: int | None = None) -> Numbers:
    """The cosines between the first rows, or all of them, and every row, as the model sees them."""
    if not isinstance(model, ItemModel):
        X = _unit_rows(*_joined(rows))
        return np.asarray((X[:first] @ X.T).toarray())
    numbers, terms = model.as_seen(rows)
    dense, X = _unit(numbers), _unit_rows(terms.starts, terms.indices, terms.values)
    weight = dense.shape[1] > 0  # numbers count as much as terms
    both: Numbers = dense[:first] @ dense.T + (X[:first] @ X.T).toarray()
    found: Numbers = both / np.maximum(1, weight + (np.diff(terms.starts) > 0))
    return found


def leads_of(scores: Numbers) -> Numbers:
    """The lead of the best class over the second, in each row of the scores of more than two classes."""
    best = np.partition(scores, -2, axis=1)
    return best[:, -1] - best[:, -2]


def _unit(dense: Numbers) -> Numbers:
    lengths = np.linalg.norm(dense, axis=1, keepdims=True)
    return dense / np.where(lengths > 0, lengths, 1.0)


def _unit_rows(starts: NDArray[Any], indices: NDArray[Any], values: NDArray[Any]) -> sp.csr_array:
    """Sparse rows of length 1. Few of very many columns occur, and only these are kept."""
    columns, places = np.unique(indices, return_inverse=True)
    rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    lengths = np.sqrt(np.bincount(rows, values**2, len(starts) - 1))
    shares = values / np.where(lengths > 0, lengths, 1.0)[rows]
    return sp.csr_array((shares, places, starts), shape=(len(starts) - 1, max(1, len(columns))))


def _joined(rows: Sequence[AnyRow]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Hashed rows one after the other: where each begins, their columns, and their values."""
    plain = [row for row in rows if isinstance(row, Row)]
    indices, values = (np.concatenate([row[part] for row in plain]) for part in (0, 1))
    return np.cumsum([0, *(len(row.indices) for row in plain)]), indices, values
