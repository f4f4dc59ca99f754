"""What code has to know about the processor that it is compiled for."""

from typing import Any

import numba
from llvmlite import binding
from numba.core import types
from numba.core.codegen import get_host_cpu_features
from numba.extending import lower_builtin, type_callable

# A gather loads several numbers from different places in one instruction, and a scatter stores them. In these
# processors, the correction of a fault (Gather Data Sampling, 2023) makes gathers slower than single loads.
SLOW_GATHERS = (
    *("skylake", "skylake-avx512", "cascadelake", "cooperlake"),
    *("icelake-client", "icelake-server", "tigerlake", "rocketlake"),
)
WITHOUT_GATHERS = "+prefer-no-gather,+prefer-no-scatter"


def has_masked_instructions(features: str) -> bool:
    """Return whether a processor with these features can load and store under a mask in one instruction."""
    return any(feature.startswith("+avx") for feature in features.split(","))


def target_features() -> str:
    """Return the features of the processor that numba compiles for: this one, or what NUMBA_CPU_FEATURES says."""
    given: str | None = numba.config.CPU_FEATURES
    features: str = get_host_cpu_features() if given is None else given
    return features


def target_name() -> str:
    """Return the name of the processor that numba compiles for: this one, or what NUMBA_CPU_NAME says."""
    name: str = numba.config.CPU_NAME or binding.get_host_cpu_name()
    return name


def avoid_slow_gathers() -> None:
    """Let the compiled function that calls this load and store numbers one by one, if gathers are slow here."""


@type_callable(avoid_slow_gathers)  # type: ignore[untyped-decorator]
def _avoid_type(context: Any) -> Any:  # noqa: ARG001
    return lambda: types.none


@lower_builtin(avoid_slow_gathers)  # type: ignore[untyped-decorator]
def _avoid(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
    if target_name() in SLOW_GATHERS:
        # An attribute of the function that has the loops. For LLVM it replaces the processor's features, so it has
        # to repeat them. llvmlite's own `add` knows no attributes with values.
        features = f'"target-features"="{target_features()},{WITHOUT_GATHERS}"'
        set.add(builder.function.attributes, features)
    return context.get_dummy_value()
