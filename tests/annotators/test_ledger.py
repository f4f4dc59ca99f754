"""The ledger: money in exact numbers, never more than the budget."""

import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from askance.annotators import Ledger, Oracle
from askance.errors import ParameterError
from examples import scaled

PRICES = ("0.01", "0.1", 0.3, 1, "0.003", 2.5, "0", "0.000001")


def exact(value: Any) -> Fraction:
    return Fraction(str(value))


def test_no_prefix_of_random_streams_exceeds_the_budget() -> None:
    coins = random.Random(7)
    for _ in range(scaled(10_000)):
        prices = {f"oracle {place}": coins.choice(PRICES) for place in range(coins.randint(1, 4))}
        budget = coins.choice(("0", "1", 0.7, "3.141", 10))
        ledger = Ledger([Oracle(name, price, guess="any") for name, price in prices.items()], budget)
        spent, names = Fraction(0), list(prices)
        for _ in range(coins.randint(0, 12)):
            name = coins.choice(names)
            affordable = spent + exact(prices[name]) <= exact(budget)
            assert ledger.affords(name) == affordable
            assert ledger.buy(name) == affordable
            spent += exact(prices[name]) if affordable else 0
            assert Fraction(ledger.spent) == spent <= exact(budget)
            assert Fraction(ledger.left) == exact(budget) - spent
        assert sum(map(Fraction, ledger.paid.values())) == spent


def test_a_tenth_ten_times_is_one() -> None:
    ledger = Ledger([Oracle("llm", 0.1, guess="gpt-4o")], 1)
    assert [ledger.buy("llm") for _ in range(11)] == [True] * 10 + [False]
    assert (ledger.spent, ledger.left, ledger.bought) == (Decimal("1.0"), Decimal("0.0"), {"llm": 10})


def test_several_answers_are_paid_together_or_not_at_all() -> None:
    ledger = Ledger([Oracle("llm", "0.5", guess="gpt-4o"), Oracle("human", 1)], 1)
    assert ledger.affords("human")
    assert not ledger.affords("human", "llm")
    assert ledger.spent == 0


@pytest.mark.parametrize("price", [-1, "free", float("nan"), float("inf"), "1e-13", None])
def test_prices_are_amounts(price: Any) -> None:
    with pytest.raises(ParameterError, match="Oracle: price must be an amount"):
        Oracle("human", price)
    with pytest.raises(ParameterError, match="Ledger: budget must be an amount"):
        Ledger([Oracle("human", 1)], price)


def test_oracles_have_names_of_their_own_and_machines_answer_at_once() -> None:
    with pytest.raises(ParameterError, match="different names"):
        Ledger([Oracle("human", 1), Oracle("human", 2)], 1)
    with pytest.raises(ParameterError, match="name must be a name"):
        Oracle("", 1)
    with pytest.raises(ParameterError, match="latency must be 0"):
        Oracle("llm", 1, guess="gpt-4o", latency=3)
    with pytest.raises(ParameterError, match="latency must be 0"):
        Oracle("human", 1, latency=-1)
