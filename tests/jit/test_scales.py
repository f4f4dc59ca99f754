"""The kernels that scale rows: machine code does what the same code does in Python, to the last bit."""

from typing import Any

import numpy as np

from askance.jit.kernels import columns, terms
from askance.rules.rows import SparseRows


def test_columns() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)) * [1, 1e-9, 1e9, 3, 0] + [0, 1, 1e9, 0, 2]

    def found(standardize: Any) -> list[Any]:
        statistics = np.zeros(1, np.int64), np.zeros(5), np.zeros(5)
        values, later = np.empty_like(X), np.empty_like(X)
        standardize(X, *statistics, True, values)
        standardize(X, *statistics, False, later)
        return [*statistics, values, later]

    for compiled, plain in zip(found(columns.standardize), found(columns._standardize), strict=True):
        np.testing.assert_array_equal(compiled, plain)


def test_terms() -> None:
    rng = np.random.default_rng(0)
    counts = rng.poisson(2.0, 400) * rng.choice([-1.0, 0.3, 1.0], 400)
    indices = np.sort(rng.integers(0, 50, (40, 10)), axis=1).astype(np.uint32)
    rows = SparseRows(np.arange(0, 401, 10, dtype=np.uint64), indices.ravel(), counts)

    def found(weigh: Any, discount: Any) -> list[Any]:
        statistics = np.zeros(1, np.int64), np.zeros(50, np.int64)
        values, later = np.empty_like(counts), np.empty_like(counts)
        weigh(rows, *statistics, True, values)
        weigh(rows, *statistics, False, later)
        observed = [array.copy() for array in statistics]
        discount(rows, *statistics)
        assert not any(array.any() for array in statistics)
        return [*observed, values, later]

    compiled, plain = found(terms.weigh, terms.discount), found(terms._weigh, terms._discount)
    for one, other in zip(compiled, plain, strict=True):
        np.testing.assert_array_equal(one, other)
