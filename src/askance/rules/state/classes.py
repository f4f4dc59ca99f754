"""One score a class: the classes of a multiclass learner side by side, feature by feature."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance.jit.interop import inlined
from askance.rules.rows import Seen
from askance.rules.state.form import with_defaults


@with_defaults
class Classes(NamedTuple):
    """A lane a class. The prediction is the class of the largest score, the first of them if there are several.

    p is the lead of the prediction over the second best class; v is the prediction's spread and the largest other one. A
    label y is learned against its rival, the best class r ≠ y: what the update rule sees is the margin s_y - s_r
    and the length of a step that moves two lanes, 2 x·x, as if the label were +1; lane y then moves along the row
    and lane r against it. The arrays are of the row in hand.
    """

    scores: NDArray[Any]
    spreads: NDArray[Any]  # empty if the rule has no spread
    places: NDArray[np.int64]  # of the second best class, of the label and of its rival

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:  # noqa: ARG002
        """The lead of the best class."""
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
        """The score of every class."""
        for lane in range(self.scores.shape[0]):
            scores[t, lane] = self.scores[lane]

    def as_binary(self, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:  # noqa: ARG002
        """The label against its rival: the prediction, or the second best if the prediction is right."""
        right = seen.prediction == label
        y = int(label)
        rival = self.places[0] if right else int(seen.prediction)
        self.places[1], self.places[2] = y, rival
        # Where there is but one class, there is nothing to learn.
        alone = np.inf if y == rival else 0.0
        margin = self.scores[y] - self.scores[rival] + alone
        double = seen.squared_norm + seen.squared_norm
        prediction = 1.0 if right else -1.0
        past = seen.mistakes, seen.max_squared_norm, seen.n_labels, seen.n_positives, seen.eligible
        return Seen(margin, seen.spread, double, prediction, *past), 1.0

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move the label's lane along the row and the rival's against it."""
        lanes = self.scores.shape[0]
        rows.shift_lane(t, state, step, 1.0, self.places[1], lanes)
        rows.shift_lane(t, state, step, -1.0, self.places[2], lanes)


def form_for_classes(count: int, dtype: DTypeLike, *, has_spread: bool) -> Classes:
    """The form for so many classes."""
    return Classes(np.zeros(count, dtype), np.zeros(count * has_spread, dtype), np.zeros(3, np.int64))


@inlined
def best_two(values: Any) -> tuple[int, int]:
    """The places of the largest value and of the next, each the first of several; a value alone is both."""
    best, second = 0, min(1, values.shape[0] - 1)
    if values[second] > values[best]:
        best, second = second, best
    for place in range(2, values.shape[0]):
        if values[place] > values[second]:
            second = place
            if values[place] > values[best]:
                best, second = place, best
    return best, second
