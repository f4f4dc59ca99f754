"""What a single value of a table is: missing, a number, a date, or one of the levels of a category."""

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from numbers import Real
from re import ASCII, IGNORECASE
from re import compile as pattern
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.files import Where, shown
from askance.data.notation import DECIMAL_POINT, PLAIN, written_date, written_number
from askance.errors import DataError
from askance.typing import FloatArray

RawColumn = Sequence[Any] | NDArray[Any]
"""The values of a column as they come: an array of numbers, or a list of cells or of Python values."""

MISSING_WORDS = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none", "?"})
LARGEST = 1e100  # sums of squares must not overflow
# The end of a message about a value that is of another kind than its column.
AS_CATEGORY = ", as in the first rows: fix it, or make the column categorical with categories="
MISSING = "(missing)"  # the level of a category without a value

# Python's float() also accepts 1_000 and digits of other scripts, which are names in a table, not numbers.
_is_number = pattern(r"[-+]?((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|inf|infinity)", ASCII | IGNORECASE).fullmatch
_date_parts = pattern(
    r"(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::\d{2}(?:[.,]\d+)?)?(?:Z|[-+]\d{2}:?\d{2})?)?",
    ASCII,
).fullmatch


class Moment(NamedTuple):
    """The parts of a date that may matter; `hour` is None without a time."""

    year: int
    month: int
    weekday: int
    hour: float | None


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: empty, NA, ?, NaN, null and the like."""
    if isinstance(value, str):
        return value.strip().lower() in MISSING_WORDS
    return value is None or (isinstance(value, float | Decimal) and math.isnan(value))


def number_of(value: Any, notation: str = PLAIN) -> float | None:
    """A value as a number, with NaN for a missing one; None if it is something else."""
    if isinstance(value, str):
        bare = value.strip()
        if bare.lower() in MISSING_WORDS:
            return math.nan
        if notation != PLAIN:
            return written_number(bare, notation)
        return float(bare) if _is_number(bare) else None
    if value is None:
        return math.nan
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real | Decimal):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def column_number(value: Any, notation: str, *, lenient: bool) -> float | None:
    """A value of a column of numbers; None if it is something else.

    Where all first ones are plain, a later one may still have groups of digits, but for lenient columns.
    """
    number = number_of(value, notation)
    if number is None and notation == PLAIN and not lenient:
        return number_of(value, DECIMAL_POINT)
    return number


def numbers_of(
    values: RawColumn,
    name: str,
    where: Where,
    *,
    lenient: bool = False,
    remedy: str = AS_CATEGORY,
    notation: str = PLAIN,
) -> FloatArray:
    """The numbers of a column, with NaN for missing ones; raises DataError for anything else, unless `lenient`."""
    numbers = _quick_numbers(values) if notation == PLAIN or isinstance(values, np.ndarray) else None
    if numbers is None:
        found = [column_number(value, notation, lenient=lenient) for value in values]
        for row, number in enumerate(found):
            if number is None and not lenient:
                raise DataError(
                    f"{where(row)}, column {shown(name)}: {shown(values[row])} is not a number{remedy}",
                    parameter="categories",
                )
        numbers = np.array([math.nan if number is None else number for number in found])
    too_large = np.abs(numbers) > LARGEST  # false for NaN
    if too_large.any():
        row = int(np.argmax(too_large))
        raise DataError(
            f"{where(row)}, column {shown(name)}: {numbers[row]:g} is too large or infinite: fix it or empty it"
        )
    return numbers


def _quick_numbers(values: RawColumn) -> FloatArray | None:
    """The numbers of a column where all is as usual; None if values have to be looked at one by one."""
    if isinstance(values, np.ndarray):
        return values.astype(np.float64)
    try:
        joined = "".join(values)
        if not joined.isascii() or "_" in joined:
            return None
        return np.array([float(cell) if cell else math.nan for cell in values])
    except (TypeError, ValueError):
        return None


def level_of(value: Any) -> str:
    """The level of a category to which a value belongs."""
    if is_missing(value):
        return MISSING
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))  # 8001.0 is how a postcode looks in a column with missing values
    return value.isoformat() if isinstance(value, date) else str(value).strip()


def moment_of(value: Any, notation: str = PLAIN) -> Moment | None:
    """The parts of a date; None if it is something else."""
    if isinstance(value, str):
        value = _date_of(value.strip()) if notation == PLAIN else written_date(value, notation)
    elif not isinstance(value, date):
        value = None
    if value is None:
        return None
    hour = value.hour + value.minute / 60 if isinstance(value, datetime) else None
    return Moment(value.year, value.month, value.weekday(), hour)


def _date_of(text: str) -> date | None:
    """A date, with its time if it has one; None if the text is something else."""
    found = _date_parts(text)
    if found is None:
        return None
    year, _, month, day, hour, minute = found.groups()
    try:
        if hour is None:
            return date(int(year), int(month), int(day))
        return datetime(int(year), int(month), int(day), int(hour), int(minute))
    except ValueError:
        return None
