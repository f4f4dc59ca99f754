"""The choice of the machine that runs an update rule."""

from typing import Any

import numpy as np

from askance.engine.kernel_machine import KernelMachine
from askance.engine.machine import Machine
from askance.rules.kernel import RULES as DUAL

AnyMachine = Machine | KernelMachine


def machine_for(
    update: Any, query: Any, dtype: np.dtype[Any], at_zero: float, *, many: bool, lanes: int
) -> AnyMachine:
    """Return a machine in its initial state. Kernel rules are for two classes, which take one lane."""
    if isinstance(update, DUAL):
        return KernelMachine(update, query, dtype, at_zero)
    return Machine(update, query, dtype, at_zero, many=many, lanes=lanes)
