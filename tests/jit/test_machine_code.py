"""Machine code from disk, which is loaded without preparing numba's compiler."""

import pickle
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import pytest
from numba import config

from askance.jit.source_digest import PACKAGE

PLACES = [PACKAGE, *([config.CACHE_DIR] if config.CACHE_DIR else [])]

# Both run in processes of their own: in this one, the compiler may have been prepared.
DECIDES = """if True:
    import sys
    from askance.learners.core import LearnerCore
    from askance.learners.settings import Settings
    from askance.rules.query import Margin
    from askance.rules.update import PassiveAggressive2
    learner = LearnerCore(PassiveAggressive2(), Margin(), Settings(classes=["ham", "spam"]))
    print(learner.ask([1.0, 0.5]))
    learner.tell([1.0, 0.5], "spam")
    print(learner.ask([1.0, 0.5]))
    print("numba.np.linalg" in sys.modules, file=sys.stderr)
"""
RESOLVES = """if True:
    import sys
    import llvmlite.binding as llvm
    from numba.core.registry import cpu_target
    from numba.core.runtime import rtsys
    rtsys.initialize(cpu_target.target_context)
    print([name for name in sys.argv[1:] if llvm.address_of_symbol(name) is None])
"""


def ran(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)


def called(bitcode: bytes) -> set[str]:
    """What a module uses and does not define."""
    module = llvm.parse_bitcode(bitcode)
    used = [each for part in (module.functions, module.global_variables) for each in part if each.is_declaration]
    return {each.name for each in used if not each.name.startswith("llvm.")}


@pytest.mark.compiled
def test_machine_code_from_disk_decides_alike_and_needs_no_compiler() -> None:
    first, second = ran(DECIDES), ran(DECIDES)  # the first may compile
    assert second.stderr == "False\n"
    assert second.stdout == first.stdout
    assert "prediction='spam'" in first.stdout


@pytest.mark.slow
@pytest.mark.compiled
def test_all_that_machine_code_calls_is_there_without_the_compiler() -> None:
    """Otherwise loading it would end the process: some functions of numba register what they call on import."""
    ran(DECIDES)
    names: set[str] = set()
    for path in (path for place in PLACES for path in Path(place).rglob("*.nbc")):
        try:
            (_, kind, content), *_ = pickle.loads(path.read_bytes())
        except (ImportError, AttributeError):  # of an earlier version
            continue
        assert kind == "object"
        names |= called(content[1])
    assert "PyErr_SetString" in names
    assert ran(RESOLVES, *sorted(names)).stdout == "[]\n"
    assert ran(RESOLVES, "_numba_hashsecret_djbx33a_suffix").stdout != "[]\n"  # which the compiler would bring
