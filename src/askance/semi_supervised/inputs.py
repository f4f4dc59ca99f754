"""Inputs of semi-supervised learning: rows of which only some have a label."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from askance.errors import DataWarning
from askance.learners.labels import as_labels

UNLABELLED = -1
# With a smaller share of nonzero entries, a sparse matrix is faster than a dense one.
SPARSE = 0.25


class LabelledSplit(NamedTuple):
    """The labelled rows with their labels, and the unlabelled rows."""

    labelled: Any
    labels: NDArray[Any]
    unlabelled: Any

    def stacked(self) -> Any:
        """All rows, the labelled ones first."""
        if sp.issparse(self.labelled):
            return sp.vstack([self.labelled, self.unlabelled], format="csr")
        return np.vstack([self.labelled, self.unlabelled])

    def bounds(self, labelled: float, unlabelled: float) -> NDArray[np.float64]:
        """One number for each labelled row, and another for each unlabelled row."""
        return np.repeat([labelled, unlabelled], [self.labelled.shape[0], self.unlabelled.shape[0]]).astype(float)


class KnownLabels(NamedTuple):
    """Which rows have a label, the labels of these, and whether some of the others are -1 and some missing."""

    rows: NDArray[np.bool_]
    labels: NDArray[Any]
    mixed: bool


def split_labelled(X: Any, y: ArrayLike) -> LabelledSplit:
    """Split rows into labelled and unlabelled ones. Warn if some of these are -1, which may be a class."""
    known, labels, mixed = known_labels(y, X.shape[0])
    if not known.any():
        raise ValueError("y has only -1, None or NaN: label at least one row of each class")
    if mixed:
        warnings.warn(
            "y has -1 and missing labels, and both mean that a row has no label: "
            "if -1 is a class, write it as another number",
            DataWarning,
            stacklevel=3,
        )
    return LabelledSplit(X[known], labels, X[~known])


def known_labels(y: ArrayLike, rows: int) -> KnownLabels:
    """The labels that are neither -1 nor missing."""
    if y is None:
        raise ValueError(
            "Rossel requires y to be passed, but the target y is None: use -1 for rows without a label"
        )
    # As objects, whole numbers of pandas stay whole beside NA.
    given = column_or_1d(np.asarray(y, object) if hasattr(y, "iloc") else y, warn=True)
    if len(given) != rows:
        raise ValueError(f"X has {rows} rows but y has {len(given)} labels: lengths must match")
    missing = np.array([_is_missing(label) for label in given.tolist()], bool)
    known = ~missing
    known[known] = [label != UNLABELLED for label in given[known].tolist()]
    mixed = bool(missing.any() and not (known | missing).all())
    return KnownLabels(known, as_labels(given[known].tolist(), int(known.sum())), mixed)


def _is_missing(label: Any) -> bool:
    """Whether a label is None, NA of pandas, which compares with nothing, or NaN, which is not equal to itself."""
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


def as_features(X: Any, *, constant: bool) -> Any:
    """The rows, sparse if most entries are 0, and with an additional feature of ones if `constant`."""
    if not sp.issparse(X) and np.count_nonzero(X) < SPARSE * X.size:
        X = sp.csr_array(X)
    X = with_short_indices(X)
    if not constant:
        return X
    ones = np.ones((X.shape[0], 1))
    return sp.hstack([X, ones], format="csr") if sp.issparse(X) else np.hstack([X, ones])


def with_short_indices(X: Any) -> Any:
    """The same rows; if sparse, with 32-bit indices where possible, because LIBLINEAR needs them."""
    if not sp.issparse(X) or X.nnz > np.iinfo(np.int32).max:
        return X
    return sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
