"""Targets on a running scale, so that rules need not know in which unit a target is measured.

With the mean m and the standard deviation s of the labels so far, a rule sees the residual in units of s, and its
step along the row is multiplied by s. The weights are in the unit of the target itself, so that nothing has to be
adjusted when s changes: predictions are m + w·x. The first label becomes the mean, and its residual is 0.

For rules with a spread, whose questions depend on it, a label that was asked for with probability π has the weight
c/π, where c makes the mean weight of recent labels 1: otherwise weights would fit the rows that were asked about,
instead of the stream. A label of weight k is one of a row that is √k times as long, with a target √k times as far.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance._util.parameters import Constraints
from askance.jit.interop import stretched
from askance.jit.select import maximum, minimum, where
from askance.rules.rows import Seen
from askance.rules.update.rule import About, about, form_of

# Labels, their mean, their squared deviations, the mean of recent 1/π; only in a form, unit, weight and 1/π.
COUNT, MEAN, SQUARES, INVERSE, UNIT, WEIGHT, CURRENT = range(7)
LEAST = 1e-300  # a budget may rule a question out; the weight of its label is not used then
RECENT = 20.0  # labels in the mean of 1/π, which changes with the state of the budget


class TargetState(NamedTuple):
    """The state of a rule; count, mean and squared deviations of the labels so far, and recent probabilities."""

    inner: Any
    targets: NDArray[np.float64]

    @property
    def weights(self) -> NDArray[Any]:
        """The weights of the inner state, in units of the target."""
        weights: NDArray[Any] = self.inner.weights
        return weights

    def form(self) -> "TargetForm":
        """Return the form around that of the inner state."""
        return TargetForm(form_of(self.inner), np.zeros(7))

    def moved_to(self, wider: "TargetState") -> "TargetState":
        """Return the wider state with what this one has learned."""
        for old, new in zip(self.inner, wider.inner, strict=True):
            new[tuple(map(slice, old.shape))] = old
        wider.targets[:] = self.targets
        return wider

    def check(self) -> None:
        """Raise ValueError if no labels can lead to these numbers."""
        if (self.targets[[COUNT, SQUARES, INVERSE]] < 0).any():
            raise ValueError("targets with a negative number of labels or a negative variance")


class TargetForm(NamedTuple):
    """The form `inner`, with scores in units of the target. `current` is about the current row."""

    inner: Any
    current: NDArray[np.float64]

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Return the mean of the labels plus the score of the inner form."""
        score, spread, squared_norm, prediction, sound = self.inner.look(state.inner, rows, t, width, at_zero)
        for place in range(4):
            self.current[place] = state.targets[place]
        return state.targets[MEAN] + score, spread, squared_norm, prediction, sound

    def sample(self, state: Any, seen: Seen, coin: float, at_zero: float) -> tuple[Seen, float]:
        """As the inner form."""
        return self.inner.sample(state.inner, seen, coin, at_zero)

    def write_score(self, state: Any, score: float, scores: Any, t: int) -> None:
        """As the inner form."""
        self.inner.write_score(state.inner, score, scores, t)

    def as_binary(self, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:
        """Return score and label as deviations from the mean in units of the standard deviation, weighted."""
        n, mean = self.current[COUNT], self.current[MEAN]
        deviation = where(n > 0, label - mean, 0.0)
        # The variance with this label, so that there is one from the second label on.
        variance = (self.current[SQUARES] + deviation * deviation * n / (n + 1.0)) / (n + 1.0)
        unit = where(variance > 0.0, math.sqrt(variance), 1.0)
        inverse = 1.0 / maximum(probability, LEAST)
        mean_inverse = self.current[INVERSE] + (inverse - self.current[INVERSE]) / minimum(n + 1.0, RECENT)
        weight = where(seen.spread > 0.0, inverse / mean_inverse, 1.0)
        length = math.sqrt(weight) / unit
        self.current[UNIT], self.current[WEIGHT], self.current[CURRENT] = unit, weight, inverse
        score, spread, squared_norm, prediction, mistakes, longest, n_labels, n_positives, eligible = seen
        score, spread, squared_norm = (score - mean) * length, spread * weight, squared_norm * weight
        seen = Seen(score, spread, squared_norm, prediction, mistakes, longest, n_labels, n_positives, eligible)
        return self.inner.as_binary(seen, deviation * length, probability)

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Take the step, in the unit of the target and along the row as it is."""
        weight = self.current[WEIGHT]
        self.inner.learn(state.inner, rows, t, stretched(step, self.current[UNIT] * math.sqrt(weight), weight))

    def record_label(self, state: Any, rows: Any, t: int, label: float) -> None:
        """Update mean and squared deviations by Welford's formulas."""
        n = state.targets[COUNT] + 1.0
        deviation = label - state.targets[MEAN]
        state.targets[COUNT] = n
        state.targets[MEAN] += deviation / n
        state.targets[SQUARES] += deviation * deviation * (n - 1.0) / n
        state.targets[INVERSE] += (self.current[CURRENT] - state.targets[INVERSE]) / minimum(n, RECENT)
        self.inner.record_label(state.inner, rows, t, label)


class ScaledTarget(NamedTuple):
    """The rule `inner` for targets in any unit."""

    inner: Any

    def start(self, width: int, dtype: DTypeLike) -> TargetState:
        """Return the state of the inner rule, without labels."""
        return TargetState(self.inner.start(width, dtype), np.zeros(4))

    def step(self, seen: Seen, label: float) -> tuple[bool, Any]:
        """As the inner rule: the form has changed the unit."""
        return self.inner.step(seen, label)

    def weighted(self, weight: float) -> "ScaledTarget":
        """Return the same around the weighted inner rule."""
        return ScaledTarget(self.inner.weighted(weight))

    def constraints(self) -> Constraints:
        """It has no hyper-parameters of its own."""
        return {}

    def check(self) -> None:
        """Raise TypeError or ValueError if the inner rule cannot be used."""
        if hasattr(self.inner, "check"):
            self.inner.check()

    def about(self) -> About:
        """As the inner rule."""
        return about(self.inner)
