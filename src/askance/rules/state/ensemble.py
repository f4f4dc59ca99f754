"""The form of several linear classifiers with one common prediction. All of them learn from every label."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance.jit.select import maximum, where
from askance.jit.simd.vector import LANES
from askance.rules.rows import Seen, move_lanes
from askance.rules.state.weights import Weights

# The probability of a question may be 0 if a budget rules it out; the weight of its label is not used then.
LEAST = 1e-300


class EnsembleState(Protocol):
    """What an ensemble has learned. Lane `i` has feature `j` at position j·lanes + i, as for many classes.

    The number of lanes is rounded up to whole vector registers, so that the lanes of a feature are in one cache
    line. Lanes beyond the members never move.
    """

    def combine(self, scores: Any, at_zero: float) -> tuple[float, float]:
        """Return score and prediction of the ensemble, given the scores of its members."""

    def decision_value(self, score: float) -> float:
        """Return what `decision_function` shows for a score: positive if and only if the prediction is."""

    def sample_member(self, scores: Any, at_zero: float, coin: float) -> tuple[float, float, float]:
        """Return score and prediction of the member that the coin selects, and the rest of the coin."""

    def fill_steps(
        self, scores: Any, steps: Any, numbers: Any, step: Any, squared_norm: float, draws: Any, label_number: int
    ) -> bool:
        """Write how far each member moves along the row, and return whether any member moves."""

    def observe(self, scores: Any, places: Any, label: float, weight: float) -> None:
        """Update the measures of all members with a label, which counts as `weight` rows."""


class ObservedState(Protocol):
    """The statistics of a measure, for each member of an ensemble."""

    def record(self, scores: Any, places: Any, members: int, label: float, weight: float) -> None:
        """Update the values of the members."""


class Ensemble(NamedTuple):
    """The form of an `EnsembleState`. A step is (label, learning rate); `fill_steps` turns it into one per lane.

    `scores` and `steps` of all lanes, and `kept`, with x·x and the weight of the label, are about the current row.
    `numbers` has the numbers of the lanes from 1 on, `places` is scratch, and `draws` has a row of coins for each
    label of a call.
    """

    scores: NDArray[Any]
    steps: NDArray[Any]
    numbers: NDArray[Any]
    places: NDArray[Any]
    spreads: NDArray[Any]  # empty: there are no spreads
    kept: NDArray[np.float64]
    draws: NDArray[np.float64]
    labels: NDArray[np.int64]  # the number of labels so far in this call

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Compute the scores of all members; return those of the ensemble."""
        squared_norm, sound = rows.sweep_lanes(t, Weights(state.weights), width, self.scores, self.spreads)
        self.kept[0] = squared_norm
        score, prediction = state.combine(self.scores, at_zero)
        return score, self.scores.dtype.type(0), squared_norm, prediction, sound

    def sample(self, state: Any, seen: Seen, coin: float, at_zero: float) -> tuple[Seen, float]:
        """Return the score and prediction of the member that the coin selects."""
        score, prediction, left = state.sample_member(self.scores, at_zero, coin)
        past = seen.mistakes, seen.max_squared_norm, seen.n_labels, seen.n_positives, seen.eligible
        return Seen(score, seen.spread, seen.squared_norm, prediction, *past), left

    def write_score(self, state: Any, score: float, scores: Any, t: int) -> None:
        """Write the score of the ensemble."""
        scores[t, 0] = state.decision_value(score)

    def as_binary(self, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:
        """Return row and label unchanged. A label that was asked for with probability π counts as 1/π rows."""
        self.kept[1] = 1.0 / maximum(probability, LEAST)
        return seen, label

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move every member by its own step."""
        norm, draw = self.kept[0], self.labels[0]
        moving = state.fill_steps(self.scores, self.steps, self.numbers, step, norm, self.draws, draw)
        # Not `if moving`, because numba would count references to every array, which takes longer than the rest.
        move_lanes(rows, t, where(moving, rows.size(t), 0), Weights(state.weights), self.steps)

    def record_label(self, state: Any, rows: Any, t: int, label: float) -> None:  # noqa: ARG002
        """Update the measures with the label and the scores before it was learned."""
        state.observe(self.scores, self.places, label, self.kept[1])
        self.labels[0] += 1


def lanes_for(members: int) -> int:
    """Return the number of lanes for that many members."""
    return -(-members // LANES) * LANES


def form_for_ensemble(members: int, dtype: DTypeLike) -> Ensemble:
    """Return the form for that many members."""
    lanes = lanes_for(members)
    return Ensemble(
        np.zeros(lanes, dtype),
        np.zeros(lanes, dtype),
        np.arange(1, lanes + 1).astype(dtype),
        np.zeros(lanes, dtype),
        np.zeros(0, dtype),
        np.zeros(2),
        np.zeros((0, 0)),
        np.zeros(1, np.int64),
    )
