"""From weights to a list of rows: the heaviest first, then the best of those without weight; copies last."""

import hashlib
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from askance.pool.ratio.solve import Similarities
from askance.pool.selection import Array, Indices, largest
from askance.pool.views import AnyMatrix

DIGITS = 9  # of a weight beside the largest: those that are closer differ by rounding alone


def ranked(similarities: Similarities, p: Array, r: Array, n: int) -> Indices:
    """The `n` rows with the largest weights, of equal ones the earlier.

    Few rows may have weight. Those without follow one by one: each the one with the largest uncertainty × (1 −
    largest similarity with a row before it).
    """
    weights = np.round(r / r.max(), DIGITS)
    rows = list(largest(weights, min(n, int(np.count_nonzero(weights)))))
    if len(rows) == n:
        return np.array(rows)
    likest = np.max([_alike(similarities, row) for row in rows], axis=0)
    above = p - min(p.min(), 0.0)
    left = np.ones(len(p), bool)
    left[rows] = False
    while len(rows) < n:
        rows.append(np.argmax(np.where(left, above * (1 - likest), -np.inf)))
        left[rows[-1]] = False
        likest = np.maximum(likest, _alike(similarities, rows[-1]))
    return np.array(rows)


def distinct(X: AnyMatrix, p: Array) -> Indices:
    """The rows that differ, in their order; of identical ones the most uncertain, and of these the first."""
    first: dict[bytes, int] = {}
    contents = list(_contents(X))
    for row in largest(p, len(p)):
        first.setdefault(contents[row], row)
    return np.sort(np.fromiter(first.values(), np.intp, len(first)))


def _contents(X: AnyMatrix) -> Iterator[bytes]:
    """The same few bytes for rows with the same numbers."""
    if not sp.issparse(X):
        return (_digest((row + 0.0).tobytes()) for row in X)  # -0 becomes 0
    canonical = X.copy()
    canonical.sum_duplicates()
    canonical.eliminate_zeros()
    ends = zip(canonical.indptr[:-1], canonical.indptr[1:], strict=True)
    return (
        _digest(canonical.indices[first:last].tobytes() + canonical.data[first:last].tobytes())
        for first, last in ends
    )


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _alike(similarities: Similarities, row: int) -> Array:
    return similarities.weighted(np.array([row]), np.ones(1))
