"""How good predictions are if all labels are known, in constant memory, with intervals.

Rows count as drawn at random from those that the model will meet. Shares have Wilson's intervals. For F = 2J/(1+J)
with J = TP/(TP+FP+FN), a share as well, the limits of J are converted. Area and log loss have the intervals of
estimates from asked labels, where each row stands for very many: the variance is that of the rows, and there may
be rows of a kind that this file happens not to have.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from askance.metrics.areas import AskedBins, area_range
from askance.metrics.estimates import ENOUGH, LEVEL, Estimate
from askance.metrics.histograms import Histograms
from askance.metrics.intervals import Range, WeightedCount, all_of
from askance.metrics.positive import default_positive, place_of_class
from askance.typing import FloatArray, IntArray

SCORE_BINS = 10_000  # enough that rounding does not matter
CONFIDENCE_BINS = 10
SMALLEST = 1e-12  # probability in a logarithm
UNKNOWN = -1  # the code of a class that the model does not know


class ClassFigures(NamedTuple):
    """The number of rows of a class, and how well it is recognised."""

    rows: int
    precision: float
    recall: float
    f: float


class Evaluation:
    """Predictions beside known labels, added some rows at a time.

    Parameters
    ----------
    classes : sequence
        The classes of the model.

    Attributes
    ----------
    confusion : ndarray of shape (n_classes, n_classes)
        The number of rows by true and by predicted class.
    confusion_of_unknown : ndarray of shape (n_classes,)
        The number of rows of classes that the model does not know, by predicted class. They count as mistakes,
        except in the area under the ROC curve and the log loss.

    Examples
    --------
    >>> from askance.metrics import Evaluation
    >>> evaluation = Evaluation(["ok", "fraud"])
    >>> evaluation.add([0, 0, 1, 0, 0, 0, 1, 0], [0, 1, 1, 0, 0, 0, 0, 0])
    >>> evaluation.confusion.tolist()
    [[5, 1], [1, 1]]
    >>> evaluation.positive(), round(evaluation.estimate("f").value, 3)
    ('fraud', 0.5)
    """

    def __init__(self, classes: Sequence[Any]) -> None:
        self.classes = list(classes)
        self.confusion: IntArray = np.zeros((len(self.classes), len(self.classes)), np.int64)
        self.confusion_of_unknown: IntArray = np.zeros(len(self.classes), np.int64)
        self._histograms = Histograms(SCORE_BINS)
        self._losses = np.zeros(3)  # their number, sum and sum of squares
        self._largest_loss = 0.0
        self._losses_as = np.zeros(len(self.classes))  # the sum of losses if all rows were of a class
        # Rows, sums of probabilities, right predictions, and the variance of these if the probabilities are true.
        self._confidence = np.zeros((CONFIDENCE_BINS, 4))

    def add(
        self,
        true_codes: ArrayLike,
        predicted_codes: ArrayLike,
        probabilities: ArrayLike | None = None,
        scores: ArrayLike | None = None,
    ) -> None:
        """Add some rows.

        Parameters
        ----------
        true_codes : array-like of int
            The places of the true classes in `classes`; -1 for a class that the model does not know.
        predicted_codes : array-like of int
            The places of the predicted classes.
        probabilities : array-like of shape (n_rows, n_classes), optional
            The probabilities of the classes, for log loss and calibration error.
        scores : array-like of shape (n_rows,), optional
            Scores of the second of two classes, for the area under the ROC curve.
        """
        true, predicted = np.asarray(true_codes, np.intp), np.asarray(predicted_codes, np.intp)
        known = true != UNKNOWN
        np.add.at(self.confusion, (true[known], predicted[known]), 1)
        np.add.at(self.confusion_of_unknown, predicted[~known], 1)
        if scores is not None and len(self.classes) == 2:
            self._histograms.add(2 * true[known] - 1, np.asarray(scores)[known])
        if probabilities is not None:
            self._add_probabilities(true, predicted, np.asarray(probabilities, np.float64))

    def _add_probabilities(self, true: NDArray[np.intp], predicted: NDArray[np.intp], given: FloatArray) -> None:
        known = np.flatnonzero(true != UNKNOWN)
        losses_as = -np.log(np.maximum(given[known], SMALLEST))
        losses = losses_as[np.arange(len(known)), true[known]]
        self._losses += [len(losses), losses.sum(), (losses**2).sum()]
        self._largest_loss = max(self._largest_loss, losses.max(initial=0.0))
        self._losses_as += losses_as.sum(axis=0)
        confidence = given[np.arange(len(predicted)), predicted]
        places = np.minimum((confidence * CONFIDENCE_BINS).astype(np.intp), CONFIDENCE_BINS - 1)
        columns = [np.ones(len(true)), confidence, true == predicted, confidence * (1 - confidence)]
        np.add.at(self._confidence, places, np.stack(columns, axis=1))

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.confusion.sum()) + self.unknown

    @property
    def unknown(self) -> int:
        """The number of rows of classes that the model does not know."""
        return int(self.confusion_of_unknown.sum())

    def positive(self, positive: Any = None) -> Any:
        """The positive class: the one named, or of two classes the rarer one if it is clearly rarer.

        Parameters
        ----------
        positive : object, optional
            A class. By default, of two classes the one with less than a third of the rows, otherwise the last; of
            more classes, none.

        Returns
        -------
        object
            The class, or None.
        """
        if positive is not None:
            return self.classes[place_of_class(positive, self.classes)]
        if len(self.classes) != 2:
            return None
        first, last = rows = self.confusion.sum(axis=1).tolist()
        # A class without rows is the rarer one: it stays positive if a file happens to have none of it.
        return self.classes[0 if last and not first else default_positive(rows)]

    def figures(self) -> dict[Any, ClassFigures]:
        """The figures of each class against all others."""
        found = {}
        for place, value in enumerate(self.classes):
            hits, own, said = self._counts(place)
            found[value] = ClassFigures(own, _ratio(hits, said), _ratio(hits, own), _ratio(2 * hits, own + said))
        return found

    def _counts(self, place: int) -> tuple[int, int, int]:
        """Of a class, the rows that were recognised, its own rows, and those that were predicted to be of it."""
        said = self.confusion[:, place].sum() + self.confusion_of_unknown[place]
        return int(self.confusion[place, place]), int(self.confusion[place].sum()), int(said)

    def estimates(self, positive: Any = None, level: float = LEVEL) -> dict[str, Estimate]:
        """All metrics that are defined for these rows.

        Parameters
        ----------
        positive : object, optional
            The class that F, precision and recall are about. Default: as `positive` says.
        level : float, default: 0.95
            The probability with which each interval contains its metric.

        Returns
        -------
        estimates : dict of str to Estimate
        """
        names = ["accuracy"]
        if self.positive(positive) is not None:
            names += ["f", "precision", "recall"]
        if self._histograms.total:
            names.append("auroc")
        if self._losses[0]:
            names += ["log_loss", "calibration_error"]
        return {name: self.estimate(name, positive, level) for name in names}

    def estimate(self, metric: str, positive: Any = None, level: float = LEVEL) -> Estimate:
        """One metric with an interval.

        Parameters
        ----------
        metric : {"accuracy", "f", "precision", "recall", "auroc", "log_loss", "calibration_error"}
            The metric.
        positive : object, optional
            The class that F, precision and recall are about. Default: as `positive` says.
        level : float, default: 0.95
            The probability with which the interval contains the metric.

        Returns
        -------
        estimate : Estimate
            The calibration error has no interval, and its note says what chance alone would give. Of fewer than 20
            rows, log loss has no interval either.

        Raises
        ------
        ValueError
            If the metric or the class does not exist.
        """
        if metric == "calibration_error":
            return Estimate(metric, self._calibration_error(), None, None, level, self.rows, self._by_chance())
        found = self._found(metric, positive, level)
        if found is None:
            return Estimate(metric, None, None, None, level, self.rows, "There are no rows that it is about.")
        if metric == "log_loss" and self._losses[0] < ENOUGH:
            few = f"An interval takes {ENOUGH} rows."
            return Estimate(metric, found.value, None, None, level, self.rows, few)
        return Estimate(metric, *found, level, self.rows)

    def _found(self, metric: str, positive: Any, level: float) -> Range | None:
        z = float(special.ndtri((1 + level) / 2))
        match metric:
            case "accuracy":
                return wilson(int(np.trace(self.confusion)), self.rows, z)
            case "f" | "precision" | "recall":
                return self._of_class(metric, positive, z)
            case "auroc":
                return self._area(level)
            case "log_loss":
                return self._log_loss(level)
        raise ValueError(f"there is no metric {metric!r} of an evaluation")

    def _of_class(self, metric: str, positive: Any, z: float) -> Range | None:
        hits, own, said = self._counts(place_of_class(self.positive(positive), self.classes))
        if metric != "f":
            return wilson(hits, said if metric == "precision" else own, z)
        union = wilson(hits, own + said - hits, z)
        return None if union is None else Range(*(2 * limit / (1 + limit) for limit in union))

    def _area(self, level: float) -> Range | None:
        bins = self._histograms.bins
        if not all(one.any() for one in bins):
            return None
        return area_range("auroc", AskedBins(bins, bins, bins, bins.positives + bins.negatives), 1.0, level)

    def _log_loss(self, level: float) -> Range | None:
        count, total, squares = self._losses.tolist()
        if not count:
            return None
        variance = max(squares - total**2 / count, 0.0) * count / max(count - 1, 1)
        # One more row of the class that costs most: of a rare one there may be none here.
        unseen = max(self._largest_loss, float(self._losses_as.max()) / count)
        return Range(*(limit / count for limit in all_of(WeightedCount(count, total, variance), unseen, level)))

    def _calibration_error(self) -> float | None:
        """Σ rows of a bin · |share of right predictions − mean probability of the predicted class| / rows."""
        rows, sums, right, _ = self._confidence.T
        return float(np.abs(right - sums).sum() / rows.sum()) if rows.sum() else None

    def _by_chance(self) -> str:
        """What the calibration error would be on average if the probabilities were true."""
        rows, _, _, variance = self._confidence.T
        if not rows.sum():
            return ""
        # The mean distance of a normal number; of next to no variance, at most twice that.
        chance = float(np.minimum(np.sqrt(2 / math.pi * variance), 2 * variance).sum() / rows.sum())
        return f"On {int(rows.sum()):,} rows, chance alone gives a perfectly calibrated model about {chance:.3f}."


def wilson(part: int, whole: int, z: float) -> Range | None:
    """A share with Wilson's interval; None of nothing."""
    if not whole:
        return None
    share, weight = part / whole, z**2 / whole
    centre = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / whole + weight / (4 * whole))
    return Range(share, max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half)))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
