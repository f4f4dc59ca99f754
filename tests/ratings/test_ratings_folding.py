"""New rows without fitting anew: each solves its convex problem, and is told nearly as well as by a refit."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import naive.ratings as naive
from askance.ratings import MaxMarginFactorization, RefitAdvised
from askance.ratings.folding import Folding
from askance.ratings.model import Factors
from askance.ratings.problem import Settings
from askance.ratings.rating_matrix import RatingMatrix
from examples import examples
from rating_worlds import world

ROWS = st.fixed_dictionaries(
    {
        "rows": st.integers(1, 5),
        "others": st.integers(1, 12),
        "rank": st.integers(1, 4),
        "levels": st.integers(2, 6),
        "count": st.integers(0, 40),
        "own": st.booleans(),
        "threads": st.integers(1, 2),
        "random_state": st.integers(0, 10_000),
    }
)


def made(
    rows: int, others: int, rank: int, levels: int, count: int, own: bool, threads: int, random_state: int
) -> Any:
    random = np.random.default_rng(random_state)
    observed = RatingMatrix.grouped(
        random.integers(0, rows, count).astype(np.int32),
        random.integers(0, others, count).astype(np.int32),
        random.integers(0, levels, count).astype(np.uint8),
        (rows, others),
    )
    return random, observed


def best_row(observed: RatingMatrix, row: int, features: Any, thresholds: Any, together: bool) -> Any:
    """The value of the row's problem where a general minimiser finds it to be least."""
    others, levels = observed.of_user(row)
    arguments = features[others], thresholds, levels, 0.1, together
    return minimize(naive.row_value, np.zeros(features.shape[1]), arguments, method="Powell", tol=1e-12)


@pytest.mark.slow
@pytest.mark.plain
@pytest.mark.compiled
@given(problem=ROWS, together=st.booleans())
@examples(40)
def test_a_users_row_solves_its_problem(problem: Any, together: bool) -> None:
    random, observed = made(**problem)
    rows = problem["rows"] if problem["own"] else 1
    thresholds = np.sort(random.normal(size=(rows, problem["levels"] - 1)), axis=1)
    items = random.normal(size=(problem["others"], problem["rank"]))
    factors = Factors(np.zeros((problem["rows"], problem["rank"])), items, np.ones(problem["rank"]), thresholds)
    found = Folding(Settings(0.1, together=together), problem["threads"]).users(factors, observed)
    for row in range(problem["rows"]):
        others, levels = observed.of_user(row)
        mine = np.tile(thresholds[row if rows > 1 else 0], (len(others), 1))
        value = naive.row_value(found[row], items[others], mine, levels, 0.1, together)
        # The literal loss has kinks, at which Newton's method comes to rest before the least value.
        short = 0.1 if together else 1e-7
        assert value <= best_row(observed, row, items, mine, together).fun + short * (1 + value)


@pytest.mark.slow
@pytest.mark.plain
@pytest.mark.compiled
@given(problem=ROWS)
@examples(40)
def test_an_items_row_solves_its_problem(problem: Any) -> None:
    random, observed = made(**problem)
    rows = problem["others"] if problem["own"] else 1
    thresholds = np.sort(random.normal(size=(rows, problem["levels"] - 1)), axis=1)
    values = random.uniform(0.5, 2, problem["rank"])
    users = random.normal(size=(problem["others"], problem["rank"])) * values
    factors = Factors(users, np.zeros((problem["rows"], problem["rank"])), values, thresholds)
    found = Folding(Settings(0.1), problem["threads"]).items(factors, observed)
    for row in range(problem["rows"]):
        others, levels = observed.of_user(row)
        theirs = thresholds[others] if rows > 1 else np.tile(thresholds, (len(others), 1))
        value = naive.row_value(found[row] * values, (users / values)[others], theirs, levels, 0.1, False)
        assert value <= best_row(observed, row, users / values, theirs, False).fun + 1e-7 * (1 + value)


def test_a_users_row_of_the_fit_is_what_folding_finds() -> None:
    users, items, ratings = world(60, 40, 1500)
    model = MaxMarginFactorization(2, 0.05, tol=1e-7, max_iter=3000, validation_fraction=0).fit(
        users, items, ratings
    )
    before = model.user_factors_.copy()
    model.partial_fit(users[:1], items[:1], ratings[:1])
    others = model.users_ != users[0]
    assert np.array_equal(model.user_factors_[others], before[others])
    model.fit(users, items, ratings)
    found = Folding(model._settings, 1).users(model._model.factors, model._ratings.fitted)
    # The barrier is left out where a row is folded in, hence not all digits.
    np.testing.assert_allclose(found, before, atol=1e-3)


@pytest.mark.filterwarnings("ignore::askance.ratings.RefitAdvised")
def test_new_users_are_told_nearly_as_well_as_by_fitting_anew() -> None:
    users, items, ratings = world(500, 80, 16_000)
    is_new = users >= 400
    is_test = np.random.default_rng(1).random(len(users)) < 0.3
    first, later, test = ~is_new, is_new & ~is_test, is_new & is_test
    model = MaxMarginFactorization(3, 0.02).fit(users[first], items[first], ratings[first])
    model.partial_fit(users[later], items[later], ratings[later])
    known = first | later
    anew = MaxMarginFactorization(3, 0.02).fit(users[known], items[known], ratings[known])
    folded, refitted = (-one.score(users[test], items[test], ratings[test]) for one in (model, anew))
    assert folded <= refitted + 0.03  # ratings of 1,600 test pairs tell no smaller difference


@pytest.mark.filterwarnings("ignore::askance.ratings.RefitAdvised")
def test_new_items_and_ratings_one_by_one_are_learned() -> None:
    users, items, ratings = world(200, 60, 6000)
    first = items < 50
    model = MaxMarginFactorization(3, 0.02).fit(users[first], items[first], ratings[first])
    pairs = users[~first], items[~first]
    average = np.mean((model.predict(*pairs) - ratings[~first]) ** 2)
    for part in np.array_split(np.flatnonzero(~first), 7):
        model.partial_fit(users[part], items[part], ratings[part])
    assert len(model.items_) == 60
    assert np.mean((model.predict(*pairs) - ratings[~first]) ** 2) < 0.5 * average
    together = MaxMarginFactorization(3, 0.02).fit(users[first], items[first], ratings[first])
    together.partial_fit(users[~first], items[~first], ratings[~first])
    difference = np.abs(together.predict_expected(*pairs) - model.predict_expected(*pairs))
    assert np.mean(difference) < 0.3


@pytest.mark.parametrize("user", [7, 5000])
def test_a_new_rating_replaces_the_earlier_one(user: int) -> None:
    users, items, ratings = world(60, 40, 1500)
    rated, others = list(range(5)), list(range(10, 40))

    def told(*calls: list[int]) -> Any:
        model = MaxMarginFactorization(2).fit(users, items, ratings)
        for stars in calls:
            model.partial_fit([user] * 5, rated, stars)
        assert (
            model._ratings.of_users(np.flatnonzero(model.users_ == user), 40).of_user(0)[0].tolist().count(0) == 1
        )
        return model.predict_expected([user] * 30, others)

    wanted = told([5] * 5)
    assert np.array_equal(told([1] * 5, [5] * 5), wanted)
    assert np.array_equal(told([5] * 5, [5] * 5, [5] * 5), wanted)
    assert np.abs(told([1] * 5) - wanted).max() > 0.3


def test_a_new_rating_of_a_new_item_replaces_the_earlier_one() -> None:
    users, items, ratings = world(60, 40, 1500)
    model, wanted = (MaxMarginFactorization(2).fit(users, items, ratings) for _ in range(2))
    model.partial_fit([1, 2, 3, 1, 2, 3], ["new"] * 6, [1, 1, 1, 5, 5, 5]).partial_fit([4], ["new"], [5])
    wanted.partial_fit([1, 2, 3], ["new"] * 3, [5, 5, 5]).partial_fit([4], ["new"], [5])
    assert np.array_equal(model.item_factors_, wanted.item_factors_)
    assert np.array_equal(model.user_factors_, wanted.user_factors_)


def test_drift_is_told_once() -> None:
    users, items, ratings = world(200, 60, 8000)
    model = MaxMarginFactorization(3, 0.02).fit(users[:6000], items[:6000], ratings[:6000])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(users[6000:6500], items[6000:6500], ratings[6000:6500])
    assert model.drift_.advice is None
    assert model.drift_.judged == 500
    assert model.drift_.rmse == pytest.approx(model.drift_.rmse_at_fit, rel=0.2)
    with pytest.warns(RefitAdvised, match="the RMSE on .* new ratings is"):
        model.partial_fit(users[6500:7000], items[6500:7000], 6 - ratings[6500:7000])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(users[7000:7100], items[7000:7100], ratings[7000:7100])
    fresh = MaxMarginFactorization(3, 0.02).fit(users[:4000], items[:4000], ratings[:4000])
    with pytest.warns(RefitAdvised, match="4000 ratings have arrived since the fit to 4000"):
        fresh.partial_fit(users[4000:], items[4000:], ratings[4000:])


@pytest.mark.parametrize("own", ["global", "user"])
def test_what_is_wrong_changes_nothing(own: str) -> None:
    users, items, ratings = world(50, 30, 1000)
    model = MaxMarginFactorization(2, thresholds=own).fit(users, items, ratings)
    before = model.predict_proba(users, items)
    for wrong, told in (
        (([1], [2], [9]), "the rating 9 is not one of the levels"),
        (([1], [2], [np.nan]), "the rating at position 0 is nan"),
        (([1, 2], [2], [3]), "users has 2 ids but items has 1"),
    ):
        with pytest.raises(ValueError, match=told):
            model.partial_fit(*wrong)
    assert np.array_equal(model.predict_proba(users, items), before)
    assert model.drift_.later == 0
    model.partial_fit([], [], [])
    model.partial_fit([users[0], "somebody"], [items[0], "something"], [1, 5])
    assert model.users_[-1] == "somebody"
    assert np.isfinite(model.predict_expected(["somebody", users[0]], ["something", items[0]])).all()
