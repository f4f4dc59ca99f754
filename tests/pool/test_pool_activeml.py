"""Strategies of scikit-activeml in pools: what they are given, and that ours select the same rows."""

import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from askance.pool import CoreSet, FromScikitActiveML, PoolLoop, ProbCover, RandomSampling
from needs import missing
from thinning import rest_slow


def made(seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    y = np.arange(60) % 3
    return 2 * random.standard_normal((3, 3))[y] + random.standard_normal((60, 3)), np.array(
        ["ash", "elm", "fir"]
    )[y]


class Double(BaseEstimator):  # type: ignore[misc]
    """Has the interface of a strategy, and keeps what it was given."""

    given: Any = None

    def __init__(self, missing_label: Any = None, random_state: Any = None) -> None:
        self.missing_label = missing_label
        self.random_state = random_state

    def query(
        self, X: Any, y: Any, candidates: Any = None, batch_size: int = 1, return_utilities: bool = False
    ) -> Any:
        Double.given = X, y, candidates, self.random_state, self.missing_label
        assert return_utilities
        utilities = np.full((batch_size, len(X)), np.nan)
        utilities[:, candidates] = X[candidates, 0]
        return np.argsort(-utilities[0])[:batch_size], utilities


class DoubleWithClassifier(Double):
    """Needs a classifier."""

    def query(self, X: Any, y: Any, clf: Any, fit_clf: bool = True, **others: Any) -> Any:  # type: ignore[override]
        assert fit_clf
        Double.given = clf
        return super().query(X, y, **others)


class DoubleWithRegressor(Double):
    """Needs a regressor."""

    def query(self, X: Any, y: Any, reg: Any) -> Any:  # type: ignore[override]
        raise NotImplementedError


def test_the_strategy_gets_labelled_rows_first_and_its_rows_are_counted_in_the_pool() -> None:
    X, y = made()
    selection = FromScikitActiveML(Double()).fit(X[:10], y[:10]).select(X[10:], 4)
    rows, labels, candidates, seed, missing_label = Double.given
    assert (rows == X).all()
    assert labels[:10].tolist() == [0, 1, 2] * 3 + [0]
    assert np.isnan(labels[10:]).all()
    assert np.isnan(missing_label)
    assert candidates.tolist() == list(range(10, 60))
    assert selection.rows.tolist() == np.argsort(-X[10:, 0])[:4].tolist()
    assert selection.scores.tolist() == X[10:, 0][selection.rows].tolist()
    FromScikitActiveML(Double(), random_state=1).fit(X[:10], y[:10]).select(X[10:], 100)
    assert Double.given[3] != seed
    loop = PoolLoop(FromScikitActiveML(Double()), X, {0: "ash"}, batch=5, queries=10)
    for question in loop:
        loop.tell(question.rows, y[question.rows])
    assert len(loop.labelled()[0]) == 11


def test_what_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = made()
    with pytest.raises(ValueError, match="scikit-activeml needs dense rows: reduce sparse ones first"):
        FromScikitActiveML(Double()).fit(sp.csr_array(X), y)
    with pytest.raises(NotFittedError):
        FromScikitActiveML(Double()).select(X, 3)
    with pytest.raises(ValueError, match="DoubleWithRegressor is for regression: labels of a pool are classes"):
        FromScikitActiveML(DoubleWithRegressor()).fit(X, y).select(X, 3)
    monkeypatch.setitem(sys.modules, "skactiveml", None)
    with pytest.raises(
        ImportError, match=r"FromScikitActiveML needs skactiveml: pip install 'askance\[activeml\]'"
    ):
        FromScikitActiveML(DoubleWithClassifier()).fit(X, y).select(X, 3)


def test_with_one_class_a_strategy_that_needs_a_classifier_selects_at_random() -> None:
    X, _ = made()
    one = ["ash"] * 10
    selection = FromScikitActiveML(DoubleWithClassifier()).fit(X[:10], one).select(X[10:], 5)
    assert selection.rows.tolist() == RandomSampling().fit(X[:10], one).select(X[10:], 5).rows.tolist()
    assert FromScikitActiveML(Double()).fit(X[:10], one).select(X[10:], 5).rows[0] == X[10:, 0].argmax()


# ---------------------------------------------------------------------- the package itself


def package() -> Any:
    try:
        from skactiveml import pool
    except ImportError:
        missing("the strategies of scikit-activeml", "scikit-activeml")
    return pool


NAMES = ["UncertaintySampling", "Badge", "CoreSet", "TypiClust", "QueryByCommittee", "DiscriminativeAL", "Falcun"]


@pytest.mark.parametrize("name", rest_slow(NAMES, ["UncertaintySampling", "QueryByCommittee"]))
def test_strategies_of_the_package(name: str) -> None:
    X, y = made()
    strategy = FromScikitActiveML(getattr(package(), name)())
    found = [clone(strategy).fit(X[:10], y[:10]).select(X[10:], 5).rows.tolist() for _ in range(2)]
    assert found[0] == found[1]
    assert len(set(found[0])) == 5
    assert max(found[0]) < 50
    loop = PoolLoop(strategy, X, {0: "ash", 1: "elm", 2: "fir"}, batch=8, queries=16)
    for question in loop:
        loop.tell(question.rows, y[question.rows])
    assert len(loop.labelled()[0]) == 19


def test_uncertainty_is_that_of_the_classifier() -> None:
    X, y = made()
    package()
    from skactiveml.classifier import ParzenWindowClassifier
    from skactiveml.pool import SubSamplingWrapper, UncertaintySampling

    own = UncertaintySampling(method="margin_sampling")
    tree = DecisionTreeClassifier(min_samples_leaf=3, random_state=0)
    selection = FromScikitActiveML(own, tree).fit(X[:20], y[:20]).select(X[20:], 40)
    top = np.sort(clone(tree).fit(X[:20], y[:20]).predict_proba(X[20:]), axis=1)
    assert selection.scores == pytest.approx(1 - (top[:, -1] - top[:, -2])[selection.rows])
    parzen = FromScikitActiveML(SubSamplingWrapper(own, max_candidates=6), ParzenWindowClassifier())
    found = [clone(parzen).fit(X[:20], y[:20]).select(X[20:], 3).rows.tolist() for _ in range(2)]
    assert found[0] == found[1]


@pytest.mark.filterwarnings("ignore:The maximum purity was -1")  # said whenever δ is given
@pytest.mark.parametrize("seed", range(5))
def test_ours_select_the_same_rows(seed: int) -> None:
    X, y = made(seed)
    theirs = package()
    found = CoreSet().fit(X[:10], y[:10]).select(X[10:], 12)
    wanted = FromScikitActiveML(theirs.CoreSet()).fit(X[:10], y[:10]).select(X[10:], 12)
    assert found.rows.tolist() == wanted.rows.tolist()
    assert found.scores == pytest.approx(wanted.scores)
    found = ProbCover(1.5).fit(X[:10], y[:10]).select(X[10:], 12)
    wanted = FromScikitActiveML(theirs.ProbCover(3, [1.5])).fit(X[:10], y[:10]).select(X[10:], 12)
    assert found.scores[0] == wanted.scores[0] > 1  # rows that cover equally many are drawn there
