"""A learner is a scikit-learn classifier."""

import pathlib
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import askance
import streams
from askance import queries, updates
from askance.learners.files import to_bytes
from askance.learners.learner import POOR
from scikit_checks import OWN_WARNING, expected_to_fail
from thinning import one_of_each_form, rest_slow

MADE = streams.noisy(rows=200, width=6)


def a_poor_one() -> str:
    return next(name for name, entry in askance.catalog.items() if isinstance(entry.build()[0], POOR))


# The checks are about what is around a rule: a name for each way that classes and weights are kept will do.
KINDS = ["PAA-II", "K-PAA", "MPAA-II", "OMCSL-F-h", a_poor_one()]


@pytest.mark.filterwarnings(OWN_WARNING)
@parametrize_with_checks([askance.make(KINDS[0])], expected_failed_checks=expected_to_fail)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.sampled(4)
@pytest.mark.plain
@pytest.mark.filterwarnings(OWN_WARNING)
@parametrize_with_checks([askance.make(name) for name in KINDS[1:]], expected_failed_checks=expected_to_fail)
def test_checks_of_scikit_learn_for_other_kinds(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.soak
@pytest.mark.filterwarnings(OWN_WARNING)
@parametrize_with_checks([askance.make(name) for name in askance.catalog], expected_failed_checks=expected_to_fail)
def test_checks_of_scikit_learn_for_every_name(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.soak
@pytest.mark.filterwarnings(OWN_WARNING)
@parametrize_with_checks([askance.make("PAA-II", dtype="float64")], expected_failed_checks=expected_to_fail)
def test_checks_of_scikit_learn_in_exact_mode(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("name", ["PAA-II", pytest.param("AROW", marks=pytest.mark.soak), "MPAA-II", "D-AMD"])
def test_a_learner_in_read_only_memory_goes_on_learning(name: str, tmp_path: pathlib.Path) -> None:
    """As workers of joblib get large ones; machine code would end the process by writing there."""
    learner = askance.make(name, dtype="float64").fit(MADE.X, MADE.y)
    joblib.dump(learner, tmp_path / "learner")
    mapped = joblib.load(tmp_path / "learner", mmap_mode="r")
    for one in (learner, mapped):
        one.partial_fit(MADE.X, MADE.y).tell(MADE.X[0], 1).run(MADE.X, MADE.y)
    assert to_bytes(mapped) == to_bytes(learner)


def test_grid_search_over_rules() -> None:
    soft = [rule(C) for rule in (updates.PassiveAggressive1, updates.PassiveAggressive2) for C in (1e-4, 1.0)]
    grid = {"update": [updates.Perceptron(), *soft], "query": [queries.Margin(), queries.Always()]}
    search = GridSearchCV(askance.Learner(dtype="float64"), grid, cv=3).fit(MADE.X, MADE.y)
    assert len(search.cv_results_["params"]) == 10
    for tried, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
        alone = cross_val_score(askance.Learner(dtype="float64", **tried), MADE.X, MADE.y, cv=3).mean()
        assert score == pytest.approx(alone)
    assert type(search.best_estimator_.update) is type(search.best_params_["update"])
    assert search.best_score_ > 0.7


def test_pipeline_of_texts() -> None:
    texts = ["cheap pills now", "minutes of the meeting", "win a prize now", "agenda for monday"] * 10
    y = ["spam", "ham"] * 20
    pipeline = make_pipeline(HashingVectorizer(n_features=2**10), askance.make("PAA-II")).fit(texts, y)
    assert pipeline.predict(["cheap prize", "monday meeting"]).tolist() == ["spam", "ham"]
    assert pipeline.score(texts, y) == 1


@pytest.mark.plain
@pytest.mark.parametrize("name", rest_slow(askance.catalog, one_of_each_form()))
def test_a_clone_is_the_same_learner_with_nothing_learned(name: str) -> None:
    parameters = {"delta": 2.0} if "delta" in askance.catalog[name].defaults else {}
    learner = askance.make(name, random_state=3, dtype="float64", classes=[-1, 1], **parameters)
    fresh = to_bytes(clone(learner))
    trace = learner.run(MADE.X, MADE.y)
    copy = clone(learner)
    assert to_bytes(copy) == fresh != to_bytes(learner)
    assert copy.get_params() == learner.get_params()
    assert type(copy.update) is type(learner.update)
    again = copy.run(MADE.X, MADE.y)
    assert np.array_equal(again.scores, trace.scores)
    assert np.array_equal(again.asked, trace.asked)


def test_parameters_can_be_set_and_are_then_used() -> None:
    learner = askance.Learner().set_params(update=updates.Perceptron(), query=queries.Always(), dtype="float64")
    learner.fit(MADE.X, MADE.y)
    np.testing.assert_array_equal(learner.coef_, askance.make("PE", dtype="float64").fit(MADE.X, MADE.y).coef_)
    learner.set_params(update=updates.PassiveAggressive()).fit(MADE.X, MADE.y)
    np.testing.assert_array_equal(learner.coef_, askance.make("PA", dtype="float64").fit(MADE.X, MADE.y).coef_)


def test_whole_numbers_are_as_good_as_floats() -> None:
    whole = askance.Learner(
        updates.PassiveAggressive1(1), queries.Within(queries.Margin(2), 1, 3), dtype="float64"
    )
    float_ = askance.Learner(
        updates.PassiveAggressive1(1.0), queries.Within(queries.Margin(2.0), 1.0, 3.0), dtype="float64"
    )
    assert np.array_equal(whole.run(MADE.X, MADE.y).asked, float_.run(MADE.X, MADE.y).asked)
    assert to_bytes(whole) == to_bytes(float_)


def test_fit_forgets_and_partial_fit_does_not() -> None:
    X, y = MADE.X, MADE.y
    once = askance.Learner(dtype="float64").fit(X, y)
    twice = askance.Learner(dtype="float64").fit(X[::-1], y[::-1]).fit(X, y)
    assert to_bytes(once) == to_bytes(twice)
    parts = askance.Learner(dtype="float64").partial_fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    assert np.array_equal(parts.coef_, once.coef_)
    more = askance.Learner(dtype="float64").fit(X, y).partial_fit(X, y)
    assert not np.array_equal(more.coef_, once.coef_)


def test_fit_learns_from_every_label_and_asks_for_none() -> None:
    learner = askance.Learner(updates.Perceptron(), queries.Within(queries.Random(0.1), limit=3), dtype="float64")
    learner.fit(MADE.X, MADE.y)
    assert learner.spending_ == (0, 0, 0)
    assert np.array_equal(learner.coef_, askance.make("PE", dtype="float64").fit(MADE.X, MADE.y).coef_)


@pytest.mark.parametrize("name", askance.catalog)
def test_an_entry_says_what_it_makes(name: str) -> None:
    entry = askance.catalog[name]
    learner = askance.make(name)
    assert type(learner.update) is entry.update
    assert type(learner.query) is entry.query
    assert learner.sgn0 == entry.defaults.get("sgn0", 1)
    assert entry.kind == ("multiclass" if learner.multiclass else "binary")
    assert entry.paper
    for parameter, value in entry.defaults.items():
        assert askance.make(name, **{parameter: value}).get_params() == learner.get_params()


@pytest.mark.parametrize("name", [name for name in askance.catalog if "C" in askance.catalog[name].defaults])
def test_parameters_of_a_name_reach_its_rules(name: str) -> None:
    learner = askance.make(name, C=0.25)
    assert getattr(learner.update, "C", 0.25) == 0.25
    if "delta" in askance.catalog[name].defaults:
        assert askance.make(name, delta=3.0).query.b == 3.0
        assert askance.make(name).query.offset == ("thm4" in name)
