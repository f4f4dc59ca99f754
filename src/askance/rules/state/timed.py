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
from askance.jit.select import sign, where
from askance.rules.state.form import with_defaults

# Where clocks are reset: single precision counts exactly up to 2²⁴.
LATEST = 2.0**22
LABELS, CUTS = range(2)


class TimedState(Protocol):
    """A `State` that changes with every label."""

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
        rows.shift(t, state, step)

    def record_label(self, state: Any, rows: Any, t: int, label: float) -> None:  # noqa: ARG002
        """Count the label."""
        state.tick()


@inlined
def shrunk(value: Any, amount: Any) -> Any:
    """Return the value, closer to 0 by the amount, and 0 at least."""
    return where(value > amount, value - amount, where(value < -amount, value + amount, value - value))


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
        return after_cuts(self, j) * x, self.pairs.dtype.type(0)

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

    def move(self, j: int, x: float, step: float) -> None:
        """w_j ← w_j + τ x_j."""
        occurs = x != 0  # otherwise dense and sparse rows would differ in the last bits
        self.pairs[j, 0] = where(occurs, after_cuts(self, j) + step * x, self.pairs[j, 0])
        self.pairs[j, 1] = where(occurs, like(self.clock[CUTS], x), self.pairs[j, 1])

    def tick(self) -> None:
        """Cut after every `every` labels."""
        self.clock[LABELS] += 1.0
        if self.clock[LABELS] >= self.every:
            self.clock[LABELS] = 0.0
            self.clock[CUTS] += 1.0
        if self.clock[CUTS] >= LATEST:
            for j in range(self.pairs.shape[0]):
                self.pairs[j, 0] = after_cuts(self, j)
                self.pairs[j, 1] = 0.0
            self.clock[CUTS] = 0.0


@inlined
def after_cuts(state: Any, j: int) -> Any:
    """w_j, after all cuts so far."""
    weight = state.pairs[j, 0]
    cuts = like(state.clock[CUTS], weight) - state.pairs[j, 1]
    return where(abs(weight) <= state.theta, shrunk(weight, cuts * state.amount), weight)


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
        return after_labels(self, j) * x, x * x / (self.delta + self.numbers[j, 1])

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

    def move(self, j: int, x: float, step: float) -> None:
        """s_j ← √(s_j² + g_j²), then w_j ← w_j - η g_j / H_j."""
        occurs = x != 0  # otherwise dense and sparse rows would differ in the last bits
        weight, gradient = after_labels(self, j), step * x
        self.numbers[j, 1] = math.sqrt(self.numbers[j, 1] * self.numbers[j, 1] + gradient * gradient)
        moved = weight + self.eta * gradient / (self.delta + self.numbers[j, 1])
        self.numbers[j, 0] = where(occurs, moved, self.numbers[j, 0])
        self.numbers[j, 2] = where(occurs, like(self.clock[0], x), self.numbers[j, 2])

    def tick(self) -> None:
        """Count a label."""
        self.clock[0] += 1.0
        if self.clock[0] >= LATEST:
            for j in range(self.numbers.shape[0]):
                self.numbers[j, 0] = after_labels(self, j)
                self.numbers[j, 2] = 0.0
            self.clock[0] = 0.0


@inlined
def after_labels(state: Any, j: int) -> Any:
    """w_j, after all labels so far."""
    weight = state.numbers[j, 0]
    labels = like(state.clock[0], weight) - state.numbers[j, 2]
    return shrunk(weight, labels * (state.eta * state.l1 / (state.delta + state.numbers[j, 1])))


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
        return average(self, j) * x, x * x / (self.delta + self.pairs[j, 1])

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

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
    total = state.pairs[j, 0]
    return state.eta * shrunk(total, like(state.clock[1], total)) / (state.delta + state.pairs[j, 1])


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
