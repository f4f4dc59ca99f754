"""Rank rows: those with the largest weights first, then the best ones without weight; duplicates last."""

import hashlib
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from askance.pool.ratio.problem import Similarities
from askance.pool.selection import Indices, largest
from askance.pool.views import AnyMatrix
from askance.typing import FloatArray

DIGITS = 9  # of a weight relative to the largest: smaller differences are due to rounding


def ranked(similarities: Similarities, p: FloatArray, r: FloatArray, n: int) -> Indices:
    """The `n` rows with the largest weights. Among equals, the earlier comes first.

    Only few rows may have weight. Rows without weight follow one by one: at each step, the row that maximises
    uncertainty × (1 − max similarity to rows already chosen).
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


def distinct(X: AnyMatrix, p: FloatArray) -> Indices:
    """The distinct rows, in order. Of identical rows, the most uncertain is kept, or else the first."""
    first: dict[bytes, int] = {}
    contents = list(_contents(X))
    for row in largest(p, len(p)):
        first.setdefault(contents[row], row)
    return np.sort(np.fromiter(first.values(), np.intp, len(first)))


def _contents(X: AnyMatrix) -> Iterator[bytes]:
    """A digest of each row: equal rows have equal digests."""
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


def _alike(similarities: Similarities, row: int) -> FloatArray:
    return similarities.weighted(np.array([row]), np.ones(1))
