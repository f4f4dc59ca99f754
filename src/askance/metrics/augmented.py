"""Estimates with helpers: what is known of every row makes the intervals of metrics narrower.

Let z be 1 if the prediction of a row is wrong, A = 1 if its label was asked for, with probability π, and f the
value of z that helpers let expect. Then Σ f + Σ A (z - f)/π estimates the number of mistakes (augmented
inverse-probability weighting). Its error is Σ (A/π - 1)(z - f), which is small where helpers are right. Its mean
is 0 even where they are wrong, because f does not depend on the coin of the row.

With z - f = 1 - f for mistakes and -f for other rows, both sums over asked rows are weighted counts. They get the
limits that counts have without helpers, where f is the same for all rows with the same prediction.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from askance.metrics.asked import AskedTally, Rows, checked
from askance.metrics.control import expected
from askance.metrics.estimates import ENOUGH, LEVEL, AskedEvidence, Estimate, of_mistakes
from askance.metrics.histograms import share
from askance.metrics.intervals import Range, SamePrediction, WeightedCount, all_of
from askance.metrics.measures import METRICS, Counts, measure
from askance.typing import BoolArray, FloatArray

PREVALENCE = "prevalence"
WITHOUT_HELPERS = ("auroc", "auprc", "query_ratio")
OF_ALL_MISTAKES = ("accuracy", "error", "mistakes")


def augmented_estimate(
    metric: str,
    y_true: ArrayLike,
    y_pred: ArrayLike | None,
    asked: ArrayLike,
    ask_probabilities: ArrayLike,
    helpers: ArrayLike,
    level: float = LEVEL,
    *,
    many: bool = False,
    **weights: float,
) -> Estimate:
    """Estimate a metric over all rows from the asked labels and from helpers, with an interval.

    Helpers are columns of numbers that are known for every row, such as the probability of a model or the guess
    of a language model. How well they tell the label is learned from the asked rows; they may be wrong or useless.

    Parameters
    ----------
    metric : str
        Name of a metric of counts, a key of `METRICS`, or "prevalence" for the share of positive rows.
    y_true : array-like of shape (n_rows,)
        True labels: +1, -1, or 0 for unknown. Only those of asked rows are used. The estimate assumes that rows
        with a question but no answer are like the others, and its note says how many there are.
    y_pred : array-like of shape (n_rows,) or None
        Predicted labels: +1 or -1. The prevalence needs none.
    asked : array-like of bool of shape (n_rows,)
        Whether the label was asked for.
    ask_probabilities : array-like of shape (n_rows,)
        The probability with which each label was to be asked for.
    helpers : array-like of shape (n_rows,) or (n_rows, n_helpers)
        Numbers that must not depend on the coin of the row or its label. Of two classes, they tell how likely the
        positive one is; of many, how likely the prediction is right.
    level : float, default: 0.95
        The probability with which the interval contains the metric.
    many : bool, default: False
        Whether there may be more than two classes. Then +1 stands for the correct class, as in `Tally`.
    **weights : float
        Weights of the metric, such as `beta` of "f".

    Returns
    -------
    estimate : Estimate
        With `effective_labels`. Without numbers if there are not enough labels yet.

    Raises
    ------
    ValueError
        If the arrays do not match, or hold something else, or there are no helpers for this metric.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.metrics import augmented_estimate
    >>> random = np.random.default_rng(0)
    >>> y_true = np.where(random.random(5000) < 0.5, 1, -1)
    >>> guess = np.where(random.random(5000) < 0.9, y_true, -y_true)
    >>> asked = random.random(5000) < 0.06
    >>> found = augmented_estimate("prevalence", y_true, None, asked, np.full(5000, 0.06), guess)
    >>> bool(found.low < np.mean(y_true > 0) < found.high)
    True
    >>> bool(found.effective_labels > 2 * found.labels)
    True
    """
    _check(metric, y_pred, many=many)
    if metric == PREVALENCE:  # the share of mistakes if every row is predicted negative
        y_pred = np.full(np.shape(y_true), -1)
        found = augmented_estimate("error", y_true, y_pred, asked, ask_probabilities, helpers, level)
        return found._replace(metric=PREVALENCE)
    assert y_pred is not None
    tally = AskedTally(many=many)
    tally.add(y_true, y_pred, asked, ask_probabilities)
    plain = tally.estimate(metric, level, anytime=False, worst_case=False, **weights)
    columns = as_columns(helpers, tally.rows)
    if plain.low is None or plain.labels < 2 or not columns.shape[1]:
        return plain._replace(effective_labels=plain.labels)
    rows, known = checked(y_true, y_pred, asked, ask_probabilities, None, many=many), tally.known()
    groups = _groups(rows, columns[np.asarray(ask_probabilities) > 0], known)
    found = plain._replace(**_range(metric, known, groups, level, **weights)._asdict())
    gain = (plain.width / found.width) ** 2 if found.width else 1.0
    return found._replace(effective_labels=plain.labels * gain)


class Surprises(NamedTuple):
    """Rows of a kind. Each counts as much as it was not expected: 1 - f if it is mistaken, otherwise f."""

    asked: WeightedCount
    seen: float  # the sum of squares over the asked rows
    total: float  # the sums over all rows, as if all were of this kind
    squares: float

    def joined(self, other: "Surprises") -> "Surprises":
        """The rows of both."""
        sums = (one + two for one, two in zip(self[1:], other[1:], strict=True))
        return Surprises(self.asked.joined(other.asked), *sums)

    def limits(self, weight: float, level: float) -> Range:
        """The sum over all rows of the kind, if an unseen row weighs `weight`, as `all_of` has it."""
        # How much an unseen row counts: the mean of the terms that make up the sum. It takes a whole row while few
        # were seen. Of many, it takes half of one, because gamma limits are off by half a row to each side.
        size = float(share(self.squares, self.total))
        few = float(share(ENOUGH * size**2, ENOUGH * size**2 + self.seen))
        return all_of(self.asked, weight * size * (1 + few) / 2, level)


class Helped(NamedTuple):
    """Rows with the same prediction, with what helpers let expect of them."""

    plain: SamePrediction
    expected: float
    wrong: Surprises
    others: Surprises

    def joined(self, other: "Helped") -> "Helped":
        """The rows with either prediction."""
        return Helped(
            self.plain.joined(other.plain),
            self.expected + other.expected,
            self.wrong.joined(other.wrong),
            self.others.joined(other.others),
        )

    def mistaken(self, level: float) -> Range:
        """The number of mistakes among them, with limits, as `SamePrediction` has it without helpers."""
        weight = self.plain.unseen.weight(level)
        wrong, other = self.wrong.limits(weight, level), self.others.limits(weight, level)
        value = self.expected + wrong.value - other.value
        low = value - np.hypot(wrong.value - wrong.low, other.high - other.value)
        high = value + np.hypot(wrong.high - wrong.value, other.value - other.low)
        least = self.wrong.asked.number
        most = max(least, min(self.plain.known, self.plain.unseen.rows - self.others.asked.number))
        return Range(*(float(np.clip(limit, least, most)) for limit in (value, low, high)))


def _range(
    metric: str, known: AskedEvidence, groups: tuple[Helped, Helped], level: float, **weights: float
) -> Range:
    if metric not in OF_ALL_MISTAKES:
        positive, negative = (group.mistaken(level) for group in groups)
        return of_mistakes(known, metric, positive, negative, **weights)
    # The kind of mistake makes no difference, and one count has narrower limits than two.
    mistakes = groups[0].joined(groups[1]).mistaken(level)
    rows = known.positive.known + known.negative.known
    wrong = np.array(mistakes)
    values = measure(Counts(known.rows, 0, 0, 0, 0, np.maximum(rows - wrong, 0.0), wrong), metric)
    return Range(float(values[0]), float(values.min()), float(values.max()))


def _check(metric: str, y_pred: ArrayLike | None, *, many: bool) -> None:
    able = [PREVALENCE, *(name for name in METRICS if name not in WITHOUT_HELPERS)]
    if metric in WITHOUT_HELPERS:
        raise ValueError(f"helpers exist for {', '.join(able)}, not for {metric!r}")
    if metric == PREVALENCE and many:
        raise ValueError("the prevalence is that of one class: label its rows +1 and all others -1, without many")
    if metric != PREVALENCE and y_pred is None:
        raise ValueError(f"the metric {metric!r} needs predictions: only the prevalence goes without y_pred")


def as_columns(helpers: ArrayLike, rows: int) -> FloatArray:
    """The helpers as an array with two dimensions; ValueError if they do not fit."""
    columns = np.asarray(helpers, dtype=np.float64)
    columns = columns[:, np.newaxis] if columns.ndim == 1 else columns
    if columns.ndim != 2 or len(columns) != rows:
        raise ValueError(
            f"there are {rows:,} rows, but helpers have the shape {np.shape(helpers)}: they must match"
        )
    if not np.isfinite(columns).all():
        raise ValueError("helpers must be finite numbers: give missing ones a value, and a column that marks them")
    return columns


def _groups(rows: Rows, columns: FloatArray, known: AskedEvidence) -> tuple[Helped, Helped]:
    """The rows that were predicted positive, and negative."""
    signs = np.where(rows.positive, 1.0, -1.0)[:, np.newaxis]
    wrong = (rows.y_true != 0) & ((rows.y_true > 0) != rows.positive)
    # A helper that speaks for the positive class speaks against a mistake where that class is predicted.
    free = np.hstack([np.ones_like(signs), signs])
    f = expected(wrong.astype(np.float64), rows.asked, rows.ask_probabilities, free, signs * columns)
    return (
        _group(rows, wrong, f, rows.positive, known.positive),
        _group(rows, wrong, f, ~rows.positive, known.negative),
    )


def _group(rows: Rows, wrong: BoolArray, f: FloatArray, members: BoolArray, plain: SamePrediction) -> Helped:
    seen = members & rows.asked
    mistaken = _surprises(1 - f, seen & wrong, members, rows.ask_probabilities)
    return Helped(
        plain, float(f[members].sum()), mistaken, _surprises(f, seen & ~wrong, members, rows.ask_probabilities)
    )


def _surprises(
    surprise: FloatArray, seen: BoolArray, members: BoolArray, ask_probabilities: FloatArray
) -> Surprises:
    terms, weights = surprise[seen], 1 / ask_probabilities[seen]
    count = WeightedCount(len(terms), float(terms @ weights), float(terms**2 @ (weights * (weights - 1))))
    every = surprise[members]
    return Surprises(count, float(terms @ terms), float(every.sum()), float(every @ every))
