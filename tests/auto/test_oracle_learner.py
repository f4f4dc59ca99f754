"""`OracleLearner`: people and machines under one budget."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from askance import OracleLearner
from askance.annotators import Oracle
from askance.auto.goal import AccuracyGoal, Predicted
from askance.auto.guess_table import GuessTable, Worth
from askance.auto.oracle_trace import OracleDecision, OracleTrace
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


# ---------------------------------------------------------------------- an accuracy that is enough


def test_people_are_asked_less_once_predictions_are_as_right_as_wanted() -> None:
    wanted, all_of_it = run(0.95, 300, rows=1200, accuracy=0.75), run(0.95, 300, rows=1200)
    assert wanted.ledger.bought["human"] < 0.6 * all_of_it.ledger.bought["human"]
    assert (wanted.predicted_codes == wanted.true_codes)[600:].mean() > 0.9
    assert wanted.bought[600:, 1].sum() > 0, "people go on checking"
    assert wanted.trusted[:, 0].all()
    assert wanted.bought[:, 0].all(), "guesses go on: the predictions need them"


def test_an_accuracy_that_is_out_of_reach_changes_nothing() -> None:
    wanted, all_of_it = run(0.8, 60, rows=400, accuracy=0.99), run(0.8, 60, rows=400)
    assert np.array_equal(wanted.bought, all_of_it.bought)
    assert np.array_equal(wanted.predicted_codes, all_of_it.predicted_codes)


def test_people_are_asked_again_after_a_machine_turned_bad() -> None:
    trace = run(0.97, 500, later=0.5, rows=2400, accuracy=0.8)
    before, after = trace.bought[700:1200, 1].mean(), trace.bought[1200:, 1].mean()
    assert after > 3 * before


def looked_at(share: float, seed: int, accuracy: float = 0.9) -> AccuracyGoal:
    """The goal after 2,000 rows of which so many are right, a tenth of which people labelled."""
    random, goal = np.random.default_rng(seed), AccuracyGoal(accuracy)
    for row in range(2000):
        right, asked = bool(random.random() < share), bool(random.random() < 0.1)
        goal.add(Predicted(0.1, 0.8, asked))
        if asked:
            goal.learn(row, right=right)
        if goal.reached:
            break
    return goal


@pytest.mark.slow
def test_chance_alone_seldom_reaches_an_accuracy() -> None:
    """The lower limit is looked at about ten times, each with an error of 5 %."""
    assert sum(looked_at(0.88, seed).reached for seed in range(60)) <= 12
    assert sum(looked_at(0.98, seed).reached for seed in range(20)) >= 18


def test_rows_after_a_label_that_has_not_come_do_not_count() -> None:
    goal = AccuracyGoal(0.5)
    for row in range(40):
        goal.add(Predicted(1.0, 0.8, asked=True))
        if row != 15:
            goal.learn(row, right=True)
    assert not goal.reached, "what is known without it are the few rows before"


def test_a_goal_starts_again_and_forgets() -> None:
    goal = looked_at(0.99, 0)
    assert goal.reached
    goal.restart()
    assert not goal.reached
    goal.learn(3, right=True)  # a late label of before


@pytest.mark.parametrize("accuracy", [0, 1, 95])
def test_an_accuracy_is_a_share(accuracy: float) -> None:
    with pytest.raises(ParameterError, match="accuracy must be None or a share between 0 and 1"):
        OracleLearner([PERSON], 10, accuracy=accuracy)


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


# ---------------------------------------------------------------------- row by row


def asked_row_by_row(
    oracles: Any, budget: Any, X: Any, y: NDArray[Any], guesses: dict[str, tuple[Any, Any]]
) -> tuple[OracleLearner, list[OracleDecision]]:
    """What `run` does, by `ask` and `tell`. The labels come as late as those of the person do."""
    learner = OracleLearner(oracles, budget, classes=["no", "yes"], rows=len(y))
    latency = max(1, next(oracle.latency for oracle in oracles if oracle.is_person))
    waiting: list[OracleDecision] = []
    found = []
    for t in range(len(y)):
        while waiting and waiting[0].row + latency <= t:
            one = waiting.pop(0)
            assert one.oracle is not None
            learner.tell(y[one.row], oracle=one.oracle, row=one.row)
        said = {name: (answers[t], None if sure is None else sure[t]) for name, (answers, sure) in guesses.items()}
        found.append(learner.ask(X[t], said))
        waiting += [found[-1]] if found[-1].oracle else []
    return learner, found


@pytest.mark.parametrize(("latency", "budget"), [(0, 40), (7, 40), (0, "0.5")])
def test_row_by_row_is_the_same_to_the_last_bit(latency: int, budget: Any) -> None:
    X, y, answers = stream(0.8, later=0.5, rows=300)
    sure = np.where(np.arange(300) % 3 == 0, np.nan, 0.8)
    oracles = [MACHINE, Oracle("human", 1, latency=latency), Oracle("other", "0.02", guess="o")]
    guesses = {"gpt": (answers, sure), "o": (answers[::-1], None)}
    trace = OracleLearner(oracles, budget, classes=["no", "yes"]).run(X, y, guesses)
    learner, found = asked_row_by_row(oracles, budget, X, y, guesses)
    names = ["llm", "human", "other"]
    assert [one.prediction for one in found] == trace.predictions.tolist()
    assert [[one.probabilities[name] for name in (None, *names)] for one in found] == trace.probabilities.tolist()
    assert [[name in one.bought for name in names] for one in found] == trace.bought.tolist()
    assert [one.oracle == "human" for one in found] == trace.bought[:, 1].tolist()
    assert (learner.ledger.bought, learner.ledger.spent) == (trace.ledger.bought, trace.ledger.spent)


def test_a_function_is_called_only_if_its_guess_is_bought() -> None:
    X, y, answers = stream(0.5, rows=200)
    calls: list[int] = []

    def answer(t: int) -> tuple[Any, None]:
        calls.append(t)
        return answers[t], None

    oracles = [Oracle("llm", "0.2", guess="gpt"), PERSON]
    learner = OracleLearner(oracles, 60, classes=["no", "yes"], rows=200)
    bought = []
    for t in range(200):
        decision = learner.ask(X[t], {"gpt": lambda t=t: answer(t)})
        bought += [t] if "llm" in decision.bought else []
        if decision.oracle is not None:
            learner.tell(y[t], oracle=decision.oracle)
    assert calls == bought
    assert 0 < len(bought) == learner.ledger.bought["llm"] < 200


def test_misuse_of_ask_and_tell_is_refused() -> None:
    X, _, answers = stream(0.8)
    with pytest.raises(ValueError, match="give OracleLearner its classes and rows"):
        OracleLearner([PERSON], 5).ask(X[0])
    with pytest.raises(ParameterError, match="rows must be None or a whole number of at least 1, not 0"):
        OracleLearner([PERSON], 5, rows=0)
    learner = OracleLearner([MACHINE, PERSON], 5, classes=["no", "yes"], rows=2)
    with pytest.raises(ValueError, match="row -1 waits for no label of 'human'"):
        learner.tell("no", oracle="human")
    with pytest.raises(DataError, match="no guess 'gpt'; there are: none"):
        learner.ask(X[0])
    with pytest.raises(DataError, match="guess 'gpt': 'yes' is not an answer with a confidence or None"):
        learner.ask(X[0], {"gpt": "yes"})
    with pytest.raises(ValueError, match="x must be one row of features, not an array of shape"):
        learner.ask(X[:3], {"gpt": ("yes", None)})
    assert learner.ledger.spent == 0, "nothing was bought so far"
    first = learner.ask(X[0], {"gpt": (answers[0], 0.5)})
    assert first.oracle == "human"
    with pytest.raises(ValueError, match="the row has 2 columns, but earlier rows have 3"):
        learner.ask(X[0, :2], {"gpt": ("yes", None)})
    with pytest.raises(ValueError, match="the answers of 'llm' are guesses"):
        learner.tell("no", oracle="llm")
    with pytest.raises(ValueError, match="there is no oracle 'bob'"):
        learner.tell("no", oracle="bob")
    with pytest.raises(ValueError, match=r"the label .*maybe.* is not one of the classes"):
        learner.tell("maybe", oracle="human")
    learner.tell("no", oracle="human")
    with pytest.raises(ValueError, match="row 0 waits for no label of 'human': it was not asked, or has answered"):
        learner.tell("no", oracle="human")
    learner.ask(X[1], {"gpt": (None, None)})
    with pytest.raises(ValueError, match="all 2 rows were asked about"):
        learner.ask(X[2], {"gpt": ("yes", None)})
