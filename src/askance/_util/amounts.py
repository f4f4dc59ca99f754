"""Amounts of money as exact numbers."""

from decimal import Decimal
from typing import Any

MOST_DIGITS = 12  # after the point


def exact(value: Any) -> Decimal:
    """An amount as an exact number; a float is what it is printed as, so that 0.01 is a hundredth."""
    return Decimal(str(value))


def is_amount(number: Decimal) -> bool:
    """Whether a number is an amount from 0 on, without too many digits after the point."""
    exponent = number.as_tuple().exponent
    return number.is_finite() and number >= 0 and isinstance(exponent, int) and -exponent <= MOST_DIGITS
