"""Oracles and their prices, in exact decimal numbers."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from askance._util.amounts import MOST_DIGITS, exact, is_amount
from askance.errors import ParameterError


def money(value: Any, owner: str, name: str) -> Decimal:
    """An amount as an exact number; a float is what it is printed as, so that 0.01 is a hundredth."""
    try:
        amount = exact(value)
    except InvalidOperation:
        raise ParameterError(owner, name, value, "an amount, such as 0.01") from None
    if not is_amount(amount):
        raise ParameterError(
            owner, name, value, f"an amount from 0 on, with at most {MOST_DIGITS} digits after the point"
        )
    return amount


@dataclass(frozen=True)
class Oracle:
    """Somebody or something that can be asked for a label.

    Parameters
    ----------
    name : str
        The name, for reports.
    price : str, int, float or Decimal
        What an answer costs. Amounts are exact: 0.01 is a hundredth.
    guess : str, default=None
        The guess that holds the answers of a machine, such as "gpt-4o" for `guesses.gpt-4o`. By default, the
        oracle is a person, whose answers are the labels.
    latency : int, default=0
        The number of rows after which the label of a person arrives.

    Examples
    --------
    >>> from askance.annotators import Oracle
    >>> Oracle("llm", "0.01", guess="gpt-4o").is_person
    False
    """

    name: str
    price: Any
    guess: str | None = None
    latency: int = 0

    def __post_init__(self) -> None:
        if not self.name:
            raise ParameterError("Oracle", "name", self.name, "a name")
        object.__setattr__(self, "price", money(self.price, "Oracle", "price"))
        if self.latency < 0 or (self.latency and not self.is_person):
            raise ParameterError("Oracle", "latency", self.latency, "0, or for a person a number of rows")

    @property
    def is_person(self) -> bool:
        """Whether the answers are labels rather than guesses."""
        return self.guess is None
