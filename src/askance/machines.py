"""Which machine an update rule runs on."""

from typing import Any

import numpy as np

from askance.dual import RULES as DUAL
from askance.dual.machine import DualMachine
from askance.engine.machine import Machine


def machine_for(update: Any, query: Any, dtype: np.dtype[Any], at_zero: float) -> Machine | DualMachine:
    """A machine that has learned nothing yet."""
    kind = DualMachine if isinstance(update, DUAL) else Machine
    return kind(update, query, dtype, at_zero)
