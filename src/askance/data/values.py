"""The numbers that may stand in a row: finite ones of one of two types."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.errors import DataError

DTYPES = ("float32", "float64")


def check_dtype(dtype: str) -> None:
    """Refuse anything but the two types that rules compute in."""
    if dtype not in DTYPES:
        raise DataError(f"dtype={dtype!r}: give 'float32' or 'float64'", parameter="dtype")


def largest(dtype: str) -> float:
    """The largest finite number of a type."""
    return float(np.finfo(np.dtype(dtype)).max)


def first_unfit(values: NDArray[Any], dtype: str) -> int | None:
    """Where, in flat order, the first value stands that is not finite or too large for the type."""
    # Beside the largest number of a longer type, one of a shorter would overflow.
    bound = min(largest(dtype), largest(str(values.dtype))) if values.dtype.kind == "f" else largest(dtype)
    fits = np.abs(values) <= bound  # a comparison with NaN is false
    return None if fits.all() else int(np.argmin(fits))


def unfit(value: float, dtype: str) -> str:
    """Why a value cannot stand in a row, and what to do."""
    if np.isfinite(value):
        return f"{value} does not fit {dtype}: read it with dtype='float64'"
    return f"{value} is not a finite number: mend it or leave the row out"
