"""Saved models on the rows of files: what `askance predict` and `askance evaluate` share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from askance.auto.learner import AutoLearner
from askance.data.files import INPUT_NAME, is_pipe
from askance.data.stacking import of_width
from askance.errors import ModelFileError
from askance.multilabel.learner import MultiLabelLearner
from askance.persistence import load
from askance.typing import FloatArray

SMALLEST = 1e-12  # probability, so that log-odds are finite


class Predictions(NamedTuple):
    """What a model says of some rows: classes by their numbers, and probabilities if the model has them."""

    codes: NDArray[np.intp]
    probabilities: FloatArray | None
    scores: FloatArray  # of the larger of two classes, or one column per class

    @property
    def doubt(self) -> FloatArray:
        """The probability that the prediction is wrong; otherwise 1 / (1 + lead over other classes)."""
        if self.probabilities is not None:
            return 1 - self.probabilities[np.arange(len(self.codes)), self.codes]
        if self.scores.ndim == 1:
            return np.asarray(1 / (1 + np.abs(self.scores)))
        best = np.sort(self.scores, axis=1)
        return np.asarray(1 / (1 + best[:, -1] - best[:, -2]))


@dataclass(frozen=True)
class Model:
    """A classifier from a file."""

    learner: Any

    @property
    def classes(self) -> NDArray[Any]:
        """The classes, sorted."""
        return np.asarray(self.learner.classes_)

    @property
    def has_probabilities(self) -> bool:
        """Whether the model predicts probabilities."""
        return hasattr(self.learner, "predict_proba")

    def predict(self, X: Any) -> Predictions:
        """Predict some rows."""
        X = of_width(X, self.learner.n_features_in_)
        if isinstance(self.learner, AutoLearner):  # all of it follows from the probabilities
            found = self.learner.predict_proba(X)
            return Predictions(found.argmax(axis=1), found, _log_odds(found))
        codes = np.searchsorted(self.classes, self.learner.predict(X))
        probabilities = self.learner.predict_proba(X) if self.has_probabilities else None
        return Predictions(codes, probabilities, np.asarray(self.learner.decision_function(X), np.float64))


def load_model(path: Path) -> Model:
    """The classifier in a model file."""
    return as_model(load(path), path)


def as_model(learner: Any, path: Path) -> Model:
    """What was loaded from a file, if it is a classifier."""
    if not isinstance(learner, ClassifierMixin) or isinstance(learner, MultiLabelLearner):
        raise ModelFileError(f"{path} holds a {type(learner).__name__}, which does not predict classes of rows")
    return Model(learner)


def name_of(file: Path) -> str:
    """The name of a file in reports."""
    return INPUT_NAME.name if is_pipe(file) else file.name


def as_in_file(labels: NDArray[Any]) -> list[Any]:
    """Labels as in the file: whole numbers, though the reader of a numeric column has made floats of them."""
    whole = labels.dtype.kind == "f" and bool((labels % 1 == 0).all())
    return list((labels.astype(int) if whole else labels).tolist())


def _log_odds(probabilities: FloatArray) -> FloatArray:
    found = np.log(np.maximum(probabilities, SMALLEST))
    return np.asarray(found[:, 1] - found[:, 0]) if found.shape[1] == 2 else found
