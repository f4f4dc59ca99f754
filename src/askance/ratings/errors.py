"""How far off ratings are told."""

from typing import Any

import numpy as np


def rmse(told: Any, true: Any) -> float:
    """The root of the mean squared error."""
    return float(np.sqrt(np.mean((np.asarray(told) - np.asarray(true)) ** 2)))
