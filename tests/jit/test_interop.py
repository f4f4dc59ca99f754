"""The compiler is on or off as the run says."""

import os

import pytest

from askance.jit.interop import COMPILING, compiled


def add(a: int, b: int) -> int:
    return a + b


@pytest.mark.plain
@pytest.mark.compiled
def test_the_compiler_is_on_unless_it_was_turned_off() -> None:
    assert (os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")) == COMPILING
    assert (compiled(add, exact=True, cache=False) is add) == (not COMPILING)
