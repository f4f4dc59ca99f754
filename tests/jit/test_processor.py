"""What code is made for a processor, compiled in child processes that do not run it."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import types

from askance.jit.interop import COMPILING, compiled
from askance.jit.processor import avoid_slow_gathers

ROOT = Path(__file__).parents[2]
FEATURES = "+avx2,+fma,+avx512f,+avx512bw,+avx512dq,+avx512vl"


def total(values, places):  # type: ignore[no-untyped-def]
    avoid_slow_gathers()
    found = values.dtype.type(0)
    for k in range(places.shape[0]):
        found += values[places[k]]
    return found


def assembly() -> str:
    """The machine code of `total`, with relaxed arithmetic, for which LLVM uses vectors."""
    function = compiled(total, exact=False, cache=False)
    signature = types.float32[::1], types.uint32[::1]
    function.compile(signature)  # type: ignore[attr-defined]
    code: str = function.inspect_asm(signature)  # type: ignore[attr-defined]
    return code


@pytest.mark.skipif(not COMPILING, reason="about machine code")
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="about x86")
@pytest.mark.parametrize(("name", "gathers"), [("cascadelake", False), ("sapphirerapids", True)])
def test_gathers_are_used_where_they_are_fast(name: str, gathers: bool) -> None:
    script = "import test_processor; print(test_processor.assembly())"
    chosen = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": FEATURES}
    paths = os.pathsep.join([str(ROOT / "tests" / "jit"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **chosen, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "addps" in done.stdout
    assert ("gatherd" in done.stdout or "gatherq" in done.stdout) == gathers


@pytest.mark.plain
@pytest.mark.compiled
def test_the_result_does_not_depend_on_it() -> None:
    values, places = np.arange(100, dtype=np.float32), np.arange(0, 100, 3, dtype=np.uint32)
    assert compiled(total, exact=False, cache=False)(values, places) == sum(range(0, 100, 3))
