"""Numbers of a feature that lie side by side: addresses that are cheap to compute, and two numbers in one load.

The number of columns of an array is not known when a pass is compiled, so that the place of `numbers[j, k]` takes
a multiplication of 64-bit integers. Here it is a constant. In single precision, two numbers are loaded as one
integer, with half as many loads and addresses (decision 84). Vectors of lanes have places of their own.
"""

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from askance.jit.interop import INLINE, inlined

# How far the first and the second number are shifted in the integer.
SHIFTS = (0, 32) if sys.byteorder == "little" else (32, 0)


def side_by_side(numbers: Any, j: Any, k: int, size: int) -> Any:  # noqa: ARG001
    """Return the numbers `k` and `k` + 1 of feature `j`, for `first` and `second`. A feature has `size` numbers.

    The size is that of the array's second dimension. As a constant, it makes addresses cheap to compute.
    """
    return numbers[j, k], numbers[j, k + 1]


def alone(numbers: Any, j: Any, k: int, size: int) -> Any:  # noqa: ARG001
    """Return the number `k` of feature `j`. A feature has `size` numbers, as for `side_by_side`."""
    return numbers[j, k]


@inlined
def pair(pairs: Any, j: Any) -> Any:
    """Return the two numbers of feature `j`, for `first` and `second`."""
    return side_by_side(pairs, j, 0, 2)


def first(loaded: Any) -> Any:
    """Return the first of two numbers that were loaded together."""
    return loaded[0]


def second(loaded: Any) -> Any:
    """Return the second of two numbers that were loaded together."""
    return loaded[1]


@overload(side_by_side, jit_options=INLINE)
def _compiled_side_by_side(numbers, j, k, size):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(j, types.Integer) and numbers.dtype == types.float32:
        return lambda numbers, j, k, size: _loaded(numbers, np.uint64(j) * np.uint64(size) + np.uint64(k))
    return lambda numbers, j, k, size: (numbers[j, k], numbers[j, k + 1])  # noqa: ARG005


@overload(alone, jit_options=INLINE)
def _compiled_alone(numbers, j, k, size):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(j, types.Integer):
        return lambda numbers, j, k, size: _entry(numbers, np.uint64(j) * np.uint64(size) + np.uint64(k))
    return lambda numbers, j, k, size: numbers[j, k]  # noqa: ARG005


def _overload_half(function: Any, place: int) -> None:
    @intrinsic
    def half(_context, loaded):  # type: ignore[no-untyped-def]
        def generate(context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
            shifted = builder.lshr(arguments[0], arguments[0].type(SHIFTS[place]))
            number = context.get_value_type(types.float32)
            return builder.bitcast(builder.trunc(shifted, ir.IntType(32)), number)

        return types.float32(loaded), generate

    @overload(function, jit_options=INLINE)
    def compiled(loaded):  # type: ignore[no-untyped-def]
        if isinstance(loaded, types.Integer):
            return lambda loaded: half(loaded)
        return lambda loaded: loaded[place]


for _place, _function in enumerate((first, second)):
    _overload_half(_function, _place)


@intrinsic
def _loaded(_context, numbers, place):  # type: ignore[no-untyped-def]
    """The two entries of a contiguous array from `place` on, as one integer.

    Not as a tuple, which LLVM would take apart into two loads.
    """

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        pointer = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(64).as_pointer())
        return builder.load(pointer, align=4)

    return types.uint64(numbers, place), generate


@intrinsic
def _entry(_context, numbers, place):  # type: ignore[no-untyped-def]
    """The entry of a contiguous array at `place`."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.load(builder.gep(data, [arguments[1]]))

    return numbers.dtype(numbers, place), generate
