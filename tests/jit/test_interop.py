"""The compiler is on or off as the run says."""

import os

import pytest

from askance.jit.interop import COMPILING, compiled, when_compiling


def add(a: int, b: int) -> int:
    return a + b


@pytest.mark.plain
@pytest.mark.compiled
def test_the_compiler_is_on_unless_it_was_turned_off() -> None:
    assert (os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")) == COMPILING
    assert (compiled(add, exact=True, cache=False) is add) == (not COMPILING)


@pytest.mark.plain
@pytest.mark.compiled
def test_the_first_compilation_is_told_and_no_other() -> None:
    told: list[str] = []
    old, new, third = (compiled(lambda a, b: a * b + 1, exact=True, cache=False) for _ in range(3))
    old(1, 2)
    with when_compiling(lambda: told.append("now")):
        old(1, 2)
        assert not told
        assert new(2, 3) == 7
        assert third(2, 3) == 7
        assert told == ["now"] * COMPILING
    compiled(add, exact=True, cache=False)(1, 2)
    assert told == ["now"] * COMPILING
