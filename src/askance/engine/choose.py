"""Choices without branches: rules use these instead of `if`, so that one source fits numbers and lanes."""

from typing import Any

from askance.engine.seam import inlined


@inlined
def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` if `condition` holds, else `no`."""
    return yes if condition else no


@inlined
def larger(a: Any, b: Any) -> Any:
    """The larger of two numbers."""
    return a if a > b else b


@inlined
def smaller(a: Any, b: Any) -> Any:
    """The smaller of two numbers."""
    return a if a < b else b


@inlined
def sign(value: Any, at_zero: Any) -> Any:
    """sgn of `value`; `at_zero` is sgn(0), on which the papers disagree."""
    return where(value > 0, 1.0, where(value < 0, -1.0, at_zero))
