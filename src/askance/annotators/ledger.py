"""What was bought from whom, and what is left of the budget."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from askance.annotators.prices import Oracle, money
from askance.errors import ParameterError


class Ledger:
    """Counts money in whole units of the smallest digit that a price or the budget has, so that sums are exact.

    Parameters
    ----------
    oracles : sequence of Oracle
        Who can be paid.
    budget : str, int, float or Decimal
        What may be spent in all.

    Examples
    --------
    >>> from askance.annotators import Ledger, Oracle
    >>> ledger = Ledger([Oracle("llm", "0.1", guess="gpt-4o"), Oracle("human", 1)], budget="1.25")
    >>> [ledger.buy("human"), ledger.buy("llm"), ledger.buy("llm"), ledger.buy("llm")]
    [True, True, True, False]
    >>> ledger.spent, ledger.left
    (Decimal('1.20'), Decimal('0.05'))
    """

    def __init__(self, oracles: Sequence[Oracle], budget: Any) -> None:
        names = [oracle.name for oracle in oracles]
        if len(set(names)) < len(names):
            raise ParameterError("Ledger", "oracles", names, "oracles with different names")
        amount = money(budget, "Ledger", "budget")
        exponents = [one.as_tuple().exponent for one in (amount, *(oracle.price for oracle in oracles))]
        self._digits = max(0, *(-int(exponent) for exponent in exponents))
        self._prices = {oracle.name: self._units(oracle.price) for oracle in oracles}
        self._left = self._budget = self._units(amount)
        self._bought = dict.fromkeys(names, 0)

    def affords(self, *names: str) -> bool:
        """Whether answers of all of these oracles can be paid together."""
        return sum(self._prices[name] for name in names) <= self._left

    def buy(self, name: str) -> bool:
        """Pay for an answer of an oracle, and return whether there was enough money; if not, nothing happens."""
        if not self.affords(name):
            return False
        self._left -= self._prices[name]
        self._bought[name] += 1
        return True

    @property
    def bought(self) -> Mapping[str, int]:
        """The number of answers bought from each oracle."""
        return dict(self._bought)

    @property
    def paid(self) -> Mapping[str, Decimal]:
        """What was paid to each oracle."""
        return {name: self._amount(count * self._prices[name]) for name, count in self._bought.items()}

    @property
    def budget(self) -> Decimal:
        """What may be spent in all."""
        return self._amount(self._budget)

    @property
    def spent(self) -> Decimal:
        """What was paid to all oracles together."""
        return self._amount(self._budget - self._left)

    @property
    def left(self) -> Decimal:
        """What may still be spent."""
        return self._amount(self._left)

    def _units(self, amount: Decimal) -> int:
        return int(amount.scaleb(self._digits))

    def _amount(self, units: int) -> Decimal:
        return Decimal(units).scaleb(-self._digits)
