"""Which rows of a pool to label next, and what every strategy that chooses them can do."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


class Selection(NamedTuple):
    """Rows to label next, best first.

    `rows` are places in the pool, `scores` what they were ranked by, and `parts` what those scores are made of,
    each part with one number a chosen row.
    """

    rows: Indices
    scores: Array
    parts: Mapping[str, Array]


class Strategy(Protocol):
    """How to choose: it learns from the labels so far, then ranks a pool."""

    def fit(self, X: Any, y: ArrayLike, privileged: Any = None) -> Self:
        """Learn from the labelled rows, and from their privileged features where there are some."""

    def select(self, X: Any, n: int, privileged: Any = None) -> Selection:
        """The `n` rows of a pool to label next; all of them if there are fewer."""


def as_count(n: Any) -> int:
    """How many rows to select; ValueError, in one sentence, unless it is 1 or more."""
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
        raise ValueError(f"n must be a whole number, 1 or more, not {n!r}")
    return int(n)


def largest(scores: Array, n: int) -> Indices:
    """The places of the `n` largest scores, best first; of equal ones the earlier."""
    return np.argsort(-scores, kind="stable")[:n]


def selected(scores: Array, n: int, **parts: Array) -> Selection:
    """The selection of the `n` largest of the scores of a whole pool, whose parts are as long."""
    rows = largest(scores, n)
    return Selection(rows, scores[rows], {name: part[rows] for name, part in parts.items()})
