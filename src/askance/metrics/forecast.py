"""What more labels will bring, from plausible learning curves: an interval, without a guarantee.

A curve says the odds of a mistake after n labels: o · (r + (1-r) · (n/100)^-c). o are the odds after 100 labels, r
is the part that no label removes, and c says how fast the rest goes. Each curve of a grid is weighted by how
probable it makes the mistakes that were seen. Real models depart from smooth curves: their odds are those of a
curve times a factor whose logarithm has a normal distribution, the wider the more labels are to come.

The constants were chosen by true learning curves on half of the data sets. Decision 58 says how, and how often the
intervals held; `python -m bench.forecast` repeats the study.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from askance.metrics.estimates import Estimate
from askance.typing import FloatArray

LEVEL = 0.8
FEWEST_LABELS = 50
FEWEST_SEEN = 5.0  # rows at random that the evidence must be worth
MOST = 500  # more labels: as far as the intervals were checked
STEP = 10  # labels: the precision of the number of labels for a target
SKIPPED = 10  # labels of the beginning: the first models know next to nothing
GROWTH = 1.25  # of labels within a group of rows that count as predicted by one model

AT = 100  # labels
ODDS = np.geomspace(0.002, 20.0, 48)
FLOORS = np.linspace(0.0, 1.0, 11)
EXPONENTS = np.array([0.15, 0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0])
# Before any label, all o are equally probable. r has the density 1 - r, and flat curves (r = 1) are extra: a model
# that always predicts the frequent class hardly improves. c is about `USUAL`; SPREAD is that of its logarithm.
FLAT, USUAL, SPREAD = 1.0, 0.8, 0.7
DEPARTURE = 0.12  # the standard deviation of the logarithm of the factor now; e times as many labels double it
NEGLIGIBLE = 30.0  # a curve whose weight is e^30 times smaller than the largest one
FARTHEST, HALVINGS = 40.0, 45  # where quantiles of log-odds are searched, and how precisely


class LabelsNeeded(NamedTuple):
    """The number of labels that an accuracy still takes.

    Attributes
    ----------
    accuracy : float
        The accuracy to reach.
    value, low, high : int or None
        The number of labels and the limits of its interval, in tens; None for more than 500, or never. All are 0
        if the accuracy is reached.
    level : float
        The probability with which the interval contains the number.
    note : str
        Why nothing can be said, otherwise empty.
    """

    accuracy: float
    value: int | None
    low: int | None
    high: int | None
    level: float
    note: str = ""


class Forecast:
    """The accuracy of a model after more labels, from its predictions of rows whose label was asked for later.

    There is no guarantee: it takes learning curves like those of other data, and rows that stay alike.

    Parameters
    ----------
    labels : array-like of int
        For each prediction, the number of labels that the model had learned.
    wrong : array-like of bool
        Whether it was wrong.
    weights : array-like of float, default: None
        How many rows at random each is worth, see `weights_of_asked`. By default all rows are at random.
    known : int
        The number of labels so far.

    Attributes
    ----------
    known : int
        The number of labels so far.
    note : str
        Why there is no forecast, otherwise empty.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.metrics import Forecast
    >>> labels = np.arange(10, 300)
    >>> wrong = np.random.default_rng(0).random(290) < 2 * labels**-0.7
    >>> forecast = Forecast(labels, wrong, known=300)
    >>> now, later = forecast.accuracy(), forecast.accuracy(more=500)
    >>> bool(now.value < later.value and later.low < later.value < later.high)
    True
    """

    def __init__(
        self, labels: ArrayLike, wrong: ArrayLike, weights: ArrayLike | None = None, *, known: int
    ) -> None:
        labels, wrong = np.asarray(labels, np.int64), np.asarray(wrong, bool)
        sizes = np.ones(len(labels)) if weights is None else np.asarray(weights, np.float64)
        if not len(labels) == len(wrong) == len(sizes):
            lengths = f"{len(labels)}, {len(wrong)} and {len(sizes)}"
            raise ValueError(f"labels, wrong and weights must have the same length, not {lengths}")
        used = labels >= SKIPPED
        self.known = known
        self.note = _why_not(known, float(sizes[used].sum()))
        self._curves = _Curves(labels[used], wrong[used], sizes[used])

    def accuracy(self, more: int = 0, level: float = LEVEL) -> Estimate:
        """The accuracy after more labels, on rows like those so far.

        Parameters
        ----------
        more : int, default: 0
            The number of labels to come.
        level : float, default: 0.8
            The probability with which the interval contains the accuracy.

        Returns
        -------
        Estimate
            Without numbers if there are too few labels for a forecast.
        """
        _check(more, level)
        if self.note:
            return Estimate("accuracy", None, None, None, level, self.known, self.note)
        later = self._curves.after(self.known, more)
        low, value, high = (later.accuracy(probability) for probability in _tails(level))
        return Estimate("accuracy", value, low, high, level, self.known)

    def gain(self, more: int, level: float = LEVEL) -> Estimate:
        """How much the accuracy will grow with more labels.

        Parameters
        ----------
        more : int
            The number of labels to come.
        level : float, default: 0.8
            The probability with which the interval contains the difference.

        Returns
        -------
        Estimate
            The difference to the current accuracy, which is negative if the model becomes worse. Without numbers
            if there are too few labels for a forecast.
        """
        _check(more, level)
        if self.note:
            return Estimate("gain", None, None, None, level, self.known, self.note)
        later = self._curves.after(self.known, more)
        low, value, high = (later.gain(probability) for probability in _tails(level))
        return Estimate("gain", value, low, high, level, self.known)

    def labels_for(self, accuracy: float, level: float = LEVEL) -> LabelsNeeded:
        """How many more labels an accuracy takes.

        Parameters
        ----------
        accuracy : float
            The accuracy to reach.
        level : float, default: 0.8
            The probability with which the interval contains the number.

        Returns
        -------
        LabelsNeeded
            The number of labels with its limits.

        Raises
        ------
        ValueError
            If the accuracy or the level is not between 0 and 1.
        """
        _check(0, level)
        if not 0 < accuracy < 1:
            raise ValueError(f"accuracy must be between 0 and 1, not {accuracy}")
        if self.note:
            return LabelsNeeded(accuracy, None, None, None, level, self.note)
        steps = range(0, MOST + 1, STEP)
        reached = [self._curves.after(self.known, more).reaches(accuracy) for more in steps]
        low, value, high = (
            next((more for more, chance in zip(steps, reached, strict=True) if chance >= probability), None)
            for probability in _tails(level)
        )
        return LabelsNeeded(accuracy, value, low, high, level)

    def __repr__(self) -> str:
        if self.note:
            return f"<Forecast after {self.known:,} labels: {self.note}>"
        now, near, far = (self.accuracy(more) for more in (0, 100, 500))
        return f"<Forecast after {self.known:,} labels: accuracy {now}, with 100 more {near}, with 500 more {far}>"


def weights_of_asked(labels: ArrayLike, asked: ArrayLike, ask_probabilities: ArrayLike) -> FloatArray:
    """How many rows at random each asked row is worth, as the weights of a `Forecast`.

    Each asked row stands for 1/π rows, so that uncertain rows, which are asked about more often, do not count more
    than others. In groups of rows that met about the same model, all weights are multiplied by rows / Σ 1/π over
    all rows, asked or not: this makes their sum about as large as the number of rows at random that would be as
    precise.

    Parameters
    ----------
    labels : array-like of int of shape (n_rows,)
        For each row, the number of labels before it.
    asked : array-like of bool of shape (n_rows,)
        Whether its label was asked for.
    ask_probabilities : array-like of float of shape (n_rows,)
        The probability of asking.

    Returns
    -------
    ndarray
        The weights of the asked rows, in their order.
    """
    labels, asked = np.asarray(labels, np.int64), np.asarray(asked, bool)
    probabilities = np.asarray(ask_probabilities, np.float64)
    possible = probabilities > 0
    inverse = np.divide(1.0, probabilities, out=np.zeros(len(probabilities)), where=possible)
    groups = _groups(labels)
    rows, sums = np.bincount(groups, possible), np.bincount(groups, inverse)
    return np.asarray((inverse * (rows[groups] / np.maximum(sums[groups], 1.0)))[asked])


class _Curves:
    """The curves of the grid, weighted by what was seen."""

    def __init__(self, labels: NDArray[np.int64], wrong: NDArray[np.bool_], sizes: FloatArray) -> None:
        odds, floors, exponents = np.meshgrid(ODDS, FLOORS, EXPONENTS, indexing="ij")
        self.o, self.r, self.c = odds.ravel(), floors.ravel(), exponents.ravel()
        found = np.log(1 - self.r + FLAT * (self.r == 1)) - (np.log(self.c / USUAL) / SPREAD) ** 2 / 2
        groups = _groups(labels)
        for group in np.unique(groups):
            inside = groups == group
            total, mistakes = sizes[inside].sum(), sizes[inside & wrong].sum()
            if total > 0:
                log_odds = self.at(float(labels[inside] @ sizes[inside] / total))
                found += mistakes * log_odds - total * np.logaddexp(0.0, log_odds)
        kept = found > found.max() - NEGLIGIBLE
        self.o, self.r, self.c = self.o[kept], self.r[kept], self.c[kept]
        self.weights = special.softmax(found[kept])

    def at(self, labels: float) -> FloatArray:
        """The log-odds of a mistake after a number of labels."""
        return np.asarray(np.log(self.o * (self.r + (1 - self.r) * (labels / AT) ** -self.c)))

    def after(self, known: int, more: int) -> "_Later":
        """What they say of the model after more labels."""
        departure = DEPARTURE * (1 + math.log((known + more) / known))
        return _Later(self.weights, special.expit(self.at(known)), self.at(known + more), departure)


class _Later(NamedTuple):
    """The curves after more labels: weights, errors now, log-odds of mistakes later, and how models depart."""

    weights: FloatArray
    errors: FloatArray
    log_odds: FloatArray
    departure: float

    def reaches(self, accuracy: float) -> float:
        """The probability that the accuracy is at least this."""
        return self._at_most(float(special.logit(1 - accuracy)))

    def accuracy(self, probability: float) -> float:
        """A quantile of the accuracy."""
        found = _bisected(lambda odds: self._at_most(odds) > 1 - probability, -FARTHEST, FARTHEST)
        return float(special.expit(-found))

    def gain(self, probability: float) -> float:
        """A quantile of the difference to the current accuracy, which is that of the curve."""

        def is_too_large(gain: float) -> bool:
            left = special.logit(np.clip(self.errors - gain, 0.0, 1.0))
            return 1 - self._at_most(left) > probability

        return _bisected(is_too_large, -1.0, 1.0)

    def _at_most(self, log_odds: float | FloatArray) -> float:
        return float(self.weights @ special.ndtr((log_odds - self.log_odds) / self.departure))


def _bisected(is_too_large: Callable[[float], bool], low: float, high: float) -> float:
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_too_large(middle) else (middle, high)
    return low


def _groups(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which group of about the same number of labels each row is in."""
    return np.floor(np.log(np.maximum(labels, 1)) / math.log(GROWTH)).astype(np.int64)


def _tails(level: float) -> tuple[float, float, float]:
    """The probabilities of the lower limit, the median and the upper limit."""
    return (1 - level) / 2, 0.5, (1 + level) / 2


def _why_not(known: int, seen: float) -> str:
    """Why there is no forecast, or an empty string."""
    if known < FEWEST_LABELS:
        return f"Cannot tell yet: {known} labels are known, and it takes {FEWEST_LABELS}."
    if seen < FEWEST_SEEN:
        return "Cannot tell yet: too few of the labels are of rows at random."
    return ""


def _check(more: int, level: float) -> None:
    if more < 0:
        raise ValueError(f"more must be at least 0, not {more}")
    if not 0 < level < 1:
        raise ValueError(f"level must be a probability between 0 and 1, not {level}")
