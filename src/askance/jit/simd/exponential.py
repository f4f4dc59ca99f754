"""The exponential function in plain arithmetic.

The result is the same to the last bit for a number and for every lane of a vector, compiled or not. Math libraries
of different machines differ in the last bit, and none of them handles sixteen lanes at a time.
"""

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from askance.jit.interop import INLINE, inlined
from askance.jit.select import maximum, minimum
from askance.jit.simd.arithmetic import library
from askance.jit.simd.vector import Vector

# Single precision ends near e^±87; logistic functions and probabilities do not need more.
FURTHEST = 87.0
OCTAVES = 1 / math.log(2)
# ln 2 in two parts. The first has few enough digits for integer multiples of it to be exact.
LN_2_HIGH = 0.693145751953125
LN_2_LOW = 1.4286068203094173e-06

# 1/k! for k = 13, …, 0: for |r| ≤ ln 2 / 2, later terms vanish in double precision.
TERMS = tuple(1 / math.factorial(k) for k in range(13, -1, -1))


@inlined
def exp(x: Any) -> Any:
    """Return eˣ, computed as 2ⁿ eʳ with an integer n and |r| ≤ ln 2 / 2. x is clipped to ±87."""
    x = maximum(minimum(x, FURTHEST), -FURTHEST)
    n = whole_part(x * OCTAVES + 0.5)
    r = x - n * LN_2_HIGH - n * LN_2_LOW
    total = r * TERMS[0] + TERMS[1]
    total = total * r + TERMS[2]
    total = total * r + TERMS[3]
    total = total * r + TERMS[4]
    total = total * r + TERMS[5]
    total = total * r + TERMS[6]
    total = total * r + TERMS[7]
    total = total * r + TERMS[8]
    total = total * r + TERMS[9]
    total = total * r + TERMS[10]
    total = total * r + TERMS[11]
    total = total * r + TERMS[12]
    total = total * r + TERMS[13]
    return total * two_to(n)


@inlined
def sigmoid(x: Any) -> Any:
    """Return 1 / (1 + e⁻ˣ)."""
    return 1.0 / (1.0 + exp(-x))


def whole_part(x: Any) -> Any:
    """Return the largest integer that is not greater than x, in the same precision."""
    return np.floor(x)


@overload(whole_part, jit_options=INLINE)
def _compiled_whole_part(x):  # type: ignore[no-untyped-def]
    if isinstance(x, Vector):
        return lambda x: _whole_parts(x)
    return lambda x: np.floor(x)


@intrinsic
def _whole_parts(_context, vector):  # type: ignore[no-untyped-def]
    return vector(vector), lambda _context, builder, _signature, arguments: library("floor")(builder, arguments[0])


def two_to(n: Any) -> Any:
    """Return 2ⁿ for an integer n."""
    return math.ldexp(1.0, int(n))


@overload(two_to, jit_options=INLINE)
def _compiled_two_to(n):  # type: ignore[no-untyped-def]  # noqa: ARG001
    return lambda n: _two_to(n)


@intrinsic
def _two_to(_context, n):  # type: ignore[no-untyped-def]
    """Write the exponent into the exponent bits of a float of that precision."""
    element = n.element if isinstance(n, Vector) else n
    bits, bias, fraction = (32, 127, 23) if element == types.float32 else (64, 1023, 52)

    def generate(context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        kind = ir.IntType(bits)
        if isinstance(n, Vector):
            kind = ir.VectorType(kind, n.count)
            constants = [ir.Constant(kind, [number] * n.count) for number in (bias, fraction)]
        else:
            constants = [kind(bias), kind(fraction)]
        shifted = builder.shl(builder.add(builder.fptosi(arguments[0], kind), constants[0]), constants[1])
        return builder.bitcast(shifted, context.get_value_type(n))

    return n(n), generate
