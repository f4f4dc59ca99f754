"""The form of multiclass learners: one score per class, with the classes side by side for each feature."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance.jit.interop import inlined
from askance.rules.rows import Seen
from askance.rules.state.form import with_defaults


@with_defaults
class Classes(NamedTuple):
    """The form of a state with one lane per class.

    The prediction is the class with the largest score, the first of several. The score p is the lead of the
    prediction over the second best class. The spread v is that of the prediction plus the largest of the others.
    The label y is learned against its rival, the best class r ≠ y: the update rule sees the margin s_y - s_r, and
    the spread v_y + v_r and the squared norm 2 x·x of a step that moves two lanes, with the label +1. Lane y then
    moves along the row, and lane r against it. The arrays are about the current row.
    """

    scores: NDArray[Any]
    spreads: NDArray[Any]  # empty if the update rule has no spread
    places: NDArray[np.int64]  # the second best class, the label and its rival

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:  # noqa: ARG002
        """Return the lead of the best class."""
        squared_norm, sound = rows.sweep_lanes(t, state, width, self.scores, self.spreads)
        prediction, second = best_two(self.scores)
        self.places[0] = second
        spread = self.scores.dtype.type(0)
        if self.spreads.shape[0] > 0:
            widest, next_widest = best_two(self.spreads)
            spread += self.spreads[prediction] + self.spreads[next_widest if widest == prediction else widest]
        score = self.scores[prediction] - self.scores[second]
        return score, spread, squared_norm, float(prediction), sound

    def write_score(self, state: Any, score: float, scores: Any, t: int) -> None:  # noqa: ARG002
        """Write the score of every class."""
        for lane in range(self.scores.shape[0]):
            scores[t, lane] = self.scores[lane]

    def as_binary(self, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:  # noqa: ARG002
        """Return the label against its rival: the prediction, or the second best class if that is correct."""
        right = seen.prediction == label
        y = int(label)
        rival = self.places[0] if right else int(seen.prediction)
        self.places[1], self.places[2] = y, rival
        spread = seen.spread
        if self.spreads.shape[0] > 0:
            spread = self.spreads[y] + self.spreads[rival]
        # With only one class there is nothing to learn: no rule asks for a margin of this size.
        alone = 1e15 * (1.0 + spread) if y == rival else 0.0
        margin = self.scores[y] - self.scores[rival] + alone
        double = seen.squared_norm + seen.squared_norm
        prediction = 1.0 if right else -1.0
        past = seen.mistakes, seen.max_squared_norm, seen.n_labels, seen.n_positives, seen.eligible
        return Seen(margin, spread, double, prediction, *past), 1.0

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move the label's lane along the row and the rival's against it."""
        lanes = self.scores.shape[0]
        rows.shift_lane(t, state, step, 1.0, self.places[1], lanes)
        rows.shift_lane(t, state, step, -1.0, self.places[2], lanes)


def form_for_classes(count: int, dtype: DTypeLike, *, has_spread: bool) -> Classes:
    """Return the form for `count` classes."""
    return Classes(np.zeros(count, dtype), np.zeros(count * has_spread, dtype), np.zeros(3, np.int64))


@inlined
def best_two(values: Any) -> tuple[int, int]:
    """Return the positions of the two largest values, each the first of several; a single value is both."""
    best, second = 0, min(1, values.shape[0] - 1)
    if values[second] > values[best]:
        best, second = second, best
    for place in range(2, values.shape[0]):
        if values[place] > values[second]:
            second = place
            if values[place] > values[best]:
                best, second = place, best
    return best, second
