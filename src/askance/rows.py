"""What a rule sees: rows, and the loops over their features.

A row is sparse or dense and comes with its squared norm. Rules say what happens to one coordinate; the two
classes here go through the coordinates. Compiled code calls the methods through `engine.seam`.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Row(NamedTuple):
    """One sparse row for `ask` and `tell`: column numbers, strictly increasing, and their values."""

    indices: NDArray[Any]
    values: NDArray[Any]


class Seen(NamedTuple):
    """What is known of a row before its label is: p = `score`, v = `spread`, x·x and sgn(p)."""

    score: float
    spread: float
    squared_norm: float
    guess: float


class State(Protocol):
    """What an update rule has learned: a named tuple of arrays with one entry a feature."""

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """What feature `j` of value `x` adds to the score and to the spread."""

    def move(self, j: int, x: float, step: Any) -> None:
        """Change feature `j` by a step of the rule."""


# What `check` finds. NaN and infinity are found by `not … < inf`: relaxed arithmetic may take x - x for 0, which
# is how isfinite is compiled.
SOUND, TORN, UNSORTED, TOO_WIDE, NOT_FINITE = range(5)


class Rows(Protocol):
    """Some rows and the loops over them."""

    def check(self, first: int, last: int, width: int) -> tuple[int, int]:
        """Fill in the squared norms from row `first` up to `last`; what is wrong with a bad row, and which it is.

        The squared norm does double duty: it is finite if and only if every value of the row is.
        """

    def sweep(self, t: int, state: State) -> tuple[float, float]:
        """Score and spread of row `t`."""

    def shift(self, t: int, state: State, step: Any) -> None:
        """Move the state by `step` along row `t`."""


class SparseRows(NamedTuple):
    """Compressed sparse rows: row `t` has its features at `starts[t]:starts[t + 1]`, each feature once."""

    # Unsigned: a signed index costs a test for negative ones in every step.
    starts: NDArray[np.uint64]
    indices: NDArray[np.uint32]
    values: NDArray[Any]
    squared_norms: NDArray[Any]

    def check(self, first: int, last: int, width: int) -> tuple[int, int]:
        """Whether a pass may trust the rows: well-formed, features sorted, none beyond `width`, all finite."""
        end = np.uint64(min(self.indices.shape[0], self.values.shape[0]))
        for t in range(first, last):
            start, stop = self.starts[t], self.starts[t + 1]
            if start > stop or stop > end:
                return TORN, t
            total = self.values.dtype.type(0)
            if start < stop:
                if self.indices[stop - np.uint64(1)] >= width:
                    return TOO_WIDE, t
                total += self.values[start] * self.values[start]
            rising = True
            for k in range(start + np.uint64(1), stop):
                rising &= self.indices[k - np.uint64(1)] < self.indices[k]
                total += self.values[k] * self.values[k]
            if not rising:
                return UNSORTED, t
            if not total < np.inf:
                return NOT_FINITE, t
            self.squared_norms[t] = total
        return SOUND, 0

    def sweep(self, t: int, state: State) -> tuple[float, float]:
        """Score and spread of row `t`."""
        score = spread = self.values.dtype.type(0)
        for k in range(self.starts[t], self.starts[t + 1]):
            score_term, spread_term = state.terms(self.indices[k], self.values[k])
            score += score_term
            spread += spread_term
        return score, spread

    def shift(self, t: int, state: State, step: Any) -> None:
        """Move the state by `step` along row `t`."""
        for k in range(self.starts[t], self.starts[t + 1]):
            state.move(self.indices[k], self.values[k], step)


class DenseRows(NamedTuple):
    """Rows with a value for every feature."""

    values: NDArray[Any]
    squared_norms: NDArray[Any]

    def check(self, first: int, last: int, width: int) -> tuple[int, int]:
        """Whether a pass may trust the rows: as wide as they should be, all finite."""
        if self.values.shape[1] != width:
            return TOO_WIDE, 0
        for t in range(first, last):
            total = self.values.dtype.type(0)
            for j in range(self.values.shape[1]):
                total += self.values[t, j] * self.values[t, j]
            if not total < np.inf:
                return NOT_FINITE, t
            self.squared_norms[t] = total
        return SOUND, 0

    def sweep(self, t: int, state: State) -> tuple[float, float]:
        """Score and spread of row `t`."""
        score = spread = self.values.dtype.type(0)
        for j in range(self.values.shape[1]):
            score_term, spread_term = state.terms(j, self.values[t, j])
            score += score_term
            spread += spread_term
        return score, spread

    def shift(self, t: int, state: State, step: Any) -> None:
        """Move the state by `step` along row `t`."""
        for j in range(self.values.shape[1]):
            state.move(j, self.values[t, j], step)
