"""Data sets for experiments: rows in memory, and their permutations."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.data import read
from askance.data.mixed import as_matrix
from askance.data.stacking import stacked
from askance.data.stream import Stream, is_stream
from askance.datasets import REGISTER, load
from askance.errors import DataError
from askance.jit.coins import coins
from askance.learners.features import Features
from askance.learners.inputs import as_rows, sound_rows
from askance.metrics.positive import default_positive, place_of_class
from askance.rules.rows import AnyRows, SparseRows

# From this share of non-zeros on, a loop over all features is faster than one over the non-zero ones.
DENSE = 0.4

LARGER = object()  # in place of a positive class: the larger of two, as in papers


class Dataset(NamedTuple):
    """A data set. Labels are -1 and +1 for the last class, or class numbers for more than two classes."""

    name: str
    X: Any
    y: NDArray[np.float64]
    classes: tuple[Any, ...]
    digest: str

    @property
    def many(self) -> bool:
        """Whether there are more than two classes."""
        return len(self.classes) > 2


class ShuffledDataset(NamedTuple):
    """The rows of a data set in the order of a permutation, with the coins of its rounds."""

    rows: AnyRows
    X: Any
    y: NDArray[np.float64]
    coins: NDArray[np.float64]


def make_dataset(name: str, X: Any, y: Any, dtype: np.dtype[Any]) -> Dataset:
    """Create a data set; ValueError if nothing can be learned from it."""
    X = sp.csr_array(X) if sp.issparse(X) else np.asarray(X, dtype)
    if X.ndim != 2 or len(np.atleast_1d(y)) != X.shape[0]:
        raise ValueError(f"{name}: X must be a matrix and y must have one label per row")
    try:
        rows = sound_rows(X, dtype, lambda found: (*found.check(0, *X.shape), found))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"{name}: all rows have the label {classes.tolist()[0]!r}, so nothing can be learned")
    labels = np.asarray(2.0 * codes - 1.0 if len(classes) == 2 else codes, np.float64)
    X = _as_matrix(X, rows)
    return Dataset(name, X, labels, tuple(classes.tolist()), fingerprint(X, labels))


def with_positive(given: Dataset, positive: Any) -> Dataset:
    """The same data set with +1 for the positive class: the one given, or the rarer one if it is clearly rarer."""
    if positive is LARGER or given.many:
        if positive is not None and positive is not LARGER:
            raise ValueError(f"{given.name}: positive is for two classes, and there are {len(given.classes)}")
        return given
    positives = int((given.y > 0).sum())
    place = default_positive([len(given.y) - positives, positives])
    if positive is not None:
        place = place_of_class(positive, given.classes)
    if place == 1:
        return given
    return given._replace(y=-given.y, classes=given.classes[::-1], digest=fingerprint(given.X, -given.y))


def _as_matrix(X: Any, rows: AnyRows) -> Any:
    """Return the rows as a matrix of the wanted precision, dense if many numbers are not zero."""
    X = _matrix_of(rows, X.shape[1])
    return X.toarray() if sp.issparse(X) and X.nnz > DENSE * X.shape[0] * X.shape[1] else X


def _matrix_of(rows: AnyRows, width: int) -> Any:
    if not isinstance(rows, SparseRows):
        return rows.values
    starts = rows.starts.astype(np.int64)
    return sp.csr_array((rows.values, rows.indices.view(np.int32), starts), shape=(len(starts) - 1, width))


def fingerprint(X: Any, y: NDArray[Any]) -> str:
    """Return a short digest of rows and labels."""
    digest = hashlib.sha256(repr((X.shape, X.dtype.str)).encode())
    parts = (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)
    for part in (*parts, y):
        digest.update(np.ascontiguousarray(part).data)
    return digest.hexdigest()[:16]


def load_datasets(data: Any, dtype: np.dtype[Any]) -> list[Dataset]:
    """Load data sets: pairs (X, y) and streams by name, one pair, or streams, files and registered names."""
    if isinstance(data, Mapping):
        return [make_dataset(name, *_rows_of(name, given), dtype) for name, given in data.items()]
    if isinstance(data, tuple) and len(data) == 2 and not isinstance(data[0], str) and not is_stream(data[0]):
        return [make_dataset("data", *data, dtype)]
    given = list(data) if isinstance(data, Sequence) and not isinstance(data, str) else [data]
    found = [make_dataset(*_load(one, dtype), dtype) for one in given]
    _check_names([one.name for one in found])
    return found


def _check_names(names: list[str]) -> None:
    """DataError if two data sets have the same name: results would not tell them apart."""
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(
            f"two data sets have the name {twice!r}: give each its own, as in "
            f'data = {{"{twice}-1": read("..."), "{twice}-2": read("...")}}, or with name = in a plan'
        )


def _rows_of(name: str, given: Any) -> tuple[Any, Any]:
    if is_stream(given):
        return _all_rows(given)
    if not (isinstance(given, tuple | list) and len(given) == 2):
        raise ValueError(f"{name}: expected a pair (X, y), or a stream such as read(...)")
    return given[0], given[1]


def _load(source: Any, dtype: np.dtype[Any]) -> tuple[str, Any, Any]:
    """Load all rows of a stream, a file, or a registered data set."""
    if isinstance(source, str) and source in REGISTER and not Path(source).exists():
        return source, *load(source)
    stream = source if is_stream(source) else read(source, dtype=str(dtype))
    return stream.name, *_all_rows(stream)


def _all_rows(stream: Stream) -> tuple[Any, Any]:
    chunks = list(stream)
    if not chunks or any(chunk.y is None for chunk in chunks):
        raise DataError(f"{stream.name} has no labels: experiments need labelled rows")
    return as_matrix(stacked([chunk.X for chunk in chunks])), np.concatenate([chunk.y for chunk in chunks])


def shuffled(
    given: Dataset, random_state: int, permutation: int, features: Features | None = None
) -> ShuffledDataset:
    """Permute a data set; `random_state` and the number of the permutation decide its order and its coins.

    With `features`, the rows are those that a learner makes of them: on the scale of the rows before.
    """
    order = np.random.default_rng([random_state, permutation]).permutation(len(given.y))
    X = given.X[order]
    own = int(np.random.SeedSequence([random_state, permutation, 1]).generate_state(1, np.uint64)[0])
    return ShuffledDataset(*as_seen(X, features), given.y[order], coins(own, 0, len(order)))


def as_seen(X: Any, features: Features | None) -> tuple[AnyRows, Any]:
    """Return the rows that rules see of a matrix, and the matrix of these rows."""
    rows = as_rows(X, X.dtype)
    if features is None:
        return rows, X
    seen, width = features.apply(rows, X.shape[1], lambda rows, width: (rows, width), observe=True)
    return seen, _matrix_of(seen, width)
