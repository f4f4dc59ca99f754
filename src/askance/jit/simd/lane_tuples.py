"""Named tuples with a different number for each lane, for compiled code."""

from typing import Any, NamedTuple

import numpy as np
from numba.core.types.containers import BaseNamedTuple
from numba.core.types.containers import NamedTuple as TupleType
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from askance.jit.interop import INLINE
from askance.jit.simd.vector import LANES, Vector, load


class PerLane(NamedTuple):
    """One number per lane, in place of a single number."""

    values: NDArray[Any]


def per_lane(tuples: list[Any], dtype: np.dtype[Any]) -> Any:
    """Merge named tuples of one type, one per lane. Floats become `PerLane`; other fields come from the first."""
    first = tuples[0]
    parts = []
    for place, part in enumerate(first):
        is_number = isinstance(part, float | np.floating)
        parts.append(PerLane(np.array([one[place] for one in tuples], dtype)) if is_number else part)
    return type(first)(*parts)


def laned(given: Any) -> Any:
    """Return the named tuple with a vector for each `PerLane`. Only compiled code can call this."""
    raise NotImplementedError


@overload(laned, jit_options=INLINE)
def _compiled_laned(given):  # type: ignore[no-untyped-def]
    if isinstance(given, BaseNamedTuple):
        return lambda given: _laned(given)
    return lambda given: given  # a rule without parameters has nothing to replace


@intrinsic
def _laned(_context, given):  # type: ignore[no-untyped-def]
    is_per_lane = [getattr(kind, "instance_class", None) is PerLane for kind in given.types]
    kinds = [
        Vector(kind.types[0].dtype, LANES) if alike else kind
        for kind, alike in zip(given.types, is_per_lane, strict=True)
    ]
    result = TupleType(kinds, given.instance_class)

    def generate(context, builder, _signature, arguments):  # type: ignore[no-untyped-def]
        parts = []
        for place, (kind, alike) in enumerate(zip(given.types, is_per_lane, strict=True)):
            part = builder.extract_value(arguments[0], place)
            if alike:
                part = load(context, builder, kind.types[0], builder.extract_value(part, 0), LANES)
            else:
                context.nrt.incref(builder, kind, part)
            parts.append(part)
        return context.make_tuple(builder, result, parts)

    return result(given), generate
