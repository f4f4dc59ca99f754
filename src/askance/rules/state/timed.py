"""The form and the states of rules with L1 regularization, whose weights shrink with every label.

A label shrinks all weights, but a round must cost no more than one pass over the non-zeros of its row. So a state
counts labels, and a weight is brought up to date when its feature occurs. Shrinking n times by an amount is
shrinking once by n times the amount, so that nothing is lost.
"""

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined, like
from askance.jit.pairs import alone, first, pair, second, side_by_side
from askance.jit.select import maximum, minimum, sign, where
from askance.rules.state.form import with_defaults

# Where clocks are reset: single precision counts exactly up to 2²⁴.
LATEST = 2.0**22
LABELS, CUTS = range(2)


class TimedState(Protocol):
    """A `State` that changes with every label."""

    def timed(self, step: Any) -> Any:
        """Return what `move` needs: the step, and what the clock says if it brings weights up to date.

        The clock is read once per row. In `move`, it would be read again after every change of a feature.
        """

    def tick(self) -> None:
        """Count a label, after the features of its row have moved."""


@with_defaults
class Timed(NamedTuple):
    """The form of a `TimedState`: the score is a sum over features, and every label is counted."""

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Return the sums over the features of the row, and the score that the state computes from them."""
        total, spread, squared_norm, sound = rows.sweep(t, state, width)
        score = state.margin(total, spread)
        return score, spread, squared_norm, sign(score, at_zero), sound

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move every feature of the row."""
        rows.shift(t, state, state.timed(step))

    def record_label(self, state: Any, rows: Any, t: int, label: float) -> None:  # noqa: ARG002
        """Count the label."""
        state.tick()


@inlined
def shrunk(value: Any, amount: Any) -> Any:
    """Return the value, closer to 0 by the amount, and 0 at least."""
    return value - maximum(minimum(value, amount), -amount)


def all_shrunk(values: NDArray[Any], amounts: Any) -> NDArray[Any]:
    """The same for arrays, outside of compiled code."""
    found: NDArray[Any] = np.sign(values) * np.maximum(np.abs(values) - amounts, 0)
    return found


class Truncated(NamedTuple):
    """The state of truncated gradient: each weight, and the number of cuts at which it was current.

    Each cut shrinks weights of at most θ by `amount`. `clock` has the labels since the last cut, and the cuts.
    """

    pairs: NDArray[Any]
    clock: NDArray[np.float64]
    amount: Any
    theta: Any
    every: int

    @property
    def weights(self) -> NDArray[Any]:
        """w."""
        weights = self.pairs[:, 0]
        cuts = self.pairs.dtype.type(self.clock[CUTS]) - self.pairs[:, 1]
        return np.where(np.abs(weights) <= self.theta, all_shrunk(weights, cuts * self.amount), weights)

    def form(self) -> Timed:
        """Weights shrink with every label."""
        return Timed()

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """w_j x_j, and no spread."""
        return after_cuts(self, j, cuts_of(self)) * x, self.pairs.dtype.type(0)

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

    def timed(self, step: Any) -> Any:
        """The step, and the number of cuts."""
        return step, cuts_of(self)

    def move(self, j: int, x: float, step: tuple[float, float]) -> None:
        """w_j ← w_j + τ x_j."""
        tau, cuts = step
        occurs = abs(x) > 0  # otherwise dense and sparse rows would differ in the last bits
        loaded = pair(self.pairs, j)
        self.pairs[j, 0] = where(occurs, after_cuts(self, j, cuts) + tau * x, first(loaded))
        self.pairs[j, 1] = where(occurs, cuts, second(loaded))

    def tick(self) -> None:
        """Cut after every `every` labels."""
        self.clock[LABELS] += 1.0
        if self.clock[LABELS] >= self.every:
            self.clock[LABELS] = 0.0
            self.clock[CUTS] += 1.0
        if self.clock[CUTS] >= LATEST:
            for j in range(self.pairs.shape[0]):
                self.pairs[j, 0] = after_cuts(self, j, cuts_of(self))
                self.pairs[j, 1] = 0.0
            self.clock[CUTS] = 0.0


@inlined
def cuts_of(state: Any) -> Any:
    """The number of cuts so far, in the precision of the weights."""
    return like(state.clock[CUTS], state.amount)


@inlined
def after_cuts(state: Any, j: int, cuts: Any) -> Any:
    """w_j, after this number of cuts."""
    loaded = pair(state.pairs, j)
    weight = first(loaded)
    return where(abs(weight) <= state.theta, shrunk(weight, (cuts - second(loaded)) * state.amount), weight)


class ShrunkDescent(NamedTuple):
    """The state of Ada-FOBOS: w_j, s_j, and the number of labels at which w_j was current; δ, η and λ.

    Each label shrinks w_j by η λ / (δ + s_j).
    """

    numbers: NDArray[Any]
    clock: NDArray[np.float64]
    delta: Any
    eta: Any
    l1: Any

    @property
    def weights(self) -> NDArray[Any]:
        """w."""
        labels = self.numbers.dtype.type(self.clock[0]) - self.numbers[:, 2]
        return all_shrunk(self.numbers[:, 0], labels * (self.eta * self.l1 / (self.delta + self.numbers[:, 1])))

    def form(self) -> Timed:
        """Weights shrink with every label."""
        return Timed()

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """w_j x_j and x_j² / H_j."""
        total = second(side_by_side(self.numbers, j, 0, 3))
        return after_labels(self, j, labels_of(self)) * x, x * x / (self.delta + total)

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

    def timed(self, step: Any) -> Any:
        """The step, and the number of labels."""
        return step, labels_of(self)

    def move(self, j: int, x: float, step: tuple[float, float]) -> None:
        """s_j ← √(s_j² + g_j²), then w_j ← w_j - η g_j / H_j."""
        tau, labels = step
        occurs = abs(x) > 0  # otherwise dense and sparse rows would differ in the last bits
        before = side_by_side(self.numbers, j, 0, 3)
        weight, gradient = after_labels(self, j, labels), tau * x
        total = math.sqrt(second(before) * second(before) + gradient * gradient)
        self.numbers[j, 0] = where(occurs, weight + self.eta * gradient / (self.delta + total), first(before))
        self.numbers[j, 1] = total
        self.numbers[j, 2] = where(occurs, labels, alone(self.numbers, j, 2, 3))

    def tick(self) -> None:
        """Count a label."""
        self.clock[0] += 1.0
        if self.clock[0] >= LATEST:
            for j in range(self.numbers.shape[0]):
                self.numbers[j, 0] = after_labels(self, j, labels_of(self))
                self.numbers[j, 2] = 0.0
            self.clock[0] = 0.0


@inlined
def labels_of(state: Any) -> Any:
    """The number of labels so far, in the precision of the weights."""
    return like(state.clock[0], state.l1)


@inlined
def after_labels(state: Any, j: int, labels: Any) -> Any:
    """w_j, after this number of labels."""
    loaded, passed = side_by_side(state.numbers, j, 0, 3), labels - alone(state.numbers, j, 2, 3)
    return shrunk(first(loaded), passed * (state.eta * state.l1 / (state.delta + second(loaded))))


class ShrunkAverage(NamedTuple):
    """The state of Ada-RDA: Σ -g_j and s_j of every feature; the number t of labels, and λ t; δ, η and λ."""

    pairs: NDArray[Any]
    clock: NDArray[np.float64]
    delta: Any
    eta: Any
    l1: float

    @property
    def weights(self) -> NDArray[Any]:
        """w."""
        far = all_shrunk(self.pairs[:, 0], self.pairs.dtype.type(self.clock[1]))
        found: NDArray[Any] = self.eta * far / (self.delta + self.pairs[:, 1])
        return found

    def form(self) -> Timed:
        """Weights shrink with every label."""
        return Timed()

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """w_j x_j and x_j² / H_j."""
        return average(self, j) * x, x * x / (self.delta + second(pair(self.pairs, j)))

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

    def timed(self, step: Any) -> Any:
        """The step alone."""
        return step

    def move(self, j: int, x: float, step: float) -> None:
        """Add to the sum and to s_j."""
        gradient = step * x
        self.pairs[j, 0] += gradient
        self.pairs[j, 1] = math.sqrt(self.pairs[j, 1] * self.pairs[j, 1] + gradient * gradient)

    def tick(self) -> None:
        """Count a label."""
        self.clock[0] += 1.0
        self.clock[1] = self.clock[0] * self.l1


@inlined
def average(state: Any, j: int) -> Any:
    """w_j."""
    loaded = pair(state.pairs, j)
    total = first(loaded)
    return state.eta * shrunk(total, like(state.clock[1], total)) / (state.delta + second(loaded))


class DualAverage(NamedTuple):
    """The state of RDA: Σ -g_j of every feature; t, λ t + γ ρ √t and 1/(γ √t); λ, γ and ρ."""

    total: NDArray[Any]
    clock: NDArray[np.float64]
    l1: float
    gamma: float
    rho: float

    @property
    def weights(self) -> NDArray[Any]:
        """w."""
        far = all_shrunk(self.total, self.total.dtype.type(self.clock[1]))
        return far * self.total.dtype.type(self.clock[2])

    def form(self) -> Timed:
        """Weights shrink with every label."""
        return Timed()

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """w_j x_j γ √t, and no spread."""
        return beyond_threshold(self, j) * x, self.total.dtype.type(0)

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total * like(self.clock[2], total)

    def timed(self, step: Any) -> Any:
        """The step alone."""
        return step

    def move(self, j: int, x: float, step: float) -> None:
        """Add to the sum."""
        self.total[j] += step * x

    def tick(self) -> None:
        """Count a label."""
        self.clock[0] += 1.0
        root = math.sqrt(self.clock[0])
        self.clock[1] = self.l1 * self.clock[0] + self.gamma * self.rho * root
        self.clock[2] = 1.0 / (self.gamma * root)


@inlined
def beyond_threshold(state: Any, j: int) -> Any:
    """w_j γ √t."""
    return shrunk(state.total[j], like(state.clock[1], state.total[j]))
