"""Constraints of hyper-parameters, as data. They are checked when a learner starts."""

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple

from askance.errors import ParameterError


class Interval(NamedTuple):
    """An interval of numbers.

    Parameters
    ----------
    low : float
        The lower end.
    high : float, default=inf
        The upper end.
    low_closed : bool, default=False
        Whether `low` itself is allowed.
    high_closed : bool, default=True
        Whether `high` itself is allowed.
    whole : bool, default=False
        Whether only whole numbers are allowed.

    Examples
    --------
    >>> Interval(0, 1).allows(0.5), Interval(0, 1).allows(0)
    (True, False)
    >>> str(Interval(0, 1))
    'greater than 0 and at most 1'
    """

    low: float
    high: float = math.inf
    low_closed: bool = False
    high_closed: bool = True
    whole: bool = False

    def allows(self, value: Any) -> bool:
        """Return whether `value` is a number in the interval. NaN never is."""
        if (
            isinstance(value, bool)
            or not isinstance(value, Real)
            or (self.whole and not isinstance(value, Integral))
        ):
            return False
        try:
            number = float(value)
        except OverflowError:  # an integer larger than any float
            return False
        above = number >= self.low if self.low_closed else number > self.low
        return above and (number <= self.high if self.high_closed else number < self.high)

    def wanted(self, value: Any) -> str:
        """Describe the allowed values, for an error about `value`."""
        if isinstance(value, bool) or not isinstance(value, Real):
            return "a number"
        return f"a whole number, {self}" if self.whole and not isinstance(value, Integral) else str(self)

    def __str__(self) -> str:
        low = f"{self.low:g} or more" if self.low_closed else f"greater than {self.low:g}"
        if self.high == math.inf:
            return low if self.high_closed else f"{low} and finite"
        return f"{low} and {'at most' if self.high_closed else 'less than'} {self.high:g}"


class Boolean(NamedTuple):
    """A bool. 0 and 1 are not allowed."""

    def allows(self, value: Any) -> bool:
        """Return whether `value` is a bool."""
        return isinstance(value, bool)

    def wanted(self, value: Any) -> str:  # noqa: ARG002
        """Describe the allowed values."""
        return "True or False"


class OneOf(NamedTuple):
    """One of several strings.

    Parameters
    ----------
    allowed : tuple of str
        The allowed strings.
    """

    allowed: tuple[str, ...]

    def allows(self, value: Any) -> bool:
        """Return whether `value` is one of the strings."""
        return isinstance(value, str) and value in self.allowed

    def wanted(self, value: Any) -> str:  # noqa: ARG002
        """Describe the allowed values."""
        return " or ".join(map(repr, self.allowed))


Constraints = Mapping[str, Interval | Boolean | OneOf]

YES_OR_NO = Boolean()

POSITIVE = Interval(0, high_closed=False)
POSITIVE_OR_INFINITE = Interval(0)
NOT_NEGATIVE = Interval(0, low_closed=True)
NOT_NEGATIVE_AND_FINITE = Interval(0, low_closed=True, high_closed=False)
SHARE = Interval(0, 1)
COUNT = Interval(1, 1e6, low_closed=True, whole=True)


def check_parameters(owner: Any, constraints: Constraints) -> None:
    """Raise ParameterError for the first field of `owner` that violates its constraint."""
    kind = type(owner).__name__
    for name, constraint in constraints.items():
        value = getattr(owner, name)
        if not constraint.allows(value):
            raise ParameterError(kind, name, value, constraint.wanted(value))
