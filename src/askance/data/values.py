"""The numbers that a row may have: finite values of one of two types."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.errors import DataError

DTYPES = ("float32", "float64")


def check_dtype(dtype: str) -> None:
    """Raise DataError unless the type is one that rules compute in."""
    if dtype not in DTYPES:
        raise DataError(f"dtype={dtype!r}: give 'float32' or 'float64'", parameter="dtype")


def largest(dtype: str) -> float:
    """The largest finite number of a type."""
    return float(np.finfo(np.dtype(dtype)).max)


def first_unfit(values: NDArray[Any], dtype: str) -> int | None:
    """The flat index of the first value that is not finite or too large for the type."""
    # Comparing with the largest number of a longer type would overflow.
    bound = min(largest(dtype), largest(str(values.dtype))) if values.dtype.kind == "f" else largest(dtype)
    fits = np.abs(values) <= bound  # comparisons with NaN are false
    return None if fits.all() else int(np.argmin(fits))


def unfit(value: float, dtype: str) -> str:
    """Why a value cannot be in a row, and what to do."""
    if np.isfinite(value):
        return f"{value} is too large for {dtype}: read it with dtype='float64'"
    return f"{value} is not a finite number: fix it or leave the row out"
