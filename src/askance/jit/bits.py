"""Operations on the bits of a word that take one processor instruction."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from askance.jit.interop import INLINE


def trailing_zeros(word: Any) -> np.uint64:
    """The number of zero bits below the lowest set bit; 64 if no bit is set."""
    return np.uint64((int(word) & -int(word)).bit_length() - 1 if word else 64)


@overload(trailing_zeros, jit_options=INLINE)
def _compiled_trailing_zeros(word):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda word: _trailing_zeros(word)


@intrinsic
def _trailing_zeros(_context, word):  # type: ignore[no-untyped-def]
    def generate(_context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.uint64(word), generate
