"""What a rule sees: rows, and the loops over their features.

A row is sparse or dense. Rules say what happens to one coordinate; the two
classes here go through the coordinates. Compiled code calls the methods through `engine.seam`.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined, like, prefetch
from askance.jit.simd.vector import at, blocks, first_lanes, only, sixteen


class Row(NamedTuple):
    """One sparse row for `ask` and `tell`: column numbers, strictly increasing, and their values."""

    indices: NDArray[Any]
    values: NDArray[Any]


class Seen(NamedTuple):
    """What is known of a row before its label is, and of the past.

    p = `score`, v = `spread`, x·x, the prediction (sgn(p), or the number of a class), how many `mistakes` labels have
    shown so far, and the `longest` x·x among these; how many labels have been `told`, and how many of them
    positive. `counts` is 0 where the label cannot be had, whatever the query rule says, and else 1.
    """

    score: float
    spread: float
    squared_norm: float
    prediction: float
    mistakes: int
    max_squared_norm: float
    n_labels: int = 0
    n_positives: int = 0
    eligible: float = 1.0


class State(Protocol):
    """What an update rule has learned: a named tuple of arrays. Here, one with a few numbers a feature."""

    def terms(self, j: Any, x: float) -> tuple[float, float]:
        """What feature `j` of value `x` adds to the score and to the spread."""

    def margin(self, total: float, spread: float) -> float:
        """The score, from the sums of the terms."""

    def move(self, j: Any, x: float, step: Any) -> None:
        """Change feature `j` by a step of the rule."""


# What `check` finds. NaN and infinity are found by `not … < inf`: relaxed arithmetic may take x - x for 0, which
# is how isfinite is compiled.
SOUND, TORN, UNSORTED, TOO_WIDE, NOT_FINITE = range(5)

# How far ahead of the row in hand memory is asked for entries: as the processor's own guess ends with each page, a
# pass would wait for every one. Of powers of two and their halves, these were the fastest.
SPARSE_AHEAD, DENSE_AHEAD = np.uint64(384), np.uint64(1024)


class Rows(Protocol):
    """Some rows and the loops over them."""

    def check(self, first: int, last: int, width: int) -> tuple[int, int]:
        """What is wrong with the first bad row from `first` up to `last`, and which it is."""

    def sweep(self, t: int, state: State, width: int) -> tuple[float, float, float, bool]:
        """Score, spread and squared norm of row `t`, and whether the row is sound; if not, they mean nothing.

        The squared norm does double duty: it is finite if and only if every value of the row is.
        """

    def sweep_lanes(self, t: int, state: State, width: int, scores: Any, spreads: Any) -> tuple[float, bool]:
        """The same for a state that holds several learners side by side, whose scores and spreads are filled in.

        Of feature `j`, lane `i` has coordinate j·lanes + i: one visit to a feature serves every lane.
        """

    def shift(self, t: int, state: State, step: Any) -> None:
        """Move the state by `step` along row `t`, which is sound."""

    def shift_lane(self, t: int, state: State, step: Any, side: float, lane: int, lanes: int) -> None:
        """Move one lane by `step` along row `t`, or against it if `side` is -1."""

    def size(self, t: int) -> int:
        """How many entries row `t` has, which is sound."""

    def entry(self, t: int, k: int) -> tuple[int, float]:
        """The feature and the value of entry `k` of row `t`, which is sound."""


class SparseRows(NamedTuple):
    """Compressed sparse rows: row `t` has its features at `starts[t]:starts[t + 1]`, each feature once."""

    # Unsigned: a signed index costs a test for negative ones in every step.
    starts: NDArray[np.uint64]
    indices: NDArray[np.uint32]
    values: NDArray[Any]

    def check(self, first: int, last: int, width: int) -> tuple[int, int]:
        """What keeps a pass from trusting a row: it is torn, unsorted, wider than `width` or not finite."""
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
        return SOUND, 0

    def sweep(self, t: int, state: State, width: int) -> tuple[float, float, float, bool]:
        """Score, spread, squared norm, soundness. Until the last is known, all that is used is held in bounds.

        One loop, one exit and no branch in it: a second exit would have the compiler count references to the
        arrays in every row.
        """
        end = np.uint64(min(self.indices.shape[0], self.values.shape[0])) if width > 0 else np.uint64(0)
        stop = min(self.starts[t + 1], end)
        start = min(self.starts[t], stop)
        prefetch(self.indices, start + SPARSE_AHEAD, stop + SPARSE_AHEAD)
        prefetch(self.values, start + SPARSE_AHEAD, stop + SPARSE_AHEAD)
        sound = (start == self.starts[t]) & (stop == self.starts[t + 1])
        last = np.uint32(width - 1)
        score = spread = squared_norm = self.values.dtype.type(0)
        if start < stop:  # the first feature stands apart, because the others are compared with the one before
            sound &= self.indices[stop - np.uint64(1)] <= last
            x = self.values[start]
            score_term, spread_term = state.terms(min(self.indices[start], last), x)
            score += score_term
            spread += spread_term
            squared_norm += x * x
        for k in range(start + np.uint64(1), stop):
            j, x = self.indices[k], self.values[k]
            sound &= self.indices[k - np.uint64(1)] < j
            score_term, spread_term = state.terms(min(j, last), x)
            score += score_term
            spread += spread_term
            squared_norm += x * x
        return score, spread, squared_norm, sound & (squared_norm < np.inf)

    def sweep_lanes(self, t: int, state: State, width: int, scores: Any, spreads: Any) -> tuple[float, bool]:
        """Scores and spreads of all lanes; squared norm, soundness."""
        end = np.uint64(min(self.indices.shape[0], self.values.shape[0]))
        stop = min(self.starts[t + 1], end)
        start = min(self.starts[t], stop)
        prefetch(self.indices, start + SPARSE_AHEAD, stop + SPARSE_AHEAD)
        prefetch(self.values, start + SPARSE_AHEAD, stop + SPARSE_AHEAD)
        sound = (start == self.starts[t]) & (stop == self.starts[t + 1])
        squared_norm = self.values.dtype.type(0)
        beyond = np.uint64(0)  # the least that the next feature may be
        for k in range(start, stop):
            j, x = np.uint64(self.indices[k]), self.values[k]
            sound &= beyond <= j
            beyond = j + np.uint64(1)
            squared_norm += x * x
        sound &= (beyond <= width) & (squared_norm < np.inf)
        add_lanes(self, t, np.uint64(stop - start) * np.uint64(sound), state, scores, spreads)
        return squared_norm, sound

    def shift(self, t: int, state: State, step: Any) -> None:
        """Move the state by `step` along row `t`, which is sound."""
        for k in range(self.starts[t], self.starts[t + 1]):
            state.move(self.indices[k], self.values[k], step)

    def shift_lane(self, t: int, state: State, step: Any, side: float, lane: int, lanes: int) -> None:
        """Move one lane by `step` along row `t`, or against it if `side` is -1."""
        for k in range(self.starts[t], self.starts[t + 1]):
            j = np.uint64(self.indices[k]) * np.uint64(lanes) + np.uint64(lane)
            state.move(j, like(side, self.values[k]) * self.values[k], step)

    def size(self, t: int) -> int:
        """How many entries row `t` has, which is sound."""
        return np.int64(self.starts[t + 1] - self.starts[t])  # type: ignore[return-value]

    def between(self, first: int, last: int) -> "SparseRows":
        """The rows from `first` up to `last`."""
        return SparseRows(self.starts[first : last + 1], self.indices, self.values)

    def entry(self, t: int, k: int) -> tuple[int, float]:
        """The feature and the value of entry `k` of row `t`, which is sound."""
        place = self.starts[t] + np.uint64(k)
        return self.indices[place], self.values[place]


class DenseRows(NamedTuple):
    """Rows with a value for every feature."""

    values: NDArray[Any]

    def check(self, first: int, last: int, width: int) -> tuple[int, int]:
        """What keeps a pass from trusting a row: it is not as wide as it should be, or not finite."""
        if self.values.shape[1] != width:
            return TOO_WIDE, 0
        for t in range(first, last):
            total = self.values.dtype.type(0)
            for j in range(self.values.shape[1]):
                total += self.values[t, j] * self.values[t, j]
            if not total < np.inf:
                return NOT_FINITE, t
        return SOUND, 0

    def sweep(self, t: int, state: State, width: int) -> tuple[float, float, float, bool]:
        """Score, spread, squared norm, soundness."""
        ahead = np.uint64(t) * np.uint64(self.values.shape[1]) + DENSE_AHEAD
        prefetch(self.values, ahead, ahead + np.uint64(self.values.shape[1]))
        score = spread = squared_norm = self.values.dtype.type(0)
        for j in range(min(self.values.shape[1], width)):
            x = self.values[t, j]
            score_term, spread_term = state.terms(j, x)
            score += score_term
            spread += spread_term
            squared_norm += x * x
        return score, spread, squared_norm, (self.values.shape[1] == width) & (squared_norm < np.inf)

    def sweep_lanes(self, t: int, state: State, width: int, scores: Any, spreads: Any) -> tuple[float, bool]:
        """Scores and spreads of all lanes; squared norm, soundness."""
        squared_norm = self.values.dtype.type(0)
        for j in range(self.values.shape[1]):
            squared_norm += self.values[t, j] * self.values[t, j]
        sound = (self.values.shape[1] == width) & (squared_norm < np.inf)
        add_lanes(self, t, np.uint64(width) * np.uint64(sound), state, scores, spreads)
        return squared_norm, sound

    def shift(self, t: int, state: State, step: Any) -> None:
        """Move the state by `step` along row `t`, which is sound."""
        for j in range(self.values.shape[1]):
            state.move(j, self.values[t, j], step)

    def shift_lane(self, t: int, state: State, step: Any, side: float, lane: int, lanes: int) -> None:
        """Move one lane by `step` along row `t`, or against it if `side` is -1."""
        for j in range(self.values.shape[1]):
            state.move(j * lanes + lane, like(side, self.values[t, j]) * self.values[t, j], step)

    def size(self, t: int) -> int:  # noqa: ARG002
        """How many entries a row has: one a feature."""
        return self.values.shape[1]

    def between(self, first: int, last: int) -> "DenseRows":
        """The rows from `first` up to `last`."""
        return DenseRows(self.values[first:last])

    def entry(self, t: int, k: int) -> tuple[int, float]:
        """The feature and the value of entry `k` of row `t`, which is sound."""
        return k, self.values[t, k]


AnyRows = SparseRows | DenseRows


@inlined
def add_lanes(rows: Any, t: int, size: Any, state: Any, scores: Any, spreads: Any) -> None:
    """Fill in what `size` entries of row `t` say in each lane; `spreads` has no room if the rule has none."""
    zero = sixteen(scores.dtype.type(0))
    lanes = scores.shape[0]
    for lane in blocks(lanes, zero):
        mask = first_lanes(lanes - lane, zero)
        score, spread = sums(zero, mask, np.uint64(lane), np.uint64(lanes), rows, t, size, state)
        scores[only(at(lane, zero), mask)] = score
        if spreads.shape[0] > 0:
            spreads[only(at(lane, zero), mask)] = spread


@inlined
def sums(zero: Any, mask: Any, lane: Any, lanes: Any, rows: Any, t: int, size: Any, state: Any) -> Any:
    """Score and spread of row `t` in as many lanes as `zero` has, from `lane` on, where the mask holds."""
    score = spread = zero
    for k in range(size):
        j, x = rows.entry(t, k)
        score_term, spread_term = state.terms(only(at(np.uint64(j) * lanes + lane, zero), mask), x)
        score += score_term
        spread += spread_term
    return score, spread


@inlined
def move_lanes(rows: Any, t: int, size: int, state: Any, steps: Any) -> None:
    """Move every lane by a step of its own along `size` entries of row `t`, which is sound."""
    lanes, zero = steps.shape[0], sixteen(steps.dtype.type(0))
    for lane in blocks(lanes, zero):
        mask = first_lanes(lanes - lane, zero)
        step = steps[only(at(lane, zero), mask)]
        for k in range(size):
            j, x = rows.entry(t, k)
            state.move(only(at(np.uint64(j) * np.uint64(lanes) + np.uint64(lane), zero), mask), x, step)
