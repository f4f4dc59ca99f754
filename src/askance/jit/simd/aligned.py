"""Arrays aligned to cache lines, so that sixteen single-precision numbers side by side are in one line.

If they are spread over two lines, a pass over a bank or an ensemble takes a fifth longer.
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from askance.jit.interop import BYTES_OF_A_LINE


def aligned_zeros(count: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return an aligned array of `count` zeros."""
    kind = np.dtype(dtype)
    room = np.zeros(count * kind.itemsize + BYTES_OF_A_LINE, np.uint8)
    start = -room.ctypes.data % BYTES_OF_A_LINE
    return room[start : start + count * kind.itemsize].view(kind)


def aligned_copy(array: NDArray[Any]) -> NDArray[Any]:
    """Return an aligned copy of an array."""
    copy = aligned_zeros(array.size, array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
