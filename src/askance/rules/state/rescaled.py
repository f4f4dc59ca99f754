"""The state and the form of rules that shrink or stretch all weights at once: w = scale · raw.

Such a step costs one pass over the non-zeros of the row, because only the scale changes for the other features.
"""

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance.jit.interop import inlined, like
from askance.jit.select import maximum, sign, where
from askance.rules.state.form import with_defaults

SCALE, TOTAL, STEPS = range(3)
# Outside of these limits, the scale is multiplied into the raw weights, which have few digits in single precision.
LEAST, MOST = 2.0**-40, 2.0**40


class SharedNumbers(Protocol):
    """A state whose features share numbers, of which the update rule sees one."""

    def shared(self) -> float:
        """Return what the update rule sees as `Seen.spread`."""

    def rescale(self, step: Any) -> Any:
        """Change what all features share, before the features of the row move; return how far these move."""

    def limit_norm(self, step: Any) -> None:
        """Bring the weights back to the largest norm that the step allows, after the features have moved."""


@with_defaults
class Rescaled(NamedTuple):
    """The form of `RescaledWeights`."""

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Return w·x, and what the update rule has to know about all features in place of a spread."""
        total, spread, squared_norm, sound = rows.sweep(t, state, width)
        score = state.margin(total, spread)
        return score, state.shared(), squared_norm, sign(score, at_zero), sound

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Rescale all weights, move those of the row, and limit their norm."""
        rows.shift(t, state, like(state.rescale(step), step[1]))
        state.limit_norm(step)


class RescaledWeights(NamedTuple):
    """w = scale · raw. A step is (c, τ, r): w ← c w + τ x, then w ← w · min(1, r / ‖w‖).

    `numbers` has the scale, Σ raw² and the number of steps that moved a weight. The update rule sees ‖w‖² as the
    spread, or the number of steps if `counting`.
    """

    raw: NDArray[Any]
    numbers: NDArray[np.float64]
    counting: bool

    @property
    def weights(self) -> NDArray[Any]:
        """w."""
        return self.raw * self.raw.dtype.type(self.numbers[SCALE])

    def form(self) -> Rescaled:
        """All features share the scale."""
        return Rescaled()

    def shared(self) -> float:
        """‖w‖², or the number of steps."""
        norm = self.numbers[TOTAL] * self.numbers[SCALE] * self.numbers[SCALE]
        return where(self.counting, self.numbers[STEPS], norm)

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """raw_j x_j, and no spread."""
        return self.raw[j] * x, self.raw.dtype.type(0)

    def margin(self, total: float, spread: float) -> float:  # noqa: ARG002
        """w·x."""
        return total * like(self.numbers[SCALE], total)

    def rescale(self, step: tuple[float, float, float]) -> float:
        """scale ← c · scale; return τ / scale."""
        shrink, tau, _radius = step
        self.numbers[SCALE] *= shrink
        self.numbers[STEPS] += where(tau != 0, 1.0, 0.0)
        if not LEAST <= abs(self.numbers[SCALE]) <= MOST:
            multiply_out(self)
        return tau / self.numbers[SCALE]

    def move(self, j: int, x: float, step: float) -> None:
        """raw_j ← raw_j + τ x_j / scale; update Σ raw²."""
        before = np.float64(self.raw[j])
        self.raw[j] += step * x
        # A single difference, so that it is exactly 0 if nothing has changed.
        self.numbers[TOTAL] += np.float64(self.raw[j]) * np.float64(self.raw[j]) - before * before

    def limit_norm(self, step: tuple[float, float, float]) -> None:
        """w ← w · min(1, r / ‖w‖)."""
        norm = abs(self.numbers[SCALE]) * math.sqrt(maximum(self.numbers[TOTAL], 0.0))
        if norm > step[2]:
            self.numbers[SCALE] *= step[2] / norm


@inlined
def multiply_out(state: Any) -> None:
    """Multiply the scale into the raw weights. This takes time in proportion to the number of features."""
    scale = state.numbers[SCALE]
    state.numbers[TOTAL] = 0.0
    for j in range(state.raw.shape[0]):
        state.raw[j] *= scale
        state.numbers[TOTAL] += np.float64(state.raw[j]) * np.float64(state.raw[j])
    state.numbers[SCALE] = 1.0


def rescaled_weights(width: int, dtype: DTypeLike, *, counting: bool = False) -> RescaledWeights:
    """Return the state w = 0."""
    return RescaledWeights(np.zeros(width, dtype), np.array([1.0, 0.0, 0.0]), counting)
