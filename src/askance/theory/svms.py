"""Linear support vector machines without an intercept, as candidates for comparators."""

import math
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.typing import FloatArray

# The costs of losses that are tried, for rows of length 1.
COSTS = (0.01, 1.0, 100.0, 10_000.0)

# Any comparator is valid, so for large data only some rows are used, with less precision. In entries × classes.
MOST_ENTRIES = 1e7
MANY_ENTRIES = 1e6
# The Crammer-Singer solver cannot be stopped early, so it is used only for few rows × classes.
FEW_ROWS = 20_000


def fit_svms(X: Any, codes: NDArray[Any], classes: int) -> list[FloatArray]:
    """Fit one SVM per cost; returns their weights, with one row per class if codes are class indices."""
    several = codes.dtype.kind == "i"
    entries = (X.nnz if sp.issparse(X) else X.size) * (classes if several else 1)
    some = slice(None, None, max(1, math.ceil(entries / MOST_ENTRIES)))
    features = np.unique(X.indices) if sp.issparse(X) else np.arange(X.shape[1])
    part = X[some][:, features]
    length = float(np.sqrt(_squares(part).sum(axis=1).max())) or 1.0
    fitted = _fitted(*_two_sided(part / length, codes[some], classes), several=several)
    return [
        _spread(weights / length, shown, features, (classes, X.shape[1]), several) for weights, shown in fitted
    ]


def _squares(X: Any) -> Any:
    return X.multiply(X) if sp.issparse(X) else X**2


def _fitted(X: Any, codes: NDArray[Any], *, several: bool) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """The weights of each SVM, and their classes."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    shown = len(np.unique(codes))
    large = (X.nnz if sp.issparse(X) else X.size) * (shown if several else 1) > MANY_ENTRIES
    kind: dict[str, Any] = {"tol": 1e-2, "max_iter": 100} if large else {}
    if several and len(codes) * shown <= FEW_ROWS:
        kind["multi_class"] = "crammer_singer"
    found = []
    for cost in COSTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            svm = LinearSVC(C=cost, fit_intercept=False, random_state=0, **kind).fit(X, codes)
        found.append((svm.coef_, svm.classes_))
    return found


def _two_sided(X: Any, codes: NDArray[Any], classes: int) -> tuple[Any, NDArray[Any]]:
    """Rows and labels as scikit-learn needs them: more than one class, and 32-bit indices."""
    if sp.issparse(X):
        X = sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    if (codes != codes[0]).any():
        return X, codes
    # Without an intercept, the row -x with the opposite label is equivalent.
    other = (codes + 1) % classes if codes.dtype.kind == "i" else -codes
    return (sp.vstack if sp.issparse(X) else np.vstack)([X, -X]), np.concatenate([codes, other])


def _spread(weights: Any, shown: Any, features: Any, shape: tuple[int, int], several: bool) -> FloatArray:
    """The weights of all features and classes; those that the SVM was not shown are 0."""
    every = np.zeros(shape if several else (1, shape[1]))
    if not several:
        every[0, features] = weights[0]
        return every[0]
    if len(weights) == 1:  # as in scikit-learn for two classes
        weights = np.vstack([-weights, weights]) / 2
    every[np.ix_(shown.astype(np.intp), features)] = weights
    return every
