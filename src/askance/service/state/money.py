"""What the answers of people and of programs have cost, in exact decimal numbers.

It follows from the labels that the budget counts, the guesses that came, and the prices. A replay gives the same.
"""

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from askance.service.prices import PEOPLE, Oracles


class Paid(NamedTuple):
    """The answers of people, or of a program: their number and price, and what they cost together."""

    name: str
    answers: int
    price: Decimal
    amount: Decimal


class Money(NamedTuple):
    """The prices of a task, the labels that were asked for, and the guesses of each program."""

    oracles: Oracles
    labels: int
    guesses: Mapping[str, int]

    def paid(self) -> list[Paid]:
        """What was paid to people, whose labels on lease are counted too, and to each program."""
        counts = {PEOPLE: self.labels} | {name: self.guesses.get(name, 0) for name in self.oracles.guesses}
        prices = [self.oracles.price_of_label, *map(self.oracles.price_of, self.oracles.guesses)]
        pairs = zip(counts.items(), prices, strict=True)
        return [Paid(name, count, price, count * price) for (name, count), price in pairs]

    @property
    def spent(self) -> Decimal:
        """What was paid in all."""
        return sum((one.amount for one in self.paid()), Decimal(0))

    @property
    def left(self) -> Decimal | None:
        """What may still be paid; None if there is no limit. It is negative if the budget was lowered since."""
        limit = self.oracles.limit
        return None if limit is None else limit - self.spent

    @property
    def labels_left(self) -> float:
        """How many labels of people can still be paid."""
        price, left = self.oracles.price_of_label, self.left
        return math.inf if left is None or not price else float(left // price)

    def affords(self, guesses: Mapping[str, int], labels: int = 0) -> bool:
        """Whether these more guesses, by the names of programs, can be paid, and labels beside them.

        What costs nothing always can.
        """
        cost = sum((count * self.oracles.price_of(name) for name, count in guesses.items()), Decimal(0))
        return self.left is None or not cost or cost + labels * self.oracles.price_of_label <= self.left
