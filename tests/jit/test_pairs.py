"""Numbers that lie side by side: in compiled code they are those of the array, for every kind of index."""

from typing import Any

import numba
import numpy as np
import pytest

from askance.jit.interop import COMPILING
from askance.jit.pairs import alone, first, pair, second, side_by_side

DTYPES = [np.float32, np.float64]
INDICES = [np.int64, np.uint32, np.uint64]


@numba.njit
def numbers_of(numbers: Any, j: Any) -> Any:
    """The three numbers of a feature, in three ways."""
    left, right = side_by_side(numbers, j, 0, 3), side_by_side(numbers, j, 1, 3)
    return first(left), second(left), first(right), second(right), alone(numbers, j, 2, 3)


@numba.njit
def pair_of(pairs: Any, j: Any) -> Any:
    """The two numbers of a feature."""
    loaded = pair(pairs, j)
    return first(loaded), second(loaded)


@pytest.mark.plain
@pytest.mark.compiled
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", INDICES)
def test_numbers_are_those_of_the_array(dtype: Any, index: Any) -> None:
    triples = np.array([[1, -2, 3], [-0.0, np.inf, 1e-40], [np.finfo(dtype).max, 0, -5]], dtype)
    pairs = np.ascontiguousarray(triples[:, :2])
    for j, (a, b, c) in enumerate(triples):
        wanted = np.array([a, b, b, c, c], dtype)
        assert np.array(numbers_of(triples, index(j)), dtype).tobytes() == wanted.tobytes()
        assert np.array(pair_of(pairs, index(j)), dtype).tobytes() == wanted[:2].tobytes()


@pytest.mark.compiled
@pytest.mark.skipif(not COMPILING, reason="the compiler is off")
@pytest.mark.parametrize("dtype", DTYPES)
def test_two_numbers_in_single_precision_are_one_load(dtype: Any) -> None:
    @numba.njit
    def total(pairs: Any, j: Any) -> Any:
        loaded = pair(pairs, j)
        return np.float64(first(loaded)) + np.float64(second(loaded))

    assert total(np.array([[1, 2], [3, 4]], dtype), np.uint32(1)) == 7
    (code,) = total.inspect_llvm().values()
    loads = [line for line in code.splitlines() if "load i64" in line and "align 4" in line]
    assert bool(loads) == (dtype == np.float32)
