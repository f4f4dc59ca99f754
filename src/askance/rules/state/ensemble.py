"""Several linear classifiers side by side, which learn from every label and speak with one voice."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance.jit.select import maximum, where
from askance.jit.simd.vector import LANES
from askance.rules.rows import Seen, move_lanes
from askance.rules.state.weights import Weights

# A question that a budget forbids has probability 0; what is made of it is never used.
LEAST = 1e-300


class EnsembleState(Protocol):
    """What a panel has learned. Of feature `j`, lane `i` has the coordinate j·lanes + i, as for many classes.

    There are as many lanes as fill whole vector registers, so that those of a feature lie in one line of the
    cache; lanes beyond the members never move.
    """

    def combine(self, scores: Any, at_zero: float) -> tuple[float, float]:
        """The score and the prediction of the panel, whose members have these scores."""

    def decision_value(self, score: float) -> float:
        """What `decision_function` shows of a score: positive if and only if the prediction is."""

    def sample_member(self, scores: Any, at_zero: float, coin: float) -> tuple[float, float, float]:
        """The same where a coin decides who speaks, and what is left of the coin."""

    def fill_steps(
        self, scores: Any, steps: Any, numbers: Any, step: Any, squared_norm: float, draws: Any, label_number: int
    ) -> bool:
        """Fill in how far each member moves along the row, and say whether any does."""

    def observe(self, scores: Any, places: Any, label: float, weight: float) -> None:
        """Note how each member stands, now that a label is known; it counts for `weight` rows."""


class ObservedState(Protocol):
    """What a measure has noted of each member of a panel."""

    def record(self, scores: Any, places: Any, members: int, label: float, weight: float) -> None:
        """Bring the values of the members up to date."""


class Ensemble(NamedTuple):
    """The form of such states. A step is the label and the pace; `pull` makes of them a step a lane.

    Of the row in hand: `scores` and `steps` of all lanes, and `kept`, its x·x and the weight of its label.
    `numbers` counts the lanes from 1, `places` is scratch. `draws` has a row of coins for each label of a call.
    """

    scores: NDArray[Any]
    steps: NDArray[Any]
    numbers: NDArray[Any]
    places: NDArray[Any]
    spreads: NDArray[Any]  # without room: there are none
    kept: NDArray[np.float64]
    draws: NDArray[np.float64]
    labels: NDArray[np.int64]  # of this call so far

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """The scores of all members, and what the panel makes of them."""
        squared_norm, sound = rows.sweep_lanes(t, Weights(state.weights), width, self.scores, self.spreads)
        self.kept[0] = squared_norm
        score, prediction = state.combine(self.scores, at_zero)
        return score, self.scores.dtype.type(0), squared_norm, prediction, sound

    def sample(self, state: Any, seen: Seen, coin: float, at_zero: float) -> tuple[Seen, float]:
        """What the member says on whom the coin falls."""
        score, prediction, left = state.sample_member(self.scores, at_zero, coin)
        past = seen.mistakes, seen.max_squared_norm, seen.n_labels, seen.n_positives, seen.eligible
        return Seen(score, seen.spread, seen.squared_norm, prediction, *past), left

    def write_score(self, state: Any, score: float, scores: Any, t: int) -> None:
        """The score of the panel."""
        scores[t, 0] = state.decision_value(score)

    def as_binary(self, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:
        """The row and its label as they are; a label asked for with probability π stands for 1/π rows."""
        self.kept[1] = 1.0 / maximum(probability, LEAST)
        return seen, label

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move every member that has a step to take."""
        norm, draw = self.kept[0], self.labels[0]
        moving = state.fill_steps(self.scores, self.steps, self.numbers, step, norm, self.draws, draw)
        # Not `if moving`: numba would count the references to every array, which takes longer than the rest.
        move_lanes(rows, t, where(moving, rows.size(t), 0), Weights(state.weights), self.steps)

    def record_label(self, state: Any, rows: Any, t: int, label: float) -> None:  # noqa: ARG002
        """Let the state observe the label beside the scores from before it was learned."""
        state.observe(self.scores, self.places, label, self.kept[1])
        self.labels[0] += 1


def lanes_for(members: int) -> int:
    """How many lanes so many members take."""
    return -(-members // LANES) * LANES


def form_for_ensemble(members: int, dtype: DTypeLike) -> Ensemble:
    """The form for so many members."""
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
