"""Banks: several learners of one kind, each with its own parameters, process one stream side by side.

Sixteen lanes share each visit to a feature: their weights are side by side, and one instruction serves several of
them. The rules are compiled from the same sources as for a single learner, with vectors instead of numbers. In
exact mode, each lane gives the same results as a single learner, to the last bit.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.engine.machine import bytes_of, copied
from askance.engine.passes import bind
from askance.jit.interop import COMPILING
from askance.jit.simd.lane_tuples import PerLane, per_lane
from askance.jit.simd.vector import LANES
from askance.rules.rows import DenseRows, SparseRows
from askance.rules.state.linear import Linear
from askance.rules.update.rule import form_of

# During a pass, counts have the precision of the scores, and single precision is exact only up to 2²⁴.
ROUNDS_AT_A_TIME = 1 << 20

# The fastest cache of common processors. For a smaller state, prefetching takes a seventh longer than it saves.
BYTES_OF_FASTEST_CACHE = 1 << 15


class Counts(NamedTuple):
    """Totals of each learner: labels asked for, updates, and wrong predictions by the class of the row."""

    asked: NDArray[np.int64]
    updated: NDArray[np.int64]
    missed: NDArray[np.int64]  # of positive rows
    alarms: NDArray[np.int64]  # of negative rows


class Tally(NamedTuple):
    """The same during a pass, and what `Seen` needs: mistakes that labels have revealed, and their largest x·x;
    labels so far, and how many of them were positive.
    """

    asked: NDArray[Any]
    updated: NDArray[Any]
    missed: NDArray[Any]
    alarms: NDArray[Any]
    mistakes: NDArray[Any]
    max_squared_norm: NDArray[Any]
    n_labels: NDArray[Any]
    n_positives: NDArray[Any]


def can_share(update: Any, query: Any) -> bool:
    """Return whether such learners can share a bank: scores are sums over features, and the memory is shared."""
    memory, state = query.start(), update.start(0, np.float64)
    shared = not memory or memory._fields == ("rounds",)
    linear = hasattr(state, "terms") and isinstance(form_of(state), Linear)
    return COMPILING and shared and linear and has_room_for_lanes(state)


def has_room_for_lanes(state: Any) -> bool:
    """Return whether vectors can address the arrays of a state: those of one number or two per feature."""
    arrays = [part for part in state if isinstance(part, np.ndarray)]
    return all(array.ndim == 1 or array.shape[1:] == (2,) for array in arrays)


def kind_of(update: Any, query: Any) -> tuple[Any, ...]:
    """Return what the lanes of a bank must have in common: the rules, and all parameters that are not floats."""
    # With their types, because named tuples without fields are all equal.
    parts = [(type(part), part) for rule in (update, query) for part in rule]
    fixed = [(kind, part) for kind, part in parts if not issubclass(kind, float | np.floating)]
    return type(update), type(query), *fixed


class Bank:
    """Up to sixteen learners of one kind, on one stream of rows, all of which must be sound."""

    def __init__(self, rules: Sequence[tuple[Any, Any]], width: int, dtype: np.dtype[Any], at_zero: float) -> None:
        updates, queries = ([*part, *[part[-1]] * (LANES - len(rules))] for part in zip(*rules, strict=True))
        self._lanes, self._dtype, self._at_zero = len(rules), dtype, at_zero
        self._counts = np.zeros((4, LANES), np.int64)
        self._tally = Tally(*np.zeros((len(Tally._fields), LANES), dtype))
        self._rules = per_lane(updates, dtype), per_lane(queries, dtype)
        self._memory = queries[0].start()
        self._state = _side_by_side(updates, width, dtype)

    def run(self, rows: SparseRows | DenseRows, labels: NDArray[Any], coins: NDArray[np.float64]) -> None:
        """Process more rows. `coins` has one number per round, or a row per round with one number per lane."""
        coins = _in_precision(coins, self._dtype)
        if coins.ndim == 2:
            coins = np.pad(coins, ((0, 0), (0, LANES - self._lanes)))
        for first in range(0, len(labels), ROUNDS_AT_A_TIME):
            part = slice(first, first + ROUNDS_AT_A_TIME)
            stream = rows.between(first, min(part.stop, len(labels))), labels[part], coins[part]
            is_large = bytes_of(self._state) > BYTES_OF_FASTEST_CACHE
            arguments = (*self._rules, self._memory, self._state, self._tally, *stream, self._at_zero, is_large)
            bind("bank", arguments, exact=self._dtype == np.float64)(*arguments)
            for counts, counted in zip(self._counts, self._tally, strict=False):
                counts += counted.astype(np.int64)
                counted[:] = 0

    def counts(self) -> Counts:
        """Return the totals of each learner so far, in the order in which they were given."""
        return Counts(*self._counts[:, : self._lanes])

    def weights(self) -> NDArray[Any]:
        """Return the weights, one row per learner."""
        return np.array([self._alone(lane).weights for lane in range(self._lanes)])

    def _alone(self, lane: int) -> Any:
        """Return the state of one lane."""
        state = self._state
        parts = (part.values[lane] if isinstance(part, PerLane) else part[lane::LANES] for part in state)
        return type(state)(*parts)


def _side_by_side(updates: Sequence[Any], width: int, dtype: np.dtype[Any]) -> Any:
    """Return the state of all lanes: arrays with room for every lane, and parameters per lane."""
    arrays = copied(updates[0].start(width * LANES, dtype))
    numbers = per_lane([update.start(0, dtype) for update in updates], dtype)
    parts = zip(arrays, numbers, strict=True)
    return type(arrays)(*(array if isinstance(array, np.ndarray) else number for array, number in parts))


def _in_precision(coins: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Round coins down to single precision: a coin rounded up to 1 would not be less than any probability."""
    rounded = coins.astype(dtype)
    return np.where(rounded > coins, np.nextafter(rounded, dtype.type(0)), rounded)
