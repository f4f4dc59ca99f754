"""A dot product as several partial sums side by side.

Strict arithmetic does not let the compiler split a sum, so a plain loop adds one number at a time. Here the sum is
split in the source. The result is the same to the last bit in plain Python and in compiled code, strict or
relaxed.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from askance.jit.interop import INLINE
from askance.jit.simd.vector import LANES


def lane_dot(a: Any, first: Any, b: Any, count: int) -> Any:
    """Return Σ a_(first + j) b_j over j < count.

    LANES partial sums are added up first, where lane l has every j with j mod LANES = l. The upper half of the
    lanes is then added to the lower half until one sum is left. The last count mod LANES products come at the end.
    """
    whole = count - count % LANES
    a = a[int(first) :]
    sums = [sum((a[j] * b[j] for j in range(lane, whole, LANES)), 0.0) for lane in range(LANES)]
    while len(sums) > 1:
        sums = [lower + upper for lower, upper in zip(sums[: len(sums) // 2], sums[len(sums) // 2 :], strict=True)]
    total = sums[0]
    for j in range(whole, count):
        total += a[j] * b[j]
    return total


@overload(lane_dot, jit_options=INLINE)
def _compiled_lane_dot(a, first, b, count):  # type: ignore[no-untyped-def]  # noqa: ARG001
    def dot(a, first, b, count):  # type: ignore[no-untyped-def]
        whole = count - count % LANES
        total = _whole_lanes(a, np.int64(first), b, whole)
        for feature in range(whole, count):
            j = np.uint64(feature)
            total += a[np.uint64(first) + j] * b[j]
        return total

    return dot


@intrinsic
def _whole_lanes(_context, a, first, b, whole):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """The part of `lane_dot` that fills whole lanes."""
    vector, number = ir.VectorType(ir.DoubleType(), LANES), ir.IntType(64)

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        start, other = (
            context.make_array(signature.args[place])(context, builder, arguments[place]).data for place in (0, 2)
        )
        arrays = builder.gep(start, [arguments[1]]), other
        sums = cgutils.alloca_once_value(builder, ir.Constant(vector, [0.0] * LANES))
        with cgutils.for_range_slice(builder, number(0), arguments[3], number(LANES), number) as (j, _):
            left, right = (
                builder.load(builder.bitcast(builder.gep(part, [j]), vector.as_pointer()), align=8)
                for part in arrays
            )
            builder.store(builder.fadd(builder.load(sums), builder.fmul(left, right)), sums)
        return builder.extract_element(_folded(builder, builder.load(sums)), ir.IntType(32)(0))

    return types.float64(a, types.int64, b, types.int64), generate


def _folded(builder: Any, sums: Any) -> Any:
    """Add the upper half of a vector to the lower half until one number is left."""
    width = sums.type.count
    while width > 1:
        width //= 2
        nothing = ir.Constant(sums.type, ir.Undefined)
        lower, upper = (
            builder.shuffle_vector(sums, nothing, ir.Constant(ir.VectorType(ir.IntType(32), width), list(places)))
            for places in (range(width), range(width, 2 * width))
        )
        sums = builder.fadd(lower, upper)
    return sums
