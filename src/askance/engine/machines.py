"""The choice of the machine that runs an update rule."""

from typing import Any

import numpy as np

from askance.engine.kernel_machine import KernelMachine
from askance.engine.machine import Machine
from askance.rules.kernel import RULES as DUAL
from askance.rules.state.recorded import nothing_recorded

AnyMachine = Machine | KernelMachine


def machine_for(
    update: Any, query: Any, dtype: np.dtype[Any], at_zero: float, *, many: bool, lanes: int, record: bool = False
) -> AnyMachine:
    """Return a machine in its initial state. Kernel rules are for two classes, which take one lane.

    With `record`, it keeps the scores that recent rows had before their labels were learned.
    """
    recent = nothing_recorded(lanes) if record else None
    if isinstance(update, DUAL):
        return KernelMachine(update, query, dtype, at_zero, recent=recent)
    return Machine(update, query, dtype, at_zero, many=many, lanes=lanes, recent=recent)
