"""The labelled rows that an automatic learner remembers, and models of other kinds fitted to them."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from askance.auto.learner import AutoLearner
from askance.auto.models import penalty, takes_roots
from askance.data.mixed import MixedRows, as_matrix
from askance.errors import ExportError
from askance.export.source import model_source

TREES = 200
MOST_STEPS = 1000


class LabelledRows(NamedTuple):
    """Labelled rows that a learner remembers, the oldest first.

    Attributes
    ----------
    X : ndarray or csr_array
        The rows as the learner got them. If they have a dense and a sparse part, the dense columns come first.
    y : ndarray
        Their labels.
    n_dense : int
        The number of dense columns.
    """

    X: Any
    y: NDArray[Any]
    n_dense: int


def labelled_rows(model: Any) -> LabelledRows:
    """Return the labelled rows that an automatic learner remembers.

    Parameters
    ----------
    model : AutoLearner, str or os.PathLike
        The learner, or its model file.

    Returns
    -------
    LabelledRows
        The rows and their labels. There are at most `memory` of them.

    Raises
    ------
    askance.errors.ExportError
        If the learner does not remember rows.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import AutoLearner, export
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> learner = AutoLearner(rate=0.1)
    >>> trace = learner.run(X, X[:, 0] > 0)
    >>> rows = export.labelled_rows(learner)
    >>> bool((rows.X == X[trace.asked]).all())
    True
    """
    return _remembered(model_source(model).automatic("this needs labelled rows"))


def refit(model: Any, estimator: Any = None) -> Any:
    """Fit a scikit-learn model to the labelled rows that an automatic learner remembers.

    Parameters
    ----------
    model : AutoLearner, str or os.PathLike
        The learner, or its model file.
    estimator : scikit-learn classifier, default=None
        What to fit; a copy is fitted. None means extremely randomized trees if the learner trusts its forest most,
        otherwise logistic regression on scaled rows.

    Returns
    -------
    estimator
        The fitted model. Its predictions are not those of the learner, but were learned from the same labels.

    Raises
    ------
    askance.errors.ExportError
        If the learner does not remember rows of two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from askance import AutoLearner, export
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> learner = AutoLearner(rate=0.1)
    >>> trace = learner.run(X, X[:, 0] ** 2 + X[:, 1] ** 2 < 1)
    >>> model = export.refit(learner, SVC())
    >>> bool((model.predict(X) == trace.y).mean() > 0.85)
    True
    """
    learner = model_source(model).automatic("a model can be fitted again only to labelled rows")
    rows = _remembered(learner)
    if len(np.unique(rows.y)) < 2:
        raise ExportError(
            f"all labels that this learner remembers are {rows.y.tolist()[0]!r}: there is nothing to fit"
        )
    wanted = _usual(learner, rows) if estimator is None else clone(estimator)
    return wanted.fit(rows.X, rows.y)


def _remembered(learner: AutoLearner) -> LabelledRows:
    core = learner._core
    assert core.widths is not None
    count, (columns, terms) = core.remembered, core.widths
    labelled = core.models.labelled
    starts = labelled.starts[: count + 1].astype(np.int32)  # trees of scikit-learn take no longer integers
    parts = labelled.values[: starts[-1]].copy(), labelled.indices[: starts[-1]].copy(), starts
    rows = MixedRows(labelled.dense[:count].copy(), sp.csr_array(parts, shape=(count, terms)))
    X = rows.dense if not terms else rows.sparse if not columns else as_matrix(rows)
    return LabelledRows(X, core.encoder.observed[core.models.lanes.codes[:count]], columns)


def _usual(learner: AutoLearner, rows: LabelledRows) -> Any:
    """A model of the kind that the learner trusts most, not yet fitted."""
    models = learner._core.models
    leading = int(np.argmax(models.mixture.trust))
    if leading == len(models.lanes.dampings):
        trees = ExtraTreesClassifier(n_estimators=TREES, random_state=0)
        if not sp.issparse(rows.X):
            return trees
        return make_pipeline(ColumnTransformer([("used", "passthrough", _used(rows, 0))]), trees)
    # The learner's penalties are for rows of length 1. Standardized ones are longer, by the root of their width.
    is_dense = not sp.issparse(rows.X)
    C = penalty(models, leading) / (rows.n_dense if is_dense else 1)
    by_rarity = not takes_roots(models, leading)
    return make_pipeline(_scaling(rows, by_rarity), LogisticRegression(C=C, max_iter=MOST_STEPS))


def _scaling(rows: LabelledRows, by_rarity: bool) -> Any:
    """What brings columns to one scale, as the learner does. Logarithms of counts stand for square roots."""
    if not sp.issparse(rows.X):
        return StandardScaler()
    # Values below 1 are weights already, and have no logarithm if they are signed.
    are_counts = bool((rows.X[:, rows.n_dense :].data >= 1).all())
    terms = TfidfTransformer(use_idf=by_rarity, sublinear_tf=are_counts)
    steps: list[Any] = [("terms", terms, _used(rows, rows.n_dense))]
    if rows.n_dense:
        steps.insert(0, ("numbers", StandardScaler(with_mean=False), slice(0, rows.n_dense)))
    return ColumnTransformer(steps)


def _used(rows: LabelledRows, first: int) -> NDArray[np.intp]:
    """The columns from `first` on that are not empty: of those of hashed words, nearly all are."""
    found = np.unique(rows.X.indices).astype(np.intp)
    return found[found >= first]
