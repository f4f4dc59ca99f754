"""Limits of hyper-parameters, as data: checked once, when a learner is made."""

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, NamedTuple


class Limit(NamedTuple):
    """An interval of allowed values, perhaps of `whole` ones; a bound that is `closed` is itself allowed."""

    low: float
    high: float = math.inf
    low_closed: bool = False
    high_closed: bool = True
    whole: bool = False

    def allows(self, value: float) -> bool:
        """Whether `value` lies in the interval; NaN never does."""
        above = value >= self.low if self.low_closed else value > self.low
        return above and (value <= self.high if self.high_closed else value < self.high)

    def __str__(self) -> str:
        low = f"{self.low:g} or more" if self.low_closed else f"greater than {self.low:g}"
        if self.high == math.inf:
            return low if self.high_closed else f"{low} and finite"
        return f"{low} and {'at most' if self.high_closed else 'less than'} {self.high:g}"


class Flag(NamedTuple):
    """True or False, and nothing that could be taken for them."""

    def __str__(self) -> str:
        return "True or False"


class Words(NamedTuple):
    """One of a few words."""

    allowed: tuple[str, ...]

    def __str__(self) -> str:
        return " or ".join(map(repr, self.allowed))


Limits = Mapping[str, Limit | Flag | Words]

YES_OR_NO = Flag()

POSITIVE = Limit(0, high_closed=False)
POSITIVE_OR_INFINITE = Limit(0)
NOT_NEGATIVE = Limit(0, low_closed=True)
NOT_NEGATIVE_AND_FINITE = Limit(0, low_closed=True, high_closed=False)
SHARE = Limit(0, 1)
COUNT = Limit(1, 1e6, low_closed=True, whole=True)


def check_parameters(rule: Any, limits: Limits) -> None:
    """Raise ValueError or TypeError, in one sentence, for the first field of `rule` outside its limit."""
    kind = type(rule).__name__
    for name, limit in limits.items():
        value = getattr(rule, name)
        if isinstance(limit, Flag):
            if not isinstance(value, bool):
                raise TypeError(f"{kind}: {name} must be {limit}, not {value!r}")
            continue
        if isinstance(limit, Words):
            if not isinstance(value, str) or value not in limit.allowed:
                raise ValueError(f"{kind}: {name} must be {limit}, not {value!r}")
            continue
        if isinstance(value, bool) or not isinstance(value, Real):
            raise TypeError(f"{kind}: {name} must be a number, not {value!r}")
        try:
            allowed = limit.allows(float(value))
        except OverflowError:
            raise ValueError(f"{kind}: {name} is larger than any float") from None
        if not allowed:
            raise ValueError(f"{kind}: {name} must be {limit}, not {value!r}")
        if limit.whole and not isinstance(value, Integral):
            raise ValueError(f"{kind}: {name} must be a whole number, not {value!r}")
