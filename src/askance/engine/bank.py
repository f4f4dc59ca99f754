"""Banks: many learners of one kind, each with parameters of its own, go through one stream side by side.

Sixteen lanes share a visit to a feature: their weights stand side by side, and one instruction serves several of
them. The rules are compiled from the same sources as for one learner, with vectors for numbers; in exact mode each
lane does, to the last bit, what a learner alone does.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.engine.machine import copied
from askance.engine.passes import bind
from askance.jit.interop import COMPILING
from askance.jit.simd.lane_tuples import PerLane, per_lane
from askance.jit.simd.vector import LANES
from askance.rules.rows import DenseRows, SparseRows
from askance.rules.state.linear import Linear
from askance.rules.update.rule import form_of

# Counts are kept in the precision of the scores while a pass runs: single precision counts up to 2²⁴.
ROUNDS_AT_A_TIME = 1 << 20


class Counts(NamedTuple):
    """What each learner did: labels asked for, steps, and wrong guesses by the class of the row."""

    asked: NDArray[np.int64]
    updated: NDArray[np.int64]
    missed: NDArray[np.int64]  # positive rows
    alarms: NDArray[np.int64]  # negative rows


class Tally(NamedTuple):
    """The same while a pass runs; of the mistakes that labels have shown: how many, and their longest x·x; of the
    labels told: how many, and how many of them positive.
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
    """Whether such learners can be lanes: scores are sums over features, and no lane remembers for itself."""
    memory, state = query.start(), update.start(0, np.float64)
    shared = not memory or memory._fields == ("rounds",)
    return COMPILING and shared and hasattr(state, "terms") and isinstance(form_of(state), Linear)


def kind_of(update: Any, query: Any) -> tuple[Any, ...]:
    """What lanes of one bank have in common: the rules, and all parameters that are no fractions."""
    fixed = [part for rule in (update, query) for part in rule if not isinstance(part, float | np.floating)]
    return type(update), type(query), *fixed


class Bank:
    """Up to sixteen learners of one kind, on one stream of rows that are sound."""

    def __init__(self, rules: Sequence[tuple[Any, Any]], width: int, dtype: np.dtype[Any], at_zero: float) -> None:
        updates, queries = ([*part, *[part[-1]] * (LANES - len(rules))] for part in zip(*rules, strict=True))
        self._lanes, self._dtype, self._at_zero = len(rules), dtype, at_zero
        self._counts = np.zeros((4, LANES), np.int64)
        self._tally = Tally(*np.zeros((len(Tally._fields), LANES), dtype))
        self._rules = per_lane(updates, dtype), per_lane(queries, dtype)
        self._memory = queries[0].start()
        self._state = _side_by_side(updates, width, dtype)

    def run(self, rows: SparseRows | DenseRows, labels: NDArray[Any], coins: NDArray[np.float64]) -> None:
        """Go on through these rows. `coins` has one a round, or a row a round with one for each lane."""
        coins = _in_precision(coins, self._dtype)
        if coins.ndim == 2:
            coins = np.pad(coins, ((0, 0), (0, LANES - self._lanes)))
        for first in range(0, len(labels), ROUNDS_AT_A_TIME):
            part = slice(first, first + ROUNDS_AT_A_TIME)
            stream = rows.between(first, min(part.stop, len(labels))), labels[part], coins[part]
            arguments = (*self._rules, self._memory, self._state, self._tally, *stream, self._at_zero)
            bind("bank", arguments, exact=self._dtype == np.float64)(*arguments)
            for counts, counted in zip(self._counts, self._tally, strict=False):
                counts += counted.astype(np.int64)
                counted[:] = 0

    def counts(self) -> Counts:
        """What each learner has done so far, in the order in which they were given."""
        return Counts(*self._counts[:, : self._lanes])

    def weights(self) -> NDArray[Any]:
        """The weights, a row a learner."""
        return np.array([self._alone(lane).weights for lane in range(self._lanes)])

    def _alone(self, lane: int) -> Any:
        """The state of one lane."""
        state = self._state
        parts = (part.values[lane] if isinstance(part, PerLane) else part[lane::LANES] for part in state)
        return type(state)(*parts)


def _side_by_side(updates: Sequence[Any], width: int, dtype: np.dtype[Any]) -> Any:
    """The state of all lanes: arrays have room for each, and numbers that a rule gave it are those of each."""
    arrays = copied(updates[0].start(width * LANES, dtype))
    numbers = per_lane([update.start(0, dtype) for update in updates], dtype)
    parts = zip(arrays, numbers, strict=True)
    return type(arrays)(*(array if isinstance(array, np.ndarray) else number for array, number in parts))


def _in_precision(coins: NDArray[np.float64], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Coins in single precision are rounded down: one that becomes 1 would not be less than any probability."""
    rounded = coins.astype(dtype)
    return np.where(rounded > coins, np.nextafter(rounded, dtype.type(0)), rounded)
