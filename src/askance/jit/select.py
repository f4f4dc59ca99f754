"""Branch-free choices. Rules use them instead of `if`, so that one source works for numbers and for vectors."""

from typing import Any

from numba.extending import overload

from askance.jit.interop import INLINE, inlined
from askance.jit.simd.arithmetic import select
from askance.jit.simd.vector import Mask, Vector


def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` if `condition` holds, else `no`."""
    return yes if condition else no


@overload(where, jit_options=INLINE)
def _compiled_where(condition, yes, no):  # type: ignore[no-untyped-def]
    if any(isinstance(kind, Mask | Vector) for kind in (condition, yes, no)):
        return lambda condition, yes, no: select(condition, yes, no)
    return lambda condition, yes, no: yes if condition else no


@inlined
def maximum(a: Any, b: Any) -> Any:
    """The larger of two numbers."""
    return where(a > b, a, b)


@inlined
def minimum(a: Any, b: Any) -> Any:
    """The smaller of two numbers."""
    return where(a < b, a, b)


@inlined
def sign(value: Any, at_zero: Any) -> Any:
    """sgn of `value`; `at_zero` is sgn(0), on which the papers disagree."""
    return where(value > 0, 1.0, where(value < 0, -1.0, at_zero))
