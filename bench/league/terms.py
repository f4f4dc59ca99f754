"""Weights of terms as a stream sees them, for learners that bring none of their own."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from bench.league.scripts import without_negatives


def weighted(X: Any, X_held: Any) -> tuple[Any, Any]:
    """Sparse rows as (1 + log count) × idf at length 1. The idf of a row counts the rows up to it."""
    X, X_held = without_negatives(X), without_negatives(X_held)
    seen = np.zeros(X.shape[1])
    factors = np.empty(X.nnz)
    for t in range(X.shape[0]):
        part = slice(X.indptr[t], X.indptr[t + 1])
        seen[X.indices[part]] += 1
        factors[part] = rarity(seen[X.indices[part]], t + 1)
    return _scaled(X, factors), _scaled(X_held, rarity(seen[X_held.indices], X.shape[0]))


def rarity(seen: Any, rows: int) -> Any:
    """The idf of terms that occurred in `seen` of the rows, as scikit-learn defines it."""
    return np.log((1 + rows) / (1 + seen)) + 1


def _scaled(X: Any, factors: Any) -> Any:
    logarithms = np.log(X.data, where=X.data > 0, out=np.full(X.nnz, -1.0)) + 1
    values = sp.csr_array((logarithms * factors, X.indices, X.indptr), shape=X.shape)
    lengths = np.sqrt(values.power(2).sum(axis=1))
    return sp.csr_array(values.multiply(1 / np.maximum(lengths, 1e-12)[:, np.newaxis]))
