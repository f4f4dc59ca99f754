"""The form and the states of rules with L1 regularization, whose weights shrink with every label.

A label shrinks all weights, but a round must cost no more than one pass over the non-zeros of its row. So a state
counts labels, and a weight is brought up to date when its feature occurs. Shrinking n times by an amount is
shrinking once by n times the amount, so that nothing is lost.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined, like
from askance.jit.pairs import first, pair, second
from askance.jit.select import maximum, minimum, sign, where
from askance.rules.state.form import with_defaults

# Where clocks are reset. Single precision counts cuts exactly up to 2²⁴. Ada-FOBOS adds to a weight what labels
# have shrunk it by: for up to 2¹⁶ labels, rounding the sum costs at most a 256th of what one label shrinks.
LATEST_CUT, LATEST_LABEL = 2.0**22, 2.0**16
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
        if self.clock[CUTS] >= LATEST_CUT:
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
    """The state of Ada-FOBOS: z_j and s_j of every feature; the number t of labels, and η λ t; δ, η and η λ.

    Each label shrinks w_j by η λ / H_j, and H_j = δ + s_j changes only when w_j moves. So z_j is w_j with what t
    labels shrink added, and w_j = S(z_j, η λ t / H_j) at any later t, without a third number for when that was.
    """

    pairs: NDArray[Any]
    clock: NDArray[np.float64]
    delta: Any
    eta: Any
    rate: float

    @property
    def weights(self) -> NDArray[Any]:
        """w."""
        shrinking = self.pairs.dtype.type(self.clock[1])
        return all_shrunk(self.pairs[:, 0], shrinking / (self.delta + self.pairs[:, 1]))

    def form(self) -> Timed:
        """Weights shrink with every label."""
        return Timed()

    def restored(self, found: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return the arrays of a model file; earlier ones have w_j, s_j, and the t at which w_j was current."""
        arrays = dict(found)
        if "state/numbers" in found:
            weights, totals, labels = arrays.pop("state/numbers").T
            added = np.sign(weights) * labels * (self.eta.dtype.type(self.rate) / (self.delta + totals))
            arrays["state/pairs"] = np.stack([weights + added, totals], axis=1)
            arrays["state/clock"] = found["state/clock"] * [1.0, self.rate]
        return arrays

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """w_j x_j and x_j² / H_j."""
        loaded = pair(self.pairs, j)
        scale = self.delta + second(loaded)
        return shrunk(first(loaded), shrinking_of(self) / scale) * x, x * x / scale

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total

    def timed(self, step: Any) -> Any:
        """The step, and η λ t."""
        return step, shrinking_of(self)

    def move(self, j: int, x: float, step: tuple[float, float]) -> None:
        """s_j ← √(s_j² + g_j²), then w_j ← w_j - η g_j / H_j."""
        tau, shrinking = step
        occurs = abs(x) > 0  # otherwise dense and sparse rows would differ in the last bits
        before, gradient = pair(self.pairs, j), tau * x
        total = math.sqrt(second(before) * second(before) + gradient * gradient)
        scale = self.delta + total
        weight = shrunk(first(before), shrinking / (self.delta + second(before))) + self.eta * gradient / scale
        far = weight + where(weight > 0, shrinking, -shrinking) / scale
        self.pairs[j, 0] = where(occurs, far, first(before))
        self.pairs[j, 1] = total

    def tick(self) -> None:
        """Count a label."""
        self.clock[0] += 1.0
        self.clock[1] = self.clock[0] * self.rate
        if self.clock[0] >= LATEST_LABEL:
            for j in range(self.pairs.shape[0]):
                self.pairs[j, 0] = shrunk(self.pairs[j, 0], shrinking_of(self) / (self.delta + self.pairs[j, 1]))
            self.clock[0] = self.clock[1] = 0.0


@inlined
def shrinking_of(state: Any) -> Any:
    """What a weight with H_j = 1 has been shrunk by so far, in the precision of the weights."""
    return like(state.clock[1], state.delta)


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
