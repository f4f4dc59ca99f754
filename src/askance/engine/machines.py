"""Which machine an update rule runs on."""

from typing import Any

import numpy as np

from askance.engine.kernel_machine import KernelMachine
from askance.engine.machine import Machine
from askance.rules.kernel import RULES as DUAL

AnyMachine = Machine | KernelMachine


def machine_for(
    update: Any, query: Any, dtype: np.dtype[Any], at_zero: float, *, many: bool, lanes: int
) -> AnyMachine:
    """A machine that has learned nothing yet. Rules in dual form are for two classes, which is one lane."""
    if isinstance(update, DUAL):
        return KernelMachine(update, query, dtype, at_zero)
    return Machine(update, query, dtype, at_zero, many=many, lanes=lanes)
