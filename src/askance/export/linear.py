"""Linear models: what a learner with weights has learned, in a form that other libraries can use."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.longer import longer
from askance.errors import ExportError
from askance.jit.kernels.columns import FURTHEST, scale_of
from askance.jit.kernels.terms import rarity
from askance.learners.calibration import temperature
from askance.learners.core import LearnerCore
from askance.learners.learner import Learner
from askance.typing import FloatArray

PROBES = 4
PROBED = 50  # columns that are not 0 in a probe
SAME = {"float32": 1e-3, "float64": 1e-8}  # how far a score may be off by rounding, as a share of the largest


class StandardColumns(NamedTuple):
    """Columns as (x - mean) × factor, at most `FURTHEST` from 0. The factor of a column that never varies is 0."""

    means: FloatArray
    factors: FloatArray

    def features(self, X: FloatArray) -> FloatArray:
        """The features of rows."""
        return np.clip((X - self.means) * self.factors, -FURTHEST, FURTHEST)


class WeightedTerms(NamedTuple):
    """Counts as 1 + log count (values up to 1 stay), times how rare the term is, at length 1."""

    rarities: FloatArray

    def features(self, X: FloatArray) -> FloatArray:
        """The features of rows."""
        size = np.abs(X)
        damped = np.where(size > 1, np.copysign(1 + np.log(np.maximum(size, 1)), X), X)
        found = damped * self.rarities
        lengths = np.sqrt((found**2).sum(axis=1, keepdims=True))
        return np.asarray(found / np.where(lengths > 0, lengths, 1))


class LinearModel(NamedTuple):
    """A linear classifier.

    Attributes
    ----------
    classes : ndarray
        The classes, sorted.
    weights : ndarray of shape (n_scores, n_features)
        The weights of features: one row for two classes, whose score is that of the second, or one row per class.
    intercepts : ndarray of shape (n_scores,)
        What is added to the scores.
    at_zero : int
        The position of the class that is predicted if all scores are 0.
    scaling : StandardColumns, WeightedTerms or None
        How columns become features; None means that they are the features.
    temperature : float or None
        What scores are multiplied by before the logistic function, or softmax, makes probabilities of them; None
        if the learner has no probabilities.
    dtype : str
        The precision in which the learner computes.
    algorithm : str
        The update rule.
    """

    classes: NDArray[Any]
    weights: FloatArray
    intercepts: FloatArray
    at_zero: int
    scaling: StandardColumns | WeightedTerms | None
    temperature: float | None
    dtype: str
    algorithm: str

    @property
    def width(self) -> int:
        """The number of columns."""
        return int(self.weights.shape[1])

    def scores(self, X: FloatArray) -> FloatArray:
        """The scores of dense rows: one number per row for two classes, or one column per class."""
        features = X if self.scaling is None else self.scaling.features(X)
        found = features @ self.weights.T + self.intercepts
        return found[:, 0] if len(self.weights) == 1 else found

    def tipped(self, least: float) -> FloatArray:
        """The intercepts, with `least` more for the class of rows without features, where all of them are 0.

        Other libraries predict the first class if scores are equal.
        """
        found = self.intercepts.copy()
        if not found.any():
            if len(found) > 1:
                found[self.at_zero] = least
            elif self.at_zero:
                found[0] = least
        return found


def linear_model(learner: Learner) -> LinearModel:
    """The linear model of a learner; raises ExportError if its scores are not linear in the features of a row."""
    core, rule = learner._started(), type(learner._rules()[0]).__name__
    if not core.is_fitted:
        raise ExportError("this learner has no labels yet: there is nothing to export")
    classes, many = core.classes_, bool(core.settings.multiclass)
    if len(classes) < 2:
        raise ExportError(
            f"this learner knows only one class, {classes.tolist()[0]!r}: there is nothing to export"
        )
    try:
        weights = np.array(core.coef, np.float64)
    except AttributeError:
        raise ExportError(_not_linear(rule)) from None
    intercepts = np.array(core.intercept, np.float64)
    first = int(np.argsort(np.argsort(core.encoder.observed))[0]) if many else int(core.is_second_at_zero)
    if many and len(classes) == 2:
        weights, intercepts = np.diff(weights, axis=0), np.diff(intercepts)
    if len(weights) != (len(classes) if len(classes) > 2 else 1):
        raise ExportError(_not_linear(rule))
    scaling, weights = _scaled(core, weights)
    heat = temperature(core.machine.recent, many=many) if core.settings.probability else None
    found = LinearModel(classes, weights, intercepts, first, scaling, heat, core.settings.dtype, rule)
    _check_scores(core, found)
    return found


def _not_linear(rule: str) -> str:
    return f"{rule} has no weights that alone decide its predictions, so it cannot be exported"


def _scaled(core: LearnerCore, weights: FloatArray) -> tuple[StandardColumns | WeightedTerms | None, FloatArray]:
    """How columns become features, and the weights of features whose size does not depend on their number."""
    if core.features is None or core.features.scaling is None:
        return None, weights
    width = weights.shape[1]
    known = core.features.scaling
    arrays = {name: array if name == "rows" else longer(array, width) for name, array in known.arrays.items()}
    if "frequencies" in arrays:
        rarities = np.array([rarity(count, known.rows) for count in arrays["frequencies"].tolist()])
        return WeightedTerms(rarities), weights
    pairs = zip(arrays["means"].tolist(), arrays["squares"].tolist(), strict=True)
    factors = np.array([scale_of(mean, squares, known.rows) for mean, squares in pairs])
    return StandardColumns(arrays["means"].copy(), factors), weights / np.sqrt(max(1, width))


def _check_scores(core: LearnerCore, model: LinearModel) -> None:
    """Raise ExportError if the scores of some synthetic rows are not those of the weights.

    Rules may use their weights in other ways, and rules of users may do anything.
    """
    random = np.random.default_rng(0)
    chosen = np.sort(random.permutation(model.width)[:PROBED])
    X = np.zeros((PROBES, model.width))
    X[1:, chosen] = random.normal(size=(PROBES - 1, len(chosen)))
    if isinstance(model.scaling, StandardColumns):
        X = model.scaling.means + X / np.where(model.scaling.factors > 0, model.scaling.factors, 1)
    wanted = np.asarray(core.decision_function(X.astype(core.machine.dtype)), np.float64)
    found = model.scores(X.astype(core.machine.dtype).astype(np.float64))
    largest = max(1e-300, float(np.abs(wanted).max()), float(np.abs(found).max()))
    if not np.abs(found - wanted).max() <= SAME[model.dtype] * largest:
        raise ExportError(_not_linear(model.algorithm))
