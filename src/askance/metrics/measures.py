"""The metrics: functions of the counts or of the scores' histograms, and the register that lists them.

A ratio over nothing: accuracy, error and query ratio of no rows are nan, for there is nothing to judge.
Precision, recall (sensitivity), specificity and F are 0 when their denominator is 0, as in the papers and in
scikit-learn: a method earns nothing for a class that it has not met or has never named.
"""

import inspect
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance._util.names import METRIC_NAMES
from askance.metrics.histograms import Bins, auprc, auroc

Count = int | NDArray[Any]  # whole numbers, or booleans for single rows
Values = NDArray[np.float64]


class Counts(NamedTuple):
    """What a binary stream comes to: numbers, or arrays with one entry a moment of the stream."""

    rows: Count
    asked: Count
    updates: Count
    true_positives: Count
    false_positives: Count
    true_negatives: Count
    false_negatives: Count

    @property
    def mistakes(self) -> Count:
        """Rows of known label that were predicted wrongly."""
        return self.false_positives + self.false_negatives

    @property
    def known(self) -> Count:
        """Rows of known label."""
        return self.true_positives + self.true_negatives + self.mistakes


class Metric(NamedTuple):
    """An entry of the register: a function of counts, or of bins, and of weights that have defaults."""

    function: Callable[..., Values]
    larger_is_better: bool
    title: str
    meaning: str
    two_classes: bool = True
    of_scores: bool = False  # of `Bins`; else of `Counts`
    about: tuple[str, ...] = ()  # the classes without known rows of which it cannot be estimated

    @property
    def weights(self) -> Mapping[str, float]:
        """The names of its weights, each with its default."""
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        return {parameter.name: parameter.default for parameter in parameters}


def measure(counts: Counts | Bins, metric: str, **weights: float) -> Values:
    """The metric of that name, in the shape of the counts: for plain numbers an array without dimensions."""
    entry = find(metric)
    check_weights(metric, **weights)
    if entry.of_scores != isinstance(counts, Bins):
        raise ValueError(f"the metric {metric!r} is one of {'scores' if entry.of_scores else 'counts'}")
    return entry.function(counts, **weights)


def check_weights(metric: str, **weights: float) -> None:
    """ValueError for a weight that the metric does not have or that is none."""
    known = find(metric).weights
    for name, weight in weights.items():
        if name not in known:
            raise ValueError(
                f"the metric {metric!r} has no weight {name!r}; it takes {', '.join(known) or 'none'}"
            )
        if not (math.isfinite(weight) and weight >= 0):
            raise ValueError(
                f"the weight {name} of the metric {metric!r} must be finite and not negative, not {weight}"
            )


def check_kind(metric: str, *, many: bool) -> None:
    """ValueError if a metric of two classes is asked for where there are many."""
    if many and find(metric).two_classes:
        able = ", ".join(name for name, entry in METRICS.items() if not entry.two_classes)
        raise ValueError(f"the metric {metric!r} is for two classes: for many there are {able}")


def find(metric: str) -> Metric:
    """The register's entry of that name."""
    try:
        return METRICS[metric]
    except KeyError:
        raise ValueError(f"there is no metric {metric!r}; there are {', '.join(METRICS)}") from None


def mistakes(counts: Counts) -> Values:
    """Wrong predictions, on all rounds, asked or not."""
    return np.asarray(counts.mistakes, dtype=np.float64)


def error(counts: Counts) -> Values:
    """Mistakes a row."""
    return _ratio(counts.mistakes, counts.known, of_nothing=math.nan)


def accuracy(counts: Counts) -> Values:
    """Right predictions a row."""
    return _ratio(counts.known - counts.mistakes, counts.known, of_nothing=math.nan)


def precision(counts: Counts) -> Values:
    """Of the rows called positive, the share that is."""
    return _ratio(counts.true_positives, counts.true_positives + counts.false_positives)


def sensitivity(counts: Counts) -> Values:
    """Of the positive rows, the share that was found; also called recall."""
    return _ratio(counts.true_positives, counts.true_positives + counts.false_negatives)


def specificity(counts: Counts) -> Values:
    """Of the negative rows, the share that was left alone."""
    return _ratio(counts.true_negatives, counts.true_negatives + counts.false_positives)


def f(counts: Counts, beta: float = 1.0) -> Values:
    """(1 + β²) TP / ((1 + β²) TP + β² FN + FP): recall counts β times as much as precision."""
    hits = (1 + beta**2) * counts.true_positives
    return _ratio(hits, hits + beta**2 * counts.false_negatives + counts.false_positives)


def weighted_sum(counts: Counts, eta_p: float = 0.5, eta_n: float = 0.5) -> Values:
    """η_p sensitivity + η_n specificity; with halves, the balanced accuracy."""
    return np.asarray(eta_p * sensitivity(counts) + eta_n * specificity(counts))


def balanced_accuracy(counts: Counts) -> Values:
    """The mean of sensitivity and specificity."""
    return np.asarray((sensitivity(counts) + specificity(counts)) / 2)


def g_mean(counts: Counts) -> Values:
    """√(sensitivity · specificity)."""
    return np.asarray(np.sqrt(sensitivity(counts) * specificity(counts)))


def cost(counts: Counts, c_p: float = 1.0, c_n: float = 1.0) -> Values:
    """c_p M_p + c_n M_n, where M_p positive and M_n negative rows were mistaken."""
    return np.asarray(c_p * counts.false_negatives + c_n * counts.false_positives, dtype=np.float64)


def query_ratio(counts: Counts) -> Values:
    """Labels asked a row."""
    return _ratio(counts.asked, counts.rows, of_nothing=math.nan)


def _ratio(part: ArrayLike, whole: ArrayLike, of_nothing: float = 0.0) -> Values:
    ratio = np.full(np.shape(whole), of_nothing)
    np.divide(part, whole, out=ratio, where=np.not_equal(whole, 0))
    return ratio


POSITIVES, BOTH = ("positive",), ("positive", "negative")

_METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "accuracy": Metric(accuracy, True, "accuracy", "share of right predictions", two_classes=False),
        "error": Metric(error, False, "error", "share of wrong predictions", two_classes=False),
        "mistakes": Metric(mistakes, False, "mistakes", "number of wrong predictions", two_classes=False),
        "f": Metric(f, True, "F", "weighted harmonic mean of precision and recall", about=POSITIVES),
        "precision": Metric(
            precision, True, "precision", "share of true positives among rows called positive", about=POSITIVES
        ),
        "recall": Metric(
            sensitivity, True, "recall", "share of the positive rows that were found", about=POSITIVES
        ),
        "sensitivity": Metric(sensitivity, True, "sensitivity", "the same as recall", about=POSITIVES),
        "specificity": Metric(
            specificity,
            True,
            "specificity",
            "share of the negative rows that were left alone",
            about=("negative",),
        ),
        "sum": Metric(weighted_sum, True, "weighted sum", "eta_p sensitivity + eta_n specificity", about=BOTH),
        "balanced_accuracy": Metric(
            balanced_accuracy, True, "balanced accuracy", "mean of sensitivity and specificity", about=BOTH
        ),
        "g_mean": Metric(g_mean, True, "G-mean", "geometric mean of sensitivity and specificity", about=BOTH),
        "auroc": Metric(
            auroc, True, "AUROC", "area under the ROC curve of the scores", of_scores=True, about=BOTH
        ),
        "auprc": Metric(
            auprc, True, "AUPRC", "area under the precision-recall curve of the scores", of_scores=True, about=BOTH
        ),
        "cost": Metric(cost, False, "cost", "c_p missed positives + c_n false alarms"),
        "query_ratio": Metric(
            query_ratio, False, "query ratio", "share of the rows whose label was asked", two_classes=False
        ),
    }
)

METRICS: Mapping[str, Metric] = MappingProxyType({name: _METRICS[name] for name in METRIC_NAMES})
