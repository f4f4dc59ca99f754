"""The three data sets of the yardsticks, made with a fixed random_state.

The frequencies of sparse features fall off as in text, as 1 / (rank + 20), and a feature's column says nothing of
its rank. A has the shape of RCV1 and B that of the malicious-URL data; on both, a processor's cache gains from
frequent features, as it does here.

Labels come from a planted separator. Every value is a multiple of 10^-6, so that text with six decimals and
arrays hold the same numbers.
"""

import hashlib
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

DECIMALS = 6
# The most frequent feature of a Zipf law with this shift is in about half of the rows.
SHIFT = 20.0
# Shares of labels turned round: enough that a learner stays in doubt, not enough that it learns nothing.
FLIPPED = 0.05


class Shape(NamedTuple):
    """Rows, columns and features a row; as many features as columns means dense."""

    rows: int
    columns: int
    features: int
    random_state: int

    @property
    def dense(self) -> bool:
        return self.features == self.columns


class Dataset(NamedTuple):
    """Rows of about unit length and their labels, -1 and +1."""

    name: str
    X: Any
    y: NDArray[np.int64]

    def digest(self) -> str:
        """Tells whether two data sets hold the same numbers."""
        parts = (self.X.data, self.X.indices, self.X.indptr) if sp.issparse(self.X) else (self.X,)
        total = hashlib.sha256()
        for part in (*parts, self.y):
            total.update(f"{part.dtype} {part.shape}".encode())
            total.update(np.ascontiguousarray(part).data)
        return total.hexdigest()


SHAPES = {
    "A": Shape(200_000, 47_236, 75, random_state=1),
    "B": Shape(200_000, 3_200_000, 115, random_state=2),
    "C": Shape(500_000, 54, 54, random_state=3),
}
QUICK_SHAPES = {
    "A": Shape(4_000, 47_236, 75, random_state=1),
    "B": Shape(4_000, 3_200_000, 115, random_state=2),
    "C": Shape(10_000, 54, 54, random_state=3),
}


def make_dataset(name: str, shape: Shape) -> Dataset:
    """Rows and labels of a shape."""
    random = np.random.default_rng(shape.random_state)
    values = unit_values(random, shape)
    if shape.dense:
        X: Any = values
    else:
        columns = zipf_columns(random, shape)
        starts = np.arange(0, columns.size + 1, shape.features, dtype=np.int32)
        X = sp.csr_array((values.ravel(), columns.ravel(), starts), shape=(shape.rows, shape.columns))
    return Dataset(name, X, planted_labels(random, X))


def unit_values(random: np.random.Generator, shape: Shape) -> NDArray[np.float32]:
    """Normal values, scaled to rows of unit length and rounded; none is 0."""
    values = random.standard_normal((shape.rows, shape.features))
    values *= 10**DECIMALS / np.sqrt(np.einsum("ij,ij->i", values, values))[:, np.newaxis]
    whole = np.rint(values).astype(np.int32)
    whole[whole == 0] = 1
    rounded: NDArray[np.float32] = (whole / 10**DECIMALS).astype(np.float32)
    return rounded


def zipf_columns(random: np.random.Generator, shape: Shape) -> NDArray[np.int32]:
    """Different columns in each row, ascending; their frequencies are Zipf's."""
    ranks = np.sort(zipf_ranks(random, (shape.rows, shape.features), shape.columns))
    unfinished = np.arange(shape.rows)
    while len(unfinished):
        part = ranks[unfinished]
        again = np.zeros(part.shape, np.bool_)
        again[:, 1:] = part[:, 1:] == part[:, :-1]
        part[again] = zipf_ranks(random, (int(np.count_nonzero(again)),), shape.columns)
        ranks[unfinished] = np.sort(part)
        unfinished = unfinished[again.any(axis=1)]
    columns = random.permutation(shape.columns).astype(np.int32)[ranks]
    return np.sort(columns)


def zipf_ranks(random: np.random.Generator, size: tuple[int, ...], columns: int) -> NDArray[np.int32]:
    """Ranks from 0 on, drawn with probabilities that fall as 1 / (rank + SHIFT), by inverting the distribution."""
    ranks = SHIFT * (1.0 + columns / SHIFT) ** random.random(size) - SHIFT
    return np.minimum(ranks, columns - 1).astype(np.int32)


def planted_labels(random: np.random.Generator, X: Any) -> NDArray[np.int64]:
    """The sides of a random hyperplane, some of them turned round."""
    separator = random.standard_normal(X.shape[1])
    positive = (X @ separator > 0) ^ (random.random(X.shape[0]) < FLIPPED)
    return np.where(positive, 1, -1)
