"""Query strategies of scikit-activeml as strategies for pools."""

import inspect
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.validation import check_is_fitted

from askance._util.optional import require
from askance.learners.labels import as_labels
from askance.pool.random_sampling import RandomSampling
from askance.pool.selection import Selection, as_count
from askance.pool.trained import logistic
from askance.pool.views import AnyMatrix, as_matrix

# What strategies call the classifier that they are given, and the argument that says whether to train it.
CLASSIFIERS = {
    "clf": "fit_clf",
    "estimator": "fit_estimator",
    "ensemble": "fit_ensemble",
    "discriminator": None,
}


class FromScikitActiveML(BaseEstimator):  # type: ignore[misc]
    """Use a pool strategy of scikit-activeml here: in `PoolLoop`, and to compare with the others.

    The strategy gets the labelled rows with their classes as 0, 1, … in sorted order, and the rows of the pool
    with missing labels. It is cloned for every selection, with another `random_state`. While all labels are of
    one class, strategies that need a classifier select at random. Rows must be dense. Needs scikit-activeml (`pip
    install 'askance[activeml]'`).

    Parameters
    ----------
    strategy : skactiveml.base.SingleAnnotatorPoolQueryStrategy
        The strategy, for classification.
    classifier : estimator or None, default: None
        The classifier, ensemble or discriminator that the strategy works with: one of scikit-learn or
        scikit-activeml. None means a logistic regression, or a random forest if the strategy needs an ensemble.
    random_state : int, default: 0
        Decides the draws of the strategy, together with the number of labels.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import FromScikitActiveML
    >>> from skactiveml.pool import Badge  # doctest: +SKIP
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> strategy = FromScikitActiveML(Badge()).fit(X[[0, 9]], ["low", "high"])  # doctest: +SKIP
    >>> strategy.select(X[1:9], n=2).rows.shape  # doctest: +SKIP
    (2,)
    """

    def __init__(self, strategy: Any, classifier: Any = None, *, random_state: int = 0) -> None:
        self.strategy = strategy
        self.classifier = classifier
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, privileged: Any = None) -> Self:  # noqa: ARG002
        """Remember the labelled rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The labelled rows.
        y : array-like of shape (n_rows,)
            Their labels.
        privileged : array-like, sparse matrix or None, default: None
            Not used.

        Returns
        -------
        self : object
        """
        rows = _dense(X)
        labels = as_labels(y, rows.shape[0])
        self.random_ = RandomSampling(self.random_state).fit(rows, labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.labelled_ = rows, codes
        return self

    def select(self, X: Any, n: int, privileged: Any = None) -> Selection:  # noqa: ARG002
        """Ask the strategy for `n` rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The pool.
        n : int
            Number of rows; all rows are selected if there are fewer.
        privileged : array-like, sparse matrix or None, default: None
            Not used.

        Returns
        -------
        selection : Selection
            The scores are the utilities that the strategy computed.
        """
        check_is_fitted(self)
        pool, count = _dense(X), as_count(n)
        needed = self._needed()
        if needed is not None and len(self.classes_) < 2:
            return self.random_.select(pool, count)
        labelled, codes = self.labelled_
        known = len(codes)
        seed = int(np.random.default_rng([self.random_state, known]).integers(2**31))
        strategy = self._reproducible(seed)
        rows, utilities = strategy.query(
            np.concatenate([labelled, pool]),
            np.concatenate([codes, np.full(len(pool), np.nan)]),
            candidates=np.arange(known, known + len(pool)),
            batch_size=min(count, len(pool)),
            return_utilities=True,
            **({} if needed is None else self._model(needed, seed)),
        )
        return Selection(np.asarray(rows) - known, utilities[np.arange(len(rows)), rows], {})

    def _reproducible(self, seed: int) -> Any:
        """A copy of the strategy whose draws, and those of its parts, follow from the seed."""
        strategy = clone(self.strategy)
        draws = [name for name in strategy.get_params() if name.split("__")[-1] == "random_state"]
        return strategy.set_params(**dict.fromkeys(draws, seed), missing_label=np.nan)

    def _needed(self) -> str | None:
        """The argument for a classifier that the strategy must be given, if there is one."""
        strategy = self.strategy
        while hasattr(strategy, "query_strategy"):  # a wrapper passes its arguments on
            strategy = strategy.query_strategy
        arguments = inspect.signature(strategy.query).parameters
        if "reg" in arguments:
            raise ValueError(f"{type(strategy).__name__} is for regression: labels of a pool are classes")
        return next((name for name in CLASSIFIERS if name in arguments), None)

    def _model(self, needed: str, seed: int) -> dict[str, Any]:
        """The classifier as the strategy wants it."""
        require("skactiveml", "activeml", "FromScikitActiveML")
        from skactiveml.base import SkactivemlClassifier
        from skactiveml.classifier import SklearnClassifier

        model = self.classifier
        if model is None:
            model = RandomForestClassifier(random_state=seed) if needed == "ensemble" else logistic(1.0)
        own: dict[str, Any] = {"classes": np.arange(len(self.classes_)), "missing_label": np.nan}
        if isinstance(model, SkactivemlClassifier):
            model = clone(model).set_params(**own)
        else:
            model = SklearnClassifier(model, random_state=seed, **own)
        train = CLASSIFIERS[needed]
        return {needed: model} | ({} if train is None else {train: True})


def _dense(X: Any) -> AnyMatrix:
    if sp.issparse(X):
        raise ValueError("scikit-activeml needs dense rows: reduce sparse ones first, as with TruncatedSVD")
    return as_matrix(X)
