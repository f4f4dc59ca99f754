"""Vectors in compiled code do, lane by lane, what single numbers do."""

import ctypes
import math
import mmap
import os
from typing import Any

import numpy as np
import pytest

from askance.jit.interop import COMPILING, compiled
from askance.jit.select import maximum, minimum, sign, where
from askance.jit.simd.arithmetic import any_of
from askance.jit.simd.exponential import exp, sigmoid
from askance.jit.simd.vector import at, blocks, changing, first_lanes, four, held, lanes_of, only, sixteen, two
from thinning import rest_slow

DTYPES = ["float32", "float64"]
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30, 3.5, -2.25, 7.0, 0.1, 0.1, 5.0, -7.0, 2.0]
)


def numbers(dtype: str) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return SPECIAL.astype(dtype), rng.permutation(SPECIAL).astype(dtype)


def in_lanes(work: Any, dtype: str) -> Any:
    """`work(a, b)` of vectors, over all of two arrays."""

    def loop(a, b, out):  # type: ignore[no-untyped-def]
        zero = sixteen(a.dtype.type(0))
        for start in range(0, len(a), lanes_of(zero)):
            place = at(start, zero)
            out[place] = work(a[place], b[place])

    a, b = numbers(dtype)
    out = np.full_like(a, 99)
    compiled(loop, exact=True, cache=False)(a, b, out)
    return out


def one_by_one(work: Any, dtype: str) -> Any:
    a, b = numbers(dtype)
    with np.errstate(all="ignore"):
        return np.array([work(x, y) for x, y in zip(a, b, strict=True)], dtype)


WORK = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a / b,
    "number before": lambda a, b: 2 - a * 3.0 / 4,
    "negative": lambda a, b: -a + b,
    "size": lambda a, b: abs(a) - b,
    "root": lambda a, b: math.sqrt(abs(a)) + b,
    "maximum": maximum,
    "minimum": minimum,
    "sign": lambda a, b: sign(a, 1.0) + sign(b, -1.0),
    "choice": lambda a, b: where((a < b) & (b <= 3), a, where((a > 1) | (b >= 2), 5.0, b)),
    "equal": lambda a, b: where(a == b, 1.0, where(a != 0.0, 2.0, 3.0)) * a,
    "other": lambda a, b: where((a < b) ^ (a < 1.0), a, b),
    "one truth for all": lambda a, b: where((a < b) & True, a, b) + where((a < b) | False, a, b),
}


@pytest.mark.skipif(not COMPILING, reason="there are vectors in compiled code only")
@pytest.mark.parametrize("dtype", rest_slow(DTYPES, ["float32"]))
@pytest.mark.parametrize("what", WORK)
def test_what_vectors_do_is_what_numbers_do(what: str, dtype: str) -> None:
    work = compiled(WORK[what], exact=True, cache=False)
    found = in_lanes(work, dtype)
    wanted = one_by_one(WORK[what] if what != "root" else root_and_sum, dtype)
    assert found.tobytes() == wanted.tobytes() or np.array_equal(found, wanted, equal_nan=True)


def root_and_sum(a: Any, b: Any) -> Any:
    return np.sqrt(abs(a)) + b


def test_how_many_lanes() -> None:
    def count(x):  # type: ignore[no-untyped-def]
        return lanes_of(sixteen(x)), lanes_of(four(x)), lanes_of(two(x)), lanes_of(x)

    assert compiled(count, exact=True, cache=False)(1.0) == ((16, 4, 2, 1) if COMPILING else (1, 1, 1, 1))
    assert (four(3.0), two(3.0)) == (3.0, 3.0)
    assert (sixteen(3.0), lanes_of(sixteen(3.0)), at(7, 0.0), only(7, True)) == (3.0, 1, 7, 7)
    assert (changing(7, True), held(3.0)) == (7, 3.0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_lanes_that_fill_no_register_leave_their_neighbours_alone(dtype: str) -> None:
    def double(values, lanes):  # type: ignore[no-untyped-def]
        zero = sixteen(values.dtype.type(0))
        for lane in blocks(lanes, zero):
            place = only(at(lane, zero), first_lanes(lanes - lane, zero))
            values[place] = values[place] * 2

    doubled = compiled(double, exact=True, cache=False)
    for lanes in (1, 9, 16, 17, 32, 40):
        values = np.arange(1, 65).astype(dtype)
        doubled(values, lanes)
        assert values.tolist() == [number * (2 if number <= lanes else 1) for number in range(1, 65)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_exponential_function(dtype: str) -> None:
    def exponentials(values, out):  # type: ignore[no-untyped-def]
        zero = sixteen(values.dtype.type(0))
        for lane in blocks(len(values), zero):
            out[at(lane, zero)] = exp(values[at(lane, zero)])

    values = np.concatenate([np.linspace(-87, 87, 1021), [0.0, 1e-20, -1e-20]]).astype(dtype)
    assert len(values) % 16 == 0
    found = np.empty_like(values)
    compiled(exponentials, exact=True, cache=False)(values, found)
    assert found == pytest.approx(np.exp(values.astype(np.float64)), rel=8 * float(np.finfo(dtype).eps))
    assert found[-3:].tolist() == [1, 1, 1]
    if dtype == "float64":  # lanes, single numbers and plain Python agree to the last bit
        one = compiled(exp, exact=True, cache=False)
        assert found.tolist() == [exp(value) for value in values] == [one(value) for value in values]


def test_the_exponential_function_has_ends() -> None:
    assert exp(1e6) == exp(87.0) < 1e38
    assert 1e-38 < exp(-1e6) == exp(-87.0)
    assert [sigmoid(score) for score in (-1e9, 0.0, 1e9)] == [pytest.approx(0, abs=1e-37), 0.5, 1.0]


@pytest.mark.skipif(not COMPILING, reason="there are vectors in compiled code only")
@pytest.mark.parametrize("dtype", DTYPES)
def test_columns_of_pairs(dtype: str) -> None:
    def swap(pairs, start):  # type: ignore[no-untyped-def]
        zero = sixteen(pairs.dtype.type(0))
        place = only(at(start, zero), first_lanes(4, zero))
        first, second = pairs[place, 0], pairs[place, 1]
        pairs[place, 0] = second
        pairs[place, 1] += first * 10

    pairs = np.arange(20, dtype=dtype).reshape(10, 2)
    wanted = pairs.copy()
    wanted[3:7] = np.column_stack([wanted[3:7, 1], wanted[3:7, 1] + 10 * wanted[3:7, 0]])
    compiled(swap, exact=True, cache=False)(pairs, np.uint64(3))
    assert np.array_equal(pairs, wanted)


@pytest.mark.skipif(not COMPILING, reason="there are vectors in compiled code only")
def test_a_masked_place_writes_only_where_it_may() -> None:
    def mark(values, pairs):  # type: ignore[no-untyped-def]
        place = at(0, sixteen(0.0))
        odd = only(place, values[place] > 7)
        values[odd] = values[odd] * 2
        pairs[odd, 1] = sixteen(-1.0)
        return any_of(values[place] > 30), any_of(values[place] > 29)

    values, pairs = np.arange(20.0), np.arange(40.0).reshape(20, 2)
    found = compiled(mark, exact=True, cache=False)(values, pairs)
    assert found == (False, True)
    assert values.tolist() == [*range(8), *range(16, 32, 2), *range(16, 20)]
    assert pairs[:, 0].tolist() == [*range(0, 40, 2)]
    assert pairs[:, 1].tolist() == [*range(1, 17, 2), *[-1] * 8, *range(33, 40, 2)]


@pytest.mark.skipif(not COMPILING, reason="there are vectors in compiled code only")
@pytest.mark.parametrize("dtype", DTYPES)
def test_entries_that_change_in_some_lanes(dtype: str) -> None:
    def settle(values, pairs, start):  # type: ignore[no-untyped-def]
        zero = sixteen(values.dtype.type(0))
        place = at(start, zero)
        large = held(values[place] > 10)
        some = changing(place, large)
        values[some] = held(values[some] / 2)
        pairs[some, 0] += values[some]
        pairs[some, 1] = pairs[some, 0] * 2

    values, pairs = np.arange(20, dtype=dtype), np.arange(40, dtype=dtype).reshape(20, 2)
    compiled(settle, exact=True, cache=False)(values, pairs, np.uint64(2))
    moved = np.arange(11, 18)
    assert values.tolist() == [number / 2 if number in moved else number for number in range(20)]
    wanted = np.arange(40, dtype=dtype).reshape(20, 2)
    wanted[moved, 0] += moved / 2
    wanted[moved, 1] = wanted[moved, 0] * 2
    assert pairs.tolist() == wanted.tolist()


@pytest.mark.skipif(not COMPILING, reason="there are vectors in compiled code only")
@pytest.mark.skipif(os.name != "posix", reason="pages are protected as on POSIX")
@pytest.mark.parametrize("lanes", [1, 9, 17])
def test_lanes_beyond_the_end_of_an_array_are_not_touched(lanes: int) -> None:
    def double(values, lanes):  # type: ignore[no-untyped-def]
        zero = sixteen(values.dtype.type(0))
        for lane in blocks(lanes, zero):
            place = only(at(lane, zero), first_lanes(lanes - lane, zero))
            values[place] = values[place] * 2

    with mmap.mmap(-1, 2 * mmap.PAGESIZE) as memory:
        pages = np.frombuffer(memory, np.float64).reshape(2, -1)
        closed = ctypes.c_void_p(pages[1].ctypes.data), ctypes.c_size_t(mmap.PAGESIZE)
        protect = ctypes.CDLL(None).mprotect
        values = pages[0, -lanes:]
        values[:] = np.arange(lanes)
        assert protect(*closed, 0) == 0  # whoever reads or writes there now is ended by the system
        compiled(double, exact=True, cache=False)(values, lanes)
        assert protect(*closed, mmap.PROT_READ | mmap.PROT_WRITE) == 0
        assert values.tolist() == [2.0 * number for number in range(lanes)]
        del values, pages
