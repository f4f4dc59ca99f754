"""Arrays, sparse matrices and single rows as the rows that passes take, and the weights of rows."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from askance._util.parameters import check_parameters
from askance.errors import shown
from askance.rules.rows import NOT_FINITE, SOUND, TOO_WIDE, TORN, UNSORTED, AnyRows, DenseRows, Row, SparseRows
from askance.rules.update import RULES

INT32, UINT32 = np.dtype(np.int32), np.dtype(np.uint32)
LARGEST_COLUMN = np.iinfo(np.int32).max

# When columns are too different for a linear learner, judging by the first rows.
LOOKED_AT, FEWEST_TO_JUDGE = 200, 10
LARGEST_SIZE, LARGEST_RATIO = 1e4, 1e3
SCALE_THEM = "pass scaling='standard', or use AutoLearner, which scales them itself"


def is_plain(X: Any) -> bool:
    """Whether `X` is an array or a CSR matrix of floats, which needs no conversion."""
    if isinstance(X, np.ndarray):
        return X.ndim == 2 and X.dtype.kind == "f" and 0 not in X.shape
    return sp.issparse(X) and X.format == "csr" and X.ndim == 2 and X.dtype.kind == "f" and 0 not in X.shape


def as_rows(X: Any, dtype: np.dtype[Any]) -> AnyRows:
    """The rows of an array or CSR matrix, not yet checked."""
    if not sp.issparse(X):
        return DenseRows(_contiguous(X, dtype))
    if X.shape[1] > LARGEST_COLUMN:
        raise ValueError(f"X has {X.shape[1]} columns, more than {LARGEST_COLUMN}: hash the features")
    _check_pointer(X)
    indices = _as_indices(X.indices).view(UINT32)
    return SparseRows(X.indptr.astype(np.uint64), indices, _contiguous(X.data, dtype))


def _check_pointer(X: Any) -> None:
    """Raise ValueError if the index pointer of a CSR matrix does not begin at 0, or is of another length."""
    if X.indptr[0] != 0:
        raise ValueError(f"X is not a valid CSR matrix: its index pointer starts with {X.indptr[0]}, not 0")
    if len(X.indptr) != X.shape[0] + 1:
        raise ValueError(
            f"X is not a valid CSR matrix: its index pointer fits {len(X.indptr) - 1} rows, not {X.shape[0]}"
        )


def sorted_csr(X: Any) -> Any:
    """A CSR matrix whose entries were unsorted or duplicated; ValueError if they are no entries of it."""
    _check_pointer(X)
    # SciPy trusts the index pointer, and would write out of bounds.
    torn = (np.diff(X.indptr) < 0) | (X.indptr[1:] > min(len(X.indices), len(X.data)))
    if torn.any():
        raise ValueError(sentence(TORN, int(np.argmax(torn)), None))
    beyond = (X.indices < 0) | (X.indices >= X.shape[1])
    if beyond.any():
        raise ValueError(sentence(TOO_WIDE, int(np.searchsorted(X.indptr, np.argmax(beyond), "right")) - 1, None))
    X = X.copy()
    X.sum_duplicates()
    return X


def sound_rows(X: Any, dtype: np.dtype[Any], work: Callable[[AnyRows], tuple[int, int, Any]]) -> Any:
    """What `work` returns for the rows of `X`; ValueError, and no change, if it finds a bad row.

    Sparse rows are sorted only if that turns out to be necessary: checking first is cheaper.
    """
    rows = as_rows(X, dtype)
    kind, bad, found = work(rows)
    if kind == UNSORTED:
        rows = as_rows(sorted_csr(X), dtype)
        kind, bad, found = work(rows)
    if kind != SOUND:
        raise ValueError(sentence(kind, bad, rows))
    return found


def one_row(x: Any, dtype: np.dtype[Any], width: int | None, elastic: bool) -> tuple[AnyRows, int]:
    """A single row for `ask` or `tell`, not yet checked, and its width; ValueError if it does not fit.

    A `Row` does not fix the number of features. While nothing else has (`elastic`), new features get room.
    """
    if isinstance(x, Row):
        indices, values = _as_indices(x[0]), _contiguous(x[1], dtype)
        shape = indices.shape
        if len(shape) != 1 or shape != values.shape:
            raise ValueError(
                f"indices and values of a row must have the same length, not {shape} and {values.shape}"
            )
        # The same as SparseRows(...), without the cost of a Python call.
        rows = tuple.__new__(SparseRows, (_from_0_to(shape[0]), indices.view(UINT32), values))
        if not elastic:
            return rows, width or 0
        return rows, max(width or 0, int(indices[-1]) + 1 if len(indices) else 0)
    X = x if sp.issparse(x) else np.asarray(x)
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: x must hold real numbers")
    if X.ndim == 0:
        raise ValueError(f"x must be one row of features, not {shown(x)}{_how_to_hash(x)}")
    if X.ndim > 2 or (X.ndim == 2 and X.shape[0] != 1):
        raise ValueError(f"x must be one row of features, not an array of shape {X.shape}")
    X = _sorted_row(X) if sp.issparse(x) else _contiguous(X.reshape(1, -1), dtype)
    if width is not None and X.shape[1] != width:
        raise ValueError(f"x has {X.shape[1]} features, but this learner has {width}")
    return as_rows(X, dtype), X.shape[1]


def _sorted_row(x: Any) -> Any:
    """One sparse row as a CSR matrix whose feature numbers increase."""
    X = sp.csr_array(x.reshape(1, -1))
    return X if (np.diff(X.indices) > 0).all() else sorted_csr(X)


def _how_to_hash(x: Any) -> str:
    """What to do with a text or a record where a row is expected."""
    if isinstance(x, str):
        return ": make a row of a text with askance.data.hash_texts([text])"
    return ": make a row of a record with askance.data.hash_records([record])" if isinstance(x, Mapping) else ""


def unlike_columns(X: Any, remedy: str = SCALE_THEM) -> str | None:
    """What to say if the columns of an array are of very different size, or very large; otherwise None."""
    if sp.issparse(X) or X.shape[0] < FEWEST_TO_JUDGE:
        return None
    varies = X[:LOOKED_AT].min(axis=0) < X[:LOOKED_AT].max(axis=0)
    first = np.sort(np.abs(X[:LOOKED_AT]), axis=0)
    # The median of what is not 0: neither is a rare category small, nor is one wrong value typical.
    middle = len(first) - (np.count_nonzero(first, axis=0) + 1) // 2
    sizes = first[np.minimum(middle, len(first) - 1), np.arange(X.shape[1])]
    sizes = sizes[varies & np.isfinite(sizes)]
    if not len(sizes):
        return None
    smallest, largest = sizes.min(), sizes.max()
    if largest <= LARGEST_SIZE and largest <= LARGEST_RATIO * smallest:
        return None
    return (
        f"typical values of the columns range from {smallest:.2g} to {largest:.2g}, and a linear learner follows "
        f"the largest: {remedy}"
    )


def checked_coins(coins: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Coins that a user passed: one number in [0, 1) per row, or as many as the rule uses."""
    given = np.ascontiguousarray(coins, np.float64)
    if given.shape != shape:
        numbers = "one number" if len(shape) == 1 else f"{shape[1]} numbers"
        raise ValueError(
            f"coins must hold {numbers} per row, for {shape[0]} rows, not an array of shape {given.shape}"
        )
    if not ((given >= 0) & (given < 1)).all():
        raise ValueError("coins must be uniform numbers of at least 0 and less than 1")
    return given


def checked_weights(sample_weight: ArrayLike, n_rows: int, update: Any) -> NDArray[np.float64]:
    """Weights of rows that a user passed: one finite number per row, for a rule that can use them.

    Some may be 0, for rows to leave out.
    """
    if not hasattr(update, "weighted"):
        raise TypeError(
            f"{type(update).__name__} cannot weight rows: leave out sample_weight, or use {weightable()}"
        )
    weights = np.atleast_1d(np.asarray(sample_weight, np.float64))
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight must hold one number per row, {n_rows} in all, not shape {weights.shape}")
    positive = weights[weights > 0]
    if not ((weights >= 0) & (weights < np.inf)).all() or not len(positive):
        raise ValueError("sample_weight must hold positive finite numbers, or zero for some rows to leave out")
    for weight in (positive.min(), positive.max()):
        rule = update.weighted(float(weight))
        check_parameters(rule, rule.constraints())
    return weights


def weightable() -> str:
    """The update rules that can weight rows."""
    return ", ".join(rule.__name__ for rule in RULES if hasattr(rule, "weighted"))


@functools.cache
def _from_0_to(stop: int) -> NDArray[np.uint64]:
    return np.array([0, stop], np.uint64)


def _as_indices(indices: Any) -> NDArray[Any]:
    """Feature numbers as 32-bit integers; ValueError if they do not fit."""
    if type(indices) is np.ndarray and indices.dtype is INT32 and indices.flags.carray:
        return indices
    given = np.asarray(indices)
    if given.size and given.dtype.kind not in "iu":
        raise ValueError(f"feature numbers must be integers, not {given.ravel()[:1].tolist()[0]!r}")
    if given.size and (given.max() > LARGEST_COLUMN or given.min() < -LARGEST_COLUMN):
        raise ValueError(f"feature numbers must be at most {LARGEST_COLUMN}: renumber the features or hash them")
    return _contiguous(given, INT32)


def _contiguous(array: Any, dtype: np.dtype[Any]) -> NDArray[Any]:
    if type(array) is np.ndarray and array.dtype is dtype and array.flags.carray:
        return array  # np.require does the same, but is slow enough to be noticed in `ask`
    with np.errstate(over="ignore"):  # `check` finds infinite values
        return np.require(array, dtype, ["C", "A"])


def sentence(kind: int, t: int, rows: AnyRows | None) -> str:
    """The error message for row `t`: what is wrong, and what to do."""
    if kind == TORN:
        return f"X is not a valid CSR matrix: its index pointer is wrong at row {t}"
    if kind == TOO_WIDE:
        return f"row {t} of X has a feature beyond the last column"
    if kind == UNSORTED:
        return f"row {t} of X must have strictly increasing feature numbers"
    assert kind == NOT_FINITE
    assert rows is not None
    dtype = rows.values.dtype
    values = rows.values[rows.starts[t] : rows.starts[t + 1]] if isinstance(rows, SparseRows) else rows.values[t]
    if np.isfinite(values).all():
        remedy = "scale it down" if dtype == np.float64 else "scale it down or use dtype='float64'"
        return f"row {t} of X is too long for {dtype}: {remedy}"
    return f"Input X contains NaN, infinity or a value too large for {dtype}, first in row {t}: replace it"
