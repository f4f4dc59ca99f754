"""Arrays with room for more."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def longer(array: NDArray[Any], count: int) -> NDArray[Any]:
    """A copy with `count` entries along the first dimension, zeros at the end."""
    found = np.zeros((count, *array.shape[1:]), array.dtype)
    found[: len(array)] = array
    return found
