"""A form around any other form, which remembers the scores that the last labelled rows had before their label.

Nothing else changes: the passes are the same, and so are states and decisions.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined
from askance.rules.rows import Seen

REMEMBERED = 500  # labels: more would be of a learner that knew much less


class Recent(NamedTuple):
    """The last labels: the scores before each was learned, its number, and how many rows it stands for.

    Label number n of all labels is at position n mod REMEMBERED. There is a column of scores per class, or one for
    two classes.
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.float64]
    weights: NDArray[np.float64]
    n_labels: NDArray[np.int64]  # of all labels so far

    def filled(self) -> "Recent":
        """The part that has been filled."""
        stop = min(int(self.n_labels[0]), REMEMBERED)
        return Recent(self.scores[:stop], self.labels[:stop], self.weights[:stop], self.n_labels)

    def check(self, *, many: bool) -> None:
        """Raise ValueError if no stream can lead to these numbers."""
        _, labels, weights, _ = self.filled()
        codes = np.arange(self.scores.shape[1]) if many else [-1.0, 1.0]
        if not (np.isin(labels, codes).all() and (weights > 0).all()):
            raise ValueError("the scores of recent labels have labels or weights that cannot be")


class Recorded(NamedTuple):
    """The form `inner`, with a record of its scores. `current` and `probability` are about the current row."""

    inner: Any
    recent: Recent
    current: NDArray[np.float64]
    probability: NDArray[np.float64]

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Return what the inner form sees, and keep its scores."""
        score, spread, squared_norm, prediction, sound = self.inner.look(state, rows, t, width, at_zero)
        self.inner.write_score(state, score, self.current, 0)
        return score, spread, squared_norm, prediction, sound

    def sample(self, state: Any, seen: Seen, coin: float, at_zero: float) -> tuple[Seen, float]:
        """As the inner form."""
        return self.inner.sample(state, seen, coin, at_zero)

    def write_score(self, state: Any, score: float, scores: Any, t: int) -> None:
        """As the inner form."""
        self.inner.write_score(state, score, scores, t)

    def as_binary(self, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:
        """As the inner form. The probability is kept."""
        self.probability[0] = probability
        return self.inner.as_binary(seen, label, probability)

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """As the inner form."""
        self.inner.learn(state, rows, t, step)

    def record_label(self, state: Any, rows: Any, t: int, label: float) -> None:
        """Remember the scores that the row had, then do as the inner form."""
        remember_label(self.recent, self.current, label, self.probability[0])
        self.inner.record_label(state, rows, t, label)


@inlined
def remember_label(recent: Any, scores: Any, label: float, probability: float) -> None:
    """Record a row of scores and a label. If it was asked for with probability π, it stands for 1/π rows."""
    place = recent.n_labels[0] % REMEMBERED
    for lane in range(scores.shape[1]):
        recent.scores[place, lane] = scores[0, lane]
    recent.labels[place] = label
    recent.weights[place] = 1.0 / probability
    recent.n_labels[0] += 1


def nothing_recorded(lanes: int) -> Recent:
    """Return the record before the first label."""
    numbers = np.zeros(REMEMBERED), np.zeros(REMEMBERED)
    return Recent(np.zeros((REMEMBERED, lanes)), *numbers, np.zeros(1, np.int64))


def recorded(inner: Any, recent: Recent, lanes: int) -> Recorded:
    """Return the form with a record. New classes had scores of 0 in it."""
    missing = lanes - recent.scores.shape[1]
    if missing:
        recent = recent._replace(scores=np.pad(recent.scores, ((0, 0), (0, missing))))
    return Recorded(inner, recent, np.zeros((1, lanes)), np.zeros(1))
