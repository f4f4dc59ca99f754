"""`OracleLearner`: people and machines under one budget."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from askance import OracleLearner
from askance.annotators import Oracle
from askance.auto.guess_table import GuessTable, Worth
from askance.auto.oracle_trace import OracleTrace
from askance.errors import DataError, ParameterError

pytestmark = pytest.mark.compiled  # the models are too slow without machine code

PERSON, MACHINE = Oracle("human", 1), Oracle("llm", "0.01", guess="gpt")
ROWS = 600


def stream(right: float, later: float | None = None, rows: int = ROWS) -> tuple[Any, NDArray[Any], NDArray[Any]]:
    """Rows that a model can learn, their labels, and the answers of a machine that is so often right."""
    random = np.random.default_rng(3)
    X = random.normal(size=(rows, 3))
    y = np.where(X[:, 0] + 0.3 * random.normal(size=rows) > 0, "yes", "no")
    shares = np.where(np.arange(rows) < rows // 2, right, right if later is None else later)
    return X, y, np.where((random.random(rows) < shares) == (y == "yes"), "yes", "no")


def run(right: float, budget: Any, later: float | None = None, rows: int = ROWS, **more: Any) -> OracleTrace:
    X, y, answers = stream(right, later, rows)
    return OracleLearner((MACHINE, PERSON), budget, **more).run(X, y, {"gpt": (answers, None)})


def test_money_is_never_exceeded_at_any_row() -> None:
    for budget in (0, "0.5", 3, 20.55):
        trace = run(0.8, budget, rows=150)
        prices = [oracle.price for oracle in trace.oracles]
        paid = [
            sum((price for price, is_bought in zip(prices, row, strict=True) if is_bought), Decimal(0))
            for row in trace.bought.tolist()
        ]
        assert sum(paid) == trace.ledger.spent <= trace.ledger.budget
        assert np.array_equal(trace.bought.sum(axis=0), list(trace.ledger.bought.values()))


def test_probabilities_are_those_of_what_was_bought() -> None:
    trace = run(0.8, 40)
    nobody, machine, person = trace.probabilities.T
    assert ((trace.probabilities >= 0) & (trace.probabilities <= 1)).all()
    assert not trace.bought[machine == 0, 0].any()
    assert trace.bought[machine == 1, 0].all()
    assert not trace.bought[person == 0, 1].any()
    assert trace.bought[person == 1, 1].all()
    assert not trace.bought[nobody == 1].any()
    assert trace.bought[nobody == 0].any(axis=1).all()


def test_a_good_machine_is_enough_with_hardly_any_labels() -> None:
    trace = run(0.97, "6.5")
    assert trace.ledger.bought["human"] == 0
    assert trace.accuracy > 0.95


def test_a_machine_that_knows_nothing_costs_little() -> None:
    trace = run(0.5, 60)
    assert trace.ledger.bought["llm"] < ROWS / 2
    assert not trace.trusted[-1, 0]
    assert trace.accuracy > 0.8


def test_a_machine_that_turns_bad_is_given_up() -> None:
    trace = run(0.95, 200, later=0.5, rows=1200)
    given_up = np.flatnonzero(~trace.trusted[600:, 0])[0] + 600
    assert trace.trusted[300:600, 0].all()
    assert trace.bought[600:given_up, 1].sum() < 60
    assert trace.changes("llm")[0] == given_up


def test_labels_may_come_late() -> None:
    X, y, answers = stream(0.8)
    late = OracleLearner((MACHINE, Oracle("human", 1, latency=50)), 60).run(X, y, {"gpt": (answers, None)})
    soon = run(0.8, 60)
    assert late.ledger.bought["human"] > 40
    assert late.accuracy < soon.accuracy + 0.02
    without = OracleLearner((MACHINE, Oracle("human", 1, latency=ROWS)), 60).run(X, y, {"gpt": (answers, None)})
    assert np.array_equal(without.predictions, answers), "no label has come, so that the machine decides"


def test_people_alone_are_an_oracle_too() -> None:
    X, y, _ = stream(0.8)
    trace = OracleLearner([PERSON], 50).run(X, y, {})
    assert 40 < trace.ledger.bought["human"] <= 50
    assert trace.accuracy > 0.8
    assert trace.answers_accuracy >= trace.accuracy


def test_the_same_coins_give_the_same_trace() -> None:
    one, other = run(0.8, 20, rows=100, random_state=5), run(0.8, 20, rows=100, random_state=5)
    assert np.array_equal(one.bought, other.bought)
    assert np.array_equal(one.probabilities, other.probabilities)


def test_a_trace_is_a_table() -> None:
    pytest.importorskip("pyarrow")
    trace = run(0.8, 10, rows=60)
    assert repr(trace) == f"<OracleTrace: 60 rows, {trace.ledger.spent} of 10.00 spent>"
    names = ["y", "prediction", "nobody", "llm probability", "llm bought", "human probability", "human bought"]
    assert trace.to_arrow().column_names == names


def test_bad_oracles_and_guesses_are_refused() -> None:
    X, y, answers = stream(0.8)
    with pytest.raises(ParameterError, match="one person and any number of machines"):
        OracleLearner([MACHINE], 10)
    with pytest.raises(ParameterError, match="budget must be an amount"):
        OracleLearner([PERSON], -1)
    learner = OracleLearner([MACHINE, PERSON], 10)
    with pytest.raises(DataError, match="no guess 'gpt'; there are: 'other'"):
        learner.run(X, y, {"other": (answers, None)})
    with pytest.raises(DataError, match="10 answers for 600 rows"):
        learner.run(X, y, {"gpt": (answers[:10], None)})
    with pytest.raises(DataError, match="no answer is one of the classes no, yes"):
        learner.run(X, y, {"gpt": (["maybe"] * ROWS, None)})
    with pytest.raises(ValueError, match="y has only one class"):
        learner.run(X, ["yes"] * ROWS, {"gpt": (answers, None)})
    with pytest.raises(ValueError, match=r"the label '?.*no.*'? is not one of the classes"):
        OracleLearner([PERSON], 10, classes=["yes", "perhaps"]).run(X, y, {})


# ---------------------------------------------------------------------- what a guess is worth


def test_a_table_learns_which_bins_are_wrong() -> None:
    table = GuessTable(2)
    assert table.probabilities(1, 9).tolist() == pytest.approx([0.2, 0.8])
    for _ in range(50):
        table.learn(1, 9, 1, 1.0)
        table.learn(1, 2, 0, 1.0)
    assert table.probabilities(1, 9)[1] > 0.9
    assert table.probabilities(1, 2)[0] > 0.9
    assert table.right == pytest.approx(0.5, abs=0.01)
    table.restart()
    assert table.counts.sum() == pytest.approx(10)


def test_a_guess_is_worth_it_while_it_helps() -> None:
    worth = Worth()
    assert worth.judge(0.05)
    for _ in range(120):
        worth.learn(0.5, 0.5, 1.0)
    assert not worth.judge(0.05)
    for _ in range(60):
        worth.learn(0.5, 0.1, 1.0)
    assert worth.judge(0.05)
    worth.give_up()
    assert not worth.judge(0.05)
