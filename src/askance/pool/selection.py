"""The result of a selection, and the interface of the strategies that make it."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.typing import FloatArray

Indices = NDArray[np.intp]


class Selection(NamedTuple):
    """Rows to label next, best first.

    Attributes
    ----------
    rows : ndarray of int
        Indices of the rows in the pool.
    scores : ndarray of float
        The scores by which the rows are ranked.
    parts : mapping of str to ndarray
        What the scores consist of, by name; each part has one number per selected row.
    """

    rows: Indices
    scores: FloatArray
    parts: Mapping[str, FloatArray]


class Strategy(Protocol):
    """The interface of a strategy: it learns from the labels so far, then ranks the rows of a pool."""

    def fit(self, X: Any, y: ArrayLike, privileged: Any = None) -> Self:
        """Learn from the labelled rows, and from their privileged features if there are any."""

    def select(self, X: Any, n: int, privileged: Any = None) -> Selection:
        """Select the `n` rows of a pool to label next, or all rows if there are fewer."""


def as_count(n: Any) -> int:
    """The number of rows to select; raises ValueError if it is not 1 or more."""
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
        raise ValueError(f"n must be a whole number, 1 or more, not {n!r}")
    return int(n)


def largest(scores: FloatArray, n: int) -> Indices:
    """The indices of the `n` largest scores, best first. Among equals, the earlier comes first."""
    return np.argsort(-scores, kind="stable")[:n]


def selected(scores: FloatArray, n: int, **parts: FloatArray) -> Selection:
    """Select the `n` rows with the largest scores; `scores` and `parts` have one number per row of the pool."""
    rows = largest(scores, n)
    return Selection(rows, scores[rows], {name: part[rows] for name, part in parts.items()})
