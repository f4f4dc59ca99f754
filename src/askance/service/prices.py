"""The prices of a task: what answers of people and programs cost, and the budget of money for them."""

from decimal import Decimal
from typing import Annotated

from msgspec import Meta, field

from askance._util.amounts import MOST_DIGITS, exact, is_amount
from askance.service.columns import Section
from askance.service.patterns import PRINTABLE

PEOPLE = "people"
Price = Annotated[float, Meta(ge=0, le=1e9, description="Money: 0.01 is exactly a hundredth.")]


class Oracles(Section, frozen=True):
    """Who answers for money: the price of a label of `people`, and of a guess of each program, by its name.

    All of them together cost at most the `budget`: nobody gets questions, and programs may not guess, if that
    would cost more than is left.

    Instead of asking people about an item that the model doubts, programs decide it if their guesses make a label
    probable `enough`, by how reliable they have been. People are asked about a share `check` of such items all the
    same. Without `enough`, programs decide nothing.
    """

    budget: Price | None = None
    people: Price = 0.0
    guesses: dict[Annotated[str, Meta(min_length=1, max_length=100, pattern=PRINTABLE)], Price] = field(
        default_factory=dict
    )
    enough: Annotated[float, Meta(gt=0.5, lt=1)] | None = None
    check: Annotated[float, Meta(gt=0, le=0.5)] = 0.1

    @property
    def limit(self) -> Decimal | None:
        """The budget as an exact number."""
        return None if self.budget is None else exact(self.budget)

    @property
    def price_of_label(self) -> Decimal:
        """The price of a label of people."""
        return exact(self.people)

    def price_of(self, program: str) -> Decimal:
        """The price of a guess of a program; 0 if it is not named."""
        return exact(self.guesses.get(program, 0.0))


def check_prices(oracles: Oracles) -> None:
    """Raise ValueError unless amounts are exact, and a budget of money has prices."""
    amounts = {"budget": oracles.budget or 0.0, PEOPLE: oracles.people} | {
        f"guesses.{name}": price for name, price in oracles.guesses.items()
    }
    for name, amount in amounts.items():
        if not is_amount(exact(amount)):
            raise ValueError(
                f"oracles.{name}: {amount} has more than {MOST_DIGITS} digits after the point: round it"
            )
    if PEOPLE in oracles.guesses:
        raise ValueError(f'oracles.guesses: a program cannot be called "{PEOPLE}": give it another name')
    if oracles.budget is not None and not any([oracles.people, *oracles.guesses.values()]):
        raise ValueError(
            "oracles.budget limits nothing without prices: give oracles.people or oracles.guesses one"
        )
    if oracles.enough is not None and not (oracles.people and oracles.guesses):
        raise ValueError(
            "oracles.enough compares prices: give oracles.people one, and each program in oracles.guesses"
        )
