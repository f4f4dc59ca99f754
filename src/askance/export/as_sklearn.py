"""Linear learners as estimators of scikit-learn that make the same predictions."""

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC

from askance.auto.learner import AutoLearner
from askance.errors import ExportError
from askance.export.labelled import refit
from askance.export.linear import LinearModel, StandardColumns, WeightedTerms, linear_model
from askance.export.source import model_source
from askance.jit.kernels.columns import FURTHEST
from askance.typing import FloatArray

LEAST = float(np.finfo(np.float64).tiny)


def to_sklearn(model: Any) -> Any:
    """Return a plain scikit-learn estimator, which needs askance neither to be loaded nor to predict.

    A linear `Learner` becomes an estimator that makes the same predictions: `LinearSVC`, or `LogisticRegression`
    if it has probabilities, in a pipeline with its scaling. An `AutoLearner` has no counterpart in scikit-learn: a
    model is fitted to the labelled rows that it remembers, as `refit` does.

    Parameters
    ----------
    model : Learner, AutoLearner, str or os.PathLike
        The learner, or its model file.

    Returns
    -------
    estimator
        A fitted classifier for rows as the learner got them.

    Raises
    ------
    askance.errors.ExportError
        If no estimator of scikit-learn makes the same predictions.

    Examples
    --------
    >>> import askance
    >>> from askance import export
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = askance.make("MPA-II", scaling="standard", intercept=0.3).fit(X, y)
    >>> pipeline = export.to_sklearn(learner)
    >>> bool((pipeline.predict(X) == learner.predict(X)).all())
    True
    """
    source = model_source(model)
    if isinstance(source.learner, AutoLearner):
        return refit(source.learner)
    linear = linear_model(source.learner)
    if isinstance(linear.scaling, WeightedTerms):
        raise ExportError(
            "scikit-learn has no transformer for scaling='tfidf', which leaves values up to 1 as they are: export "
            "to onnx or json"
        )
    if linear.scaling is None:
        return _classifier(linear, linear.weights)
    weights = np.where(linear.scaling.factors > 0, linear.weights, 0.0)
    steps = [("scale", _standard(linear.scaling)), ("clip", _clip(linear.width))]
    return Pipeline([*steps, ("classify", _classifier(linear, weights))])


def _classifier(linear: LinearModel, weights: FloatArray) -> Any:
    """A classifier with these weights of features. The smallest number decides where all scores are 0."""
    heat = 1.0 if linear.temperature is None else linear.temperature
    found = LinearSVC() if linear.temperature is None else LogisticRegression()
    found.classes_ = linear.classes
    found.coef_ = heat * weights
    found.intercept_ = linear._replace(intercepts=heat * linear.intercepts).tipped(LEAST)
    found.n_features_in_ = linear.width
    found.n_iter_ = np.ones(1, np.int32)
    return found


def _standard(scaling: StandardColumns) -> StandardScaler:
    varies = scaling.factors > 0
    found = StandardScaler()
    found.mean_ = scaling.means
    found.scale_ = 1.0 / np.where(varies, scaling.factors, 1.0)
    found.var_ = np.where(varies, found.scale_**2, 0.0)
    found.n_features_in_ = len(scaling.means)
    found.n_samples_seen_ = 1
    return found


def _clip(width: int) -> MinMaxScaler:
    """A transformer that only limits values. `FunctionTransformer` would need a function to be loaded by name."""
    found = MinMaxScaler(feature_range=(-FURTHEST, FURTHEST), clip=True)
    found.scale_, found.min_ = np.ones(width), np.zeros(width)
    found.data_max_ = np.full(width, FURTHEST)
    found.data_min_, found.data_range_ = -found.data_max_, 2 * found.data_max_
    found.n_features_in_, found.n_samples_seen_ = width, 1
    return found
