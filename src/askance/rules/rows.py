"""Rows, sparse or dense, and the loops over their features.

Rules and states define what happens to one feature; the classes of rows here loop over the features. Compiled code
calls the methods by way of `jit.interop.expose`.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined, like, prefetch
from askance.jit.simd.vector import at, blocks, first_lanes, only, sixteen


class Row(NamedTuple):
    """One sparse row for `ask` and `tell`.

    Parameters
    ----------
    indices : ndarray of int
        The column numbers, strictly increasing.
    values : ndarray of float
        The values in these columns.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import Row
    >>> row = Row(np.array([2, 7]), np.array([1.0, -0.5]))
    """

    indices: NDArray[Any]
    values: NDArray[Any]


class Seen(NamedTuple):
    """What a rule knows about a row before its label, and about the past.

    For two classes, p is the score, and the prediction is its sign. For more classes, an update rule sees the
    label against its strongest rival, as if there were two classes, and a query rule sees the lead of the best
    class.

    Parameters
    ----------
    score : float
        p.
    spread : float
        v, how little is known about the row: xᵀΣx for second-order rules. Rules without a spread have 0, or a
        number that all features share, such as ‖w‖² for ROMMA.
    squared_norm : float
        x·x.
    prediction : float
        +1 or -1, or the number of a class.
    mistakes : int
        The number of mistakes that labels have revealed so far.
    max_squared_norm : float
        The largest x·x among the rows of these mistakes.
    n_labels : int, default=0
        The number of labels so far, whether asked for or not.
    n_positives : int, default=0
        How many of these labels were positive.
    eligible : float, default=1.0
        1 if the label can be asked for; 0 if a budget or the caller rules it out, whatever the query rule returns.
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
    """What an update rule has learned: a named tuple of arrays with these methods.

    This protocol is for states with a few numbers per feature, whose score is computed from a sum over features
    (the form `Linear`). Other states have a method `form`; see `askance.rules.state.form.Form`. The methods run in
    compiled code and must not branch on numbers.
    """

    def terms(self, j: Any, x: float) -> tuple[float, float]:
        """Return what feature `j` with value `x` adds to the score and to the spread."""

    def margin(self, total: float, spread: float) -> float:
        """Return the score, given the sums of the terms."""

    def move(self, j: Any, x: float, step: Any) -> None:
        """Change the numbers of feature `j`, which has value `x`, by a step of the update rule."""


# The results of `check`. NaN and infinity are detected by `not … < inf`, because isfinite is compiled as x - x,
# which relaxed arithmetic may replace by 0.
SOUND, TORN, UNSORTED, TOO_WIDE, NOT_FINITE = range(5)

# How many entries ahead of the current row to prefetch. The processor's own prefetcher stops at the end of each
# page, so that a pass would wait at every page. Of the values tried, these were the fastest.
SPARSE_AHEAD, DENSE_AHEAD = np.uint64(384), np.uint64(1024)


class Rows(Protocol):
    """Several rows, and the loops over their features. A row is sound if it is well-formed and finite."""

    def check(self, first: int, last: int, width: int) -> tuple[int, int]:
        """Return the error of the first bad row among `first` to `last` - 1, and its number; else SOUND and 0."""

    def sweep(self, t: int, state: State, width: int) -> tuple[float, float, float, bool]:
        """Return score, spread and squared norm of row `t`, and whether it is sound; if not, they are undefined.

        The squared norm is finite if and only if every value of the row is, which is how values are checked.
        """

    def sweep_lanes(self, t: int, state: State, width: int, scores: Any, spreads: Any) -> tuple[float, bool]:
        """The same for a state with several lanes. Write their scores and spreads to the given arrays.

        Lane `i` has feature `j` at position j·lanes + i, so that one visit to a feature serves every lane.
        """

    def shift(self, t: int, state: State, step: Any) -> None:
        """Move the state by `step` along row `t`, which must be sound."""

    def shift_lane(self, t: int, state: State, step: Any, side: float, lane: int, lanes: int) -> None:
        """Move one lane by `step` along row `t`, or against it if `side` is -1."""

    def size(self, t: int) -> int:
        """Return the number of entries of row `t`, which must be sound."""

    def entry(self, t: int, k: int) -> tuple[int, float]:
        """Return feature and value of entry `k` of row `t`, which must be sound."""


class SparseRows(NamedTuple):
    """Compressed sparse rows: the entries of row `t` are at `starts[t]:starts[t + 1]`, features increasing."""

    # Unsigned, because a signed index is tested for being negative in every step.
    starts: NDArray[np.uint64]
    indices: NDArray[np.uint32]
    values: NDArray[Any]

    def check(self, first: int, last: int, width: int) -> tuple[int, int]:
        """Find the first row that is torn (bad `starts`), unsorted, wider than `width` or not finite."""
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
        """Return score, spread, squared norm and soundness. Indices are clipped, because they are not yet checked.

        There is one loop with one exit and no branch: with a second exit, the compiler would count references to
        the arrays in every row.
        """
        end = np.uint64(min(self.indices.shape[0], self.values.shape[0])) if width > 0 else np.uint64(0)
        stop = min(self.starts[t + 1], end)
        start = min(self.starts[t], stop)
        prefetch(self.indices, start + SPARSE_AHEAD, stop + SPARSE_AHEAD)
        prefetch(self.values, start + SPARSE_AHEAD, stop + SPARSE_AHEAD)
        sound = (start == self.starts[t]) & (stop == self.starts[t + 1])
        last = np.uint32(max(width, 1) - 1)
        score = spread = squared_norm = self.values.dtype.type(0)
        if start < stop:  # the first feature is separate, because every other is compared with the one before
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
        """Write scores and spreads of all lanes; return squared norm and soundness."""
        end = np.uint64(min(self.indices.shape[0], self.values.shape[0]))
        stop = min(self.starts[t + 1], end)
        start = min(self.starts[t], stop)
        prefetch(self.indices, start + SPARSE_AHEAD, stop + SPARSE_AHEAD)
        prefetch(self.values, start + SPARSE_AHEAD, stop + SPARSE_AHEAD)
        sound = (start == self.starts[t]) & (stop == self.starts[t + 1])
        squared_norm = self.values.dtype.type(0)
        beyond = np.uint64(0)  # the smallest valid next feature
        for k in range(start, stop):
            j, x = np.uint64(self.indices[k]), self.values[k]
            sound &= beyond <= j
            beyond = j + np.uint64(1)
            squared_norm += x * x
        sound &= (beyond <= width) & (squared_norm < np.inf)
        add_lanes(self, t, np.uint64(stop - start) * np.uint64(sound), state, scores, spreads)
        return squared_norm, sound

    def shift(self, t: int, state: State, step: Any) -> None:
        """Move the state by `step` along row `t`, which must be sound."""
        for k in range(self.starts[t], self.starts[t + 1]):
            state.move(self.indices[k], self.values[k], step)

    def shift_lane(self, t: int, state: State, step: Any, side: float, lane: int, lanes: int) -> None:
        """Move one lane by `step` along row `t`, or against it if `side` is -1."""
        for k in range(self.starts[t], self.starts[t + 1]):
            j = np.uint64(self.indices[k]) * np.uint64(lanes) + np.uint64(lane)
            state.move(j, like(side, self.values[k]) * self.values[k], step)

    def size(self, t: int) -> int:
        """Return the number of entries of row `t`, which must be sound."""
        return np.int64(self.starts[t + 1] - self.starts[t])  # type: ignore[return-value]

    def between(self, first: int, last: int) -> "SparseRows":
        """Return the rows `first` to `last` - 1."""
        return SparseRows(self.starts[first : last + 1], self.indices, self.values)

    def entry(self, t: int, k: int) -> tuple[int, float]:
        """Return feature and value of entry `k` of row `t`, which must be sound."""
        place = self.starts[t] + np.uint64(k)
        return self.indices[place], self.values[place]


class DenseRows(NamedTuple):
    """Rows with a value for every feature."""

    values: NDArray[Any]

    def check(self, first: int, last: int, width: int) -> tuple[int, int]:
        """Find the first row that is not finite; every row is too wide if the width differs from `width`."""
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
        """Return score, spread, squared norm and soundness."""
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
        """Write scores and spreads of all lanes; return squared norm and soundness."""
        squared_norm = self.values.dtype.type(0)
        for j in range(self.values.shape[1]):
            squared_norm += self.values[t, j] * self.values[t, j]
        sound = (self.values.shape[1] == width) & (squared_norm < np.inf)
        add_lanes(self, t, np.uint64(width) * np.uint64(sound), state, scores, spreads)
        return squared_norm, sound

    def shift(self, t: int, state: State, step: Any) -> None:
        """Move the state by `step` along row `t`, which must be sound."""
        for j in range(self.values.shape[1]):
            state.move(j, self.values[t, j], step)

    def shift_lane(self, t: int, state: State, step: Any, side: float, lane: int, lanes: int) -> None:
        """Move one lane by `step` along row `t`, or against it if `side` is -1."""
        for j in range(self.values.shape[1]):
            state.move(j * lanes + lane, like(side, self.values[t, j]) * self.values[t, j], step)

    def size(self, t: int) -> int:  # noqa: ARG002
        """Return the number of entries of a row: one per feature."""
        return self.values.shape[1]

    def between(self, first: int, last: int) -> "DenseRows":
        """Return the rows `first` to `last` - 1."""
        return DenseRows(self.values[first:last])

    def entry(self, t: int, k: int) -> tuple[int, float]:
        """Return feature and value of entry `k` of row `t`, which must be sound."""
        return k, self.values[t, k]


AnyRows = SparseRows | DenseRows


@inlined
def add_lanes(rows: Any, t: int, size: Any, state: Any, scores: Any, spreads: Any) -> None:
    """Write score and spread of each lane, over `size` entries of row `t`. `spreads` may be empty."""
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
    """Return score and spread of row `t` in the lanes from `lane` on, one per lane of `zero`, under the mask."""
    score = spread = zero
    for k in range(size):
        j, x = rows.entry(t, k)
        score_term, spread_term = state.terms(only(at(np.uint64(j) * lanes + lane, zero), mask), x)
        score += score_term
        spread += spread_term
    return score, spread


@inlined
def move_lanes(rows: Any, t: int, size: int, state: Any, steps: Any) -> None:
    """Move every lane by its own step along `size` entries of row `t`, which must be sound."""
    lanes, zero = steps.shape[0], sixteen(steps.dtype.type(0))
    for lane in blocks(lanes, zero):
        mask = first_lanes(lanes - lane, zero)
        step = steps[only(at(lane, zero), mask)]
        for k in range(size):
            j, x = rows.entry(t, k)
            state.move(only(at(np.uint64(j) * np.uint64(lanes) + np.uint64(lane), zero), mask), x, step)
