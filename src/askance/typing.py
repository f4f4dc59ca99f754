"""Type aliases that the whole library shares."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "BoolArray", "FloatArray", "IntArray", "Key", "MatrixLike"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Array = NDArray[Any]

# A two-dimensional array, anything that NumPy converts to one, a SciPy sparse matrix or array, or a data frame of
# pandas, polars or pyarrow. None of the last three is a dependency, so the type cannot name them.
MatrixLike = Any

# What tells items, users or models apart: text or a whole number.
Key = str | int
