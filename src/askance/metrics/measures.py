"""The metrics: functions of counts or of histograms of scores, and the register `METRICS`.

Accuracy, error and query ratio of no rows are NaN. Precision, recall (sensitivity), specificity and F are 0 if
their denominator is 0, as in the papers and in scikit-learn.
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
from askance.typing import FloatArray

Count = int | NDArray[Any]  # whole numbers, or booleans for single rows


class Counts(NamedTuple):
    """The counts of a binary stream: numbers, or arrays with one entry per point of the stream.

    Attributes
    ----------
    rows, asked, updates : int or ndarray
        Numbers of rows, of labels asked for, and of updates.
    true_positives, false_positives, true_negatives, false_negatives : int or ndarray
        The confusion matrix of the rows with known labels.
    """

    rows: Count
    asked: Count
    updates: Count
    true_positives: Count
    false_positives: Count
    true_negatives: Count
    false_negatives: Count

    @property
    def mistakes(self) -> Count:
        """The number of wrong predictions among rows with known labels."""
        return self.false_positives + self.false_negatives

    def flipped(self) -> "Counts":
        """The counts of the same rows with the other class as the positive one."""
        return self._replace(
            true_positives=self.true_negatives,
            false_positives=self.false_negatives,
            true_negatives=self.true_positives,
            false_negatives=self.false_positives,
        )

    @property
    def known(self) -> Count:
        """The number of rows with known labels."""
        return self.true_positives + self.true_negatives + self.mistakes


class Metric(NamedTuple):
    """An entry of the register.

    Attributes
    ----------
    function : callable
        A function of `Counts`, or of `Bins` if `of_scores`, and of weights that have defaults.
    larger_is_better : bool
        Whether larger values are better.
    title, meaning : str
        A short name and a description.
    two_classes : bool
        Whether the metric needs two classes.
    of_scores : bool
        Whether it is computed from scores.
    about : tuple of str
        The classes of which asked rows are needed to estimate it.
    """

    function: Callable[..., FloatArray]
    larger_is_better: bool
    title: str
    meaning: str
    two_classes: bool = True
    of_scores: bool = False
    about: tuple[str, ...] = ()

    @property
    def weights(self) -> Mapping[str, float]:
        """The names and defaults of its weights."""
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        return {parameter.name: parameter.default for parameter in parameters}


def measure(counts: Counts | Bins, metric: str, **weights: float) -> FloatArray:
    """Compute a metric from counts or histograms.

    Parameters
    ----------
    counts : Counts or Bins
        The counts, or for metrics of scores the histograms.
    metric : str
        Name of the metric, a key of `METRICS`.
    **weights : float
        Weights of the metric, such as `beta` of "f".

    Returns
    -------
    values : ndarray
        In the shape of the counts. For plain numbers it has no dimensions.

    Raises
    ------
    ValueError
        If there is no such metric or weight, or the metric needs the other kind of counts.

    Examples
    --------
    >>> from askance.metrics import Counts, measure
    >>> float(measure(Counts(10, 10, 4, 4, 1, 4, 1), "f", beta=1.0))
    0.8
    """
    entry = find(metric)
    check_weights(metric, **weights)
    if entry.of_scores != isinstance(counts, Bins):
        raise ValueError(f"the metric {metric!r} is computed from {'scores' if entry.of_scores else 'counts'}")
    return entry.function(counts, **weights)


def check_weights(metric: str, **weights: float) -> None:
    """Raise ValueError for a weight that the metric does not have or does not allow."""
    known = find(metric).weights
    for name, weight in weights.items():
        if name not in known:
            raise ValueError(
                f"the metric {metric!r} has no weight {name!r}; it takes {', '.join(known) or 'none'}"
            )
        if not (math.isfinite(weight) and weight >= 0):
            raise ValueError(
                f"the weight {name} of the metric {metric!r} must be finite and 0 or more, not {weight}"
            )


def check_kind(metric: str, *, many: bool) -> None:
    """Raise ValueError if the metric needs two classes but there may be many."""
    if many and find(metric).two_classes:
        able = ", ".join(name for name, entry in METRICS.items() if not entry.two_classes)
        raise ValueError(f"the metric {metric!r} is for two classes: for many, use one of {able}")


def find(metric: str) -> Metric:
    """The entry of the register with this name."""
    try:
        return METRICS[metric]
    except KeyError:
        meant = OTHER_NAMES.get(str(metric).lower().replace("-", "_"))
        remedy = f"choose one of {', '.join(METRICS)}" if meant is None else f"here it is called {meant}"
        raise ValueError(f"there is no metric {metric!r}: {remedy}") from None


def mistakes(counts: Counts) -> FloatArray:
    """The number of wrong predictions, on asked and other rows."""
    return np.asarray(counts.mistakes, dtype=np.float64)


def error(counts: Counts) -> FloatArray:
    """Mistakes per row."""
    return _ratio(counts.mistakes, counts.known, of_nothing=math.nan)


def accuracy(counts: Counts) -> FloatArray:
    """Correct predictions per row."""
    return _ratio(counts.known - counts.mistakes, counts.known, of_nothing=math.nan)


def precision(counts: Counts) -> FloatArray:
    """The share of positive rows among those predicted positive."""
    return _ratio(counts.true_positives, counts.true_positives + counts.false_positives)


def sensitivity(counts: Counts) -> FloatArray:
    """The share of the positive rows that were predicted positive (recall)."""
    return _ratio(counts.true_positives, counts.true_positives + counts.false_negatives)


def specificity(counts: Counts) -> FloatArray:
    """The share of the negative rows that were predicted negative."""
    return _ratio(counts.true_negatives, counts.true_negatives + counts.false_positives)


def f(counts: Counts, beta: float = 1.0) -> FloatArray:
    """(1 + β²) TP / ((1 + β²) TP + β² FN + FP): recall counts β times as much as precision."""
    hits = (1 + beta**2) * counts.true_positives
    return _ratio(hits, hits + beta**2 * counts.false_negatives + counts.false_positives)


def weighted_sum(counts: Counts, eta_p: float = 0.5, eta_n: float = 0.5) -> FloatArray:
    """η_p sensitivity + η_n specificity; with halves, the balanced accuracy."""
    return np.asarray(eta_p * sensitivity(counts) + eta_n * specificity(counts))


def balanced_accuracy(counts: Counts) -> FloatArray:
    """The mean of sensitivity and specificity."""
    return np.asarray((sensitivity(counts) + specificity(counts)) / 2)


def g_mean(counts: Counts) -> FloatArray:
    """√(sensitivity · specificity)."""
    return np.asarray(np.sqrt(sensitivity(counts) * specificity(counts)))


def cost(counts: Counts, c_p: float = 1.0, c_n: float = 1.0) -> FloatArray:
    """c_p M_p + c_n M_n, for M_p wrong predictions on positive rows and M_n on negative rows."""
    return np.asarray(c_p * counts.false_negatives + c_n * counts.false_positives, dtype=np.float64)


def query_ratio(counts: Counts) -> FloatArray:
    """Labels asked for per row."""
    return _ratio(counts.asked, counts.rows, of_nothing=math.nan)


def _ratio(part: ArrayLike, whole: ArrayLike, of_nothing: float = 0.0) -> FloatArray:
    ratio = np.full(np.shape(whole), of_nothing)
    np.divide(part, whole, out=ratio, where=np.not_equal(whole, 0))
    return ratio


# How others call the same metrics.
OTHER_NAMES = {
    **dict.fromkeys(("f1", "f1_score", "fscore", "f_score", "f_measure"), "f"),
    **dict.fromkeys(("auc", "roc", "roc_auc", "auc_roc", "rocauc"), "auroc"),
    **dict.fromkeys(("ap", "average_precision", "pr_auc", "auc_pr", "aucpr"), "auprc"),
    **dict.fromkeys(("acc", "accuracy_score"), "accuracy"),
    **dict.fromkeys(("bacc", "balanced"), "balanced_accuracy"),
    **dict.fromkeys(("gmean", "g_means"), "g_mean"),
    **dict.fromkeys(("tpr", "hit_rate"), "recall"),
}
POSITIVES, BOTH = ("positive",), ("positive", "negative")

_METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "accuracy": Metric(accuracy, True, "accuracy", "share of correct predictions", two_classes=False),
        "error": Metric(error, False, "error", "share of wrong predictions", two_classes=False),
        "mistakes": Metric(mistakes, False, "mistakes", "number of wrong predictions", two_classes=False),
        "f": Metric(f, True, "F", "weighted harmonic mean of precision and recall", about=POSITIVES),
        "precision": Metric(
            precision, True, "precision", "share of true positives among rows predicted positive", about=POSITIVES
        ),
        "recall": Metric(
            sensitivity, True, "recall", "share of the positive rows that were found", about=POSITIVES
        ),
        "sensitivity": Metric(sensitivity, True, "sensitivity", "the same as recall", about=POSITIVES),
        "specificity": Metric(
            specificity,
            True,
            "specificity",
            "share of the negative rows that were predicted negative",
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
            query_ratio, False, "query ratio", "share of the rows whose label was asked for", two_classes=False
        ),
    }
)

METRICS: Mapping[str, Metric] = MappingProxyType({name: _METRICS[name] for name in METRIC_NAMES})
