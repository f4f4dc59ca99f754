"""Old labels are forgotten when the stream has changed, and not before."""

import itertools
import math
import pathlib
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.integrate import quad

import askance
from askance import AutoLearner
from askance.auto.forgetting import NEEDED, RISE, SUSPICIOUS, Suspicion, evidence
from askance.errors import ParameterError

ROWS, CHANGE = 3000, 1500
FIELDS = ("predictions", "scores", "ask_probabilities", "asked")


def changing(kind: str, change: int = CHANGE) -> tuple[Any, Any]:
    """Rows whose classes change places at some row."""
    random = np.random.default_rng(0)
    if kind == "table":
        X: Any = random.normal(size=(ROWS, 4))
        codes = (X[:, 0] > 0).astype(int)
    else:
        codes = random.integers(0, 3, ROWS)
        own = random.poisson(0.3, (ROWS, 60)) * (np.arange(60) // 20 == codes[:, np.newaxis])
        X = sp.csr_array(np.hstack([own, random.poisson(1.0, (ROWS, 10))]).astype(float))
    moved = (codes + 1) % (codes.max() + 1)
    return X, np.array(["a", "b", "c"])[np.where(np.arange(ROWS) < change, codes, moved)]


def accuracy(trace: Any, start: int) -> float:
    return float((trace.predictions == trace.y)[start:].mean())


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (0, 5), (13, 1), (4, 9), (60, 30)])
def test_the_evidence_is_an_average_over_bets(wins: int, losses: int) -> None:
    def bet(p: float) -> float:
        return 2 * (2 * p) ** wins * (2 * (1 - p)) ** losses

    assert evidence(wins, losses) == pytest.approx(quad(bet, 0.5, 1)[0], rel=1e-9)


def test_models_that_are_no_better_have_evidence_of_1_on_average() -> None:
    cases = 12
    mean = sum(evidence(sum(each), cases - sum(each)) for each in itertools.product((0, 1), repeat=cases))
    assert mean / 2**cases == pytest.approx(1)
    assert evidence(13, 1) < NEEDED < evidence(16, 1), "it takes some cases to be certain"
    assert not math.isinf(evidence(100, 0))


def test_mistakes_in_rows_that_are_asked_about_seldom_are_suspicious() -> None:
    suspicion, before = Suspicion(labels=50, mistakes=4), 5 / 52
    after = RISE * before / (1 - before + RISE * before)
    suspicion.add(True, 1.0)
    suspicion.add(False, 0.5)
    assert (suspicion.labels, suspicion.evidence) == (50, 0.0), "rows in doubt tell nothing"
    suspicion.add(False, 0.02)
    assert suspicion.evidence == pytest.approx(math.log(after / before))
    for _ in range(3):
        suspicion.add(False, 0.02)
    assert suspicion.evidence > SUSPICIOUS
    for _ in range(20):
        suspicion.add(True, 0.02)
    assert suspicion.evidence == 0


def test_questions_are_at_random_while_a_change_is_suspected() -> None:
    X, y = changing("table")
    learner = AutoLearner(0.1)
    chances = learner.run(X, y).ask_probabilities
    (change,) = learner.changes_
    at_random = np.flatnonzero(chances == 0.1)
    assert CHANGE < at_random[0] < change - 100
    suspected = chances[at_random[0] : change]
    assert set(suspected) <= {0.1, 0.0}  # 0 while the account is empty
    assert len(at_random) == np.count_nonzero(suspected) > 0.75 * len(suspected)
    assert set(chances[change:]) <= {1.0, 0.1 * learner.audit, 0.0}


@pytest.mark.parametrize("kind", ["table", "text"])
def test_a_stream_that_changes_is_learned_again(kind: str) -> None:
    X, y = changing(kind)
    learner, other = AutoLearner(0.3), AutoLearner(0.3, forget=False)
    trace, kept = learner.run(X, y), other.run(X, y)
    (change,) = learner.changes_
    assert CHANGE < change < CHANGE + 600
    assert accuracy(trace, change) > accuracy(kept, change) + 0.2
    assert accuracy(trace, change) > 0.85
    assert other.changes_ == []


@pytest.mark.parametrize("kind", ["table", "text"])
def test_a_stream_that_stays_the_same_is_not_forgotten(kind: str) -> None:
    X, y = changing(kind, ROWS)
    learner = AutoLearner(0.3)
    trace, kept = learner.run(X, y), AutoLearner(0.3, forget=False).run(X, y)
    assert learner.changes_ == []
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(trace, field), getattr(kept, field))


def test_a_reserve_is_spent_after_the_change() -> None:
    X, y = changing("table")
    learner = AutoLearner(0.2, reserve=0.25)
    asked = learner.run(X, y).asked
    (change,) = learner.changes_
    assert asked[500:change].mean() < 0.17
    assert asked[change : change + 300].mean() > 0.4
    assert asked[-500:].mean() < 0.17
    assert (np.cumsum(asked) <= 30 + 0.2 * np.arange(1, ROWS + 1)).all()


@pytest.mark.parametrize(("kind", "reserve"), [("table", 0.2), ("text", 0.0)])
def test_parts_and_files_change_nothing(kind: str, reserve: float, tmp_path: pathlib.Path) -> None:
    """The learner is saved while models compete, row by row near the change, and in parts before and after."""
    X, y = changing(kind)
    whole = AutoLearner(0.3, reserve=reserve)
    trace = whole.run(X, y)
    (change,) = whole.changes_
    learner, asked = AutoLearner(0.3, reserve=reserve), []
    asked += learner.run(X[: change - 90], y[: change - 90]).asked.tolist()
    learner.save(tmp_path / "model")
    learner = askance.load(tmp_path / "model")
    assert learner._started().forgetting.suspicion.labels > 0
    for row in range(change - 90, change + 10):
        decision = learner.ask(X[row : row + 1])
        asked.append(decision.ask)
        if decision.ask:
            learner.tell(X[row : row + 1], y[row], decision.ask_probability)
    learner.save(tmp_path / "later")
    learner = askance.load(tmp_path / "later")
    asked += learner.run(X[change + 10 :], y[change + 10 :]).asked.tolist()
    assert learner.changes_ == whole.changes_
    assert asked == trace.asked.tolist()


def test_bad_settings() -> None:
    with pytest.raises(ParameterError, match="forget must be True or False"):
        AutoLearner(forget="yes").ask([1.0])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="reserve must be at least 0 and less than 1"):
        AutoLearner(reserve=1.0).ask([1.0])
    with pytest.raises(ParameterError, match="reserve must be 0 without forget, which spends it"):
        AutoLearner(forget=False, reserve=0.1).ask([1.0])
