"""Both ways of masking on one machine: child processes compile for processors with and without masked loads."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite import binding

from askance.jit.processor import has_masked_instructions

ROOT = Path(__file__).parents[2]
# Names and features of processors: one without masked instructions, and one without masks of a bit per lane.
PROCESSORS = {"x86-64-v2": "+sse4.2,+popcnt", "haswell": "+avx2,+fma,+popcnt"}
FILES = ["jit/test_vector.py", "engine/test_bank.py"]
RUNS = [(file, processor) for file in FILES for processor in PROCESSORS]


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ("+sse4.2,-avx,+popcnt", False),
        ("+sse4.2,+avx", True),
        ("+avx2", True),
        ("+neon,+sve", False),  # LLVM does not use SVE for vectors of a fixed length
        ("", False),
    ],
)
def test_which_processors_have_masked_instructions(features: str, expected: bool) -> None:
    assert has_masked_instructions(features) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("file", "processor"), RUNS)
def test_vectors_and_banks_on_other_processors(file: str, processor: str) -> None:
    lacks = [name for name in PROCESSORS[processor].split(",") if name not in host()]
    if platform.machine() not in ("x86_64", "AMD64") or lacks:
        pytest.skip(f"this processor cannot run code for {processor}")
    chosen = {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": PROCESSORS[processor]}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/{file}", "-m", "compiled"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **chosen}, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def host() -> list[str]:
    """The features of the processor that runs this."""
    features: str = binding.get_host_cpu_features().flatten()
    return features.split(",")
