"""The factorisation as an estimator: what it takes, what it tells, and what it says of bad input."""

import multiprocessing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import naive.ratings as naive
from askance.errors import DataWarning
from askance.ratings import FitStep, MaxMarginFactorization
from askance.ratings.biases import Biases
from askance.ratings.calibration import Evidence, calibrated
from askance.ratings.ids import Ids
from askance.ratings.rating_matrix import RatingMatrix, is_last
from examples import examples
from rating_worlds import world
from thinning import rest_slow

QUICK: dict[str, Any] = {"regularization": 0.02, "max_rank": 4, "max_iter": 30}


@pytest.fixture(scope="module")
def model() -> MaxMarginFactorization:
    return MaxMarginFactorization(**QUICK).fit(*world(80, 50, 3000))


def test_every_way_to_give_ratings_is_the_same() -> None:
    users, items, ratings = world(40, 30, 600)
    by_columns = MaxMarginFactorization(2, **QUICK).fit(users, items, ratings)
    matrix = sp.coo_array((ratings, (users, items)), shape=(45, 33))
    columns = {"item_id": items, "userId": users, "timestamp": users + 7, "Rating": ratings}
    plain = {"who": users, "what": items, "how": ratings}
    others = [
        by_columns.__class__(2, **QUICK).fit(given)
        for given in (
            matrix,
            pd.DataFrame(columns),
            pl.DataFrame(columns),
            pa.table(columns),
            pd.DataFrame(plain),
            pd.DataFrame(columns).astype({"userId": "Int64", "Rating": "Float32"}),
        )
    ]
    others.append(MaxMarginFactorization(2, **QUICK).fit(users.tolist(), items.tolist(), ratings.tolist()))
    wanted = by_columns.predict_proba(users, items)
    for other in others:
        assert np.array_equal(other.predict_proba(users, items), wanted)


@pytest.mark.parametrize(
    "name",
    [str, lambda n: f"u{n}", lambda n: (n, "x"), lambda n: n * 10**12, lambda n: -n, float],
)
def test_ids_are_anything_hashable(name: Any) -> None:
    users, items, ratings = world(40, 30, 600)
    named = [name(int(user)) for user in users]
    # Users stand in another order: others would be held back, and sums round differently.
    model, plain = (MaxMarginFactorization(2, **QUICK, validation_fraction=0) for _ in range(2))
    told = model.fit(named, items, ratings).predict_expected(named, items)
    np.testing.assert_allclose(told, plain.fit(users, items, ratings).predict_expected(users, items), atol=1e-4)
    assert model.recommend(named[0], 3).items.shape == (3,)


@given(
    first=arrays(np.int64, st.integers(1, 40), elements=st.integers(-9, 9)), more=st.lists(st.integers(-12, 12))
)
def test_ids_keep_their_numbers(first: Any, more: list[int]) -> None:
    ids, numbers = Ids.of(first)
    assert np.array_equal(ids.names[numbers], first)
    longer, others = ids.extended(np.array(more, np.int64))
    assert np.array_equal(longer.names[: len(ids)], ids.names)
    assert np.array_equal(longer.names[others], more)
    assert np.array_equal(longer.numbers(first), numbers)
    assert (ids.numbers(np.array(more, np.int64)) == -1).tolist() == [one not in first for one in more]


@pytest.mark.parametrize("levels", [[1, 2, 3, 4, 5], [0.5, 1, 1.5, 4, 5], [0, 10, 20, 90, 100], [-1, 0, 1, 2, 3]])
def test_levels_are_any_ordered_values(levels: list[float]) -> None:
    users, items, ratings = world(60, 40, 1500)
    given_ratings = np.array(levels)[ratings.astype(int) - 1]
    found = MaxMarginFactorization(2, **QUICK).fit(users, items, given_ratings)
    plain = MaxMarginFactorization(2, **QUICK).fit(users, items, ratings)
    assert found.levels_.tolist() == levels
    assert np.array_equal(
        found.predict(users, items), np.array(levels)[plain.predict(users, items).astype(int) - 1]
    )


def test_predictions_are_those_of_the_formula(model: MaxMarginFactorization) -> None:
    users, items, _ratings = world(80, 50, 3000)
    told = model.predict(users[:200], items[:200])
    rows = {name: number for number, name in enumerate(model.users_.tolist())}
    columns = {name: number for number, name in enumerate(model.items_.tolist())}
    for user, item, rating in zip(users[:200], items[:200], told, strict=True):
        score = float(model.user_factors_[rows[user]] @ model.item_factors_[columns[item]])
        assert rating == naive.predicted(score, model.thresholds_[0])


def test_probabilities_add_up_and_give_the_expected_rating(model: MaxMarginFactorization) -> None:
    users, items, ratings = world(80, 50, 3000)
    chances = model.predict_proba(users, items)
    assert chances.shape == (3000, 5)
    assert (chances >= 0).all()
    np.testing.assert_allclose(chances.sum(1), 1, atol=1e-12)
    expected = model.predict_expected(users, items)
    np.testing.assert_allclose(expected, chances @ model.levels_)
    assert np.mean((expected - ratings) ** 2) < np.mean((model.predict(users, items) - ratings) ** 2)
    assert model.score(users, items, ratings) == pytest.approx(
        -np.sqrt(np.mean((model.predict(users, items) - ratings) ** 2))
    )


def test_probabilities_of_new_ratings_are_frequencies() -> None:
    users, items, ratings = world(200, 100, 16_000, noise=1.0)
    learned, new = slice(0, 12_000), slice(12_000, None)
    model = MaxMarginFactorization(3, 0.05).fit(users[learned], items[learned], ratings[learned])
    chances = model.predict_proba(users[new], items[new])
    happened = ratings[new][:, None] == model.levels_
    np.testing.assert_allclose(chances.mean(0), happened.mean(0), atol=0.03)
    for level in range(5):
        likely = chances[:, level] > np.quantile(chances[:, level], 0.8)
        assert happened[likely, level].mean() == pytest.approx(chances[likely, level].mean(), abs=0.1)


@pytest.mark.plain
@pytest.mark.compiled
def test_a_calibration_of_the_right_form_is_found() -> None:
    random = np.random.default_rng(0)
    away = np.array([-1.0, 0.0, 2.0]) - random.normal(0, 2, (20_000, 1))
    bias = random.normal(0, 1, 20_000)
    below = 1 / (1 + np.exp(-(1.7 * away - 0.6 * bias[:, None] + [0.3, -0.2, 0.1])))
    levels = np.sum(random.random((20_000, 1)) > below, axis=1).astype(np.uint8)
    found = calibrated(Evidence(away, bias), levels)
    assert found.slope == pytest.approx(1.7, rel=0.05)
    assert found.bias_weight == pytest.approx(0.6, rel=0.1)
    np.testing.assert_allclose(found.offsets, [0.3, -0.2, 0.1], atol=0.08)


@given(count=st.integers(1, 30), random_state=st.integers(0, 100))
def test_biases_are_damped_means(count: int, random_state: int) -> None:
    random = np.random.default_rng(random_state)
    who, what = (random.integers(0, size, count).astype(np.int32) for size in (4, 3))
    levels, values = random.integers(0, 3, count).astype(np.uint8), np.array([1.0, 2.0, 5.0])
    found = Biases.of(RatingMatrix.grouped(who, what, levels, (4, 3)), values)
    ratings = values[levels]
    assert found.mean == pytest.approx(ratings.mean())
    for item in range(3):
        theirs = ratings[what == item] - found.mean
        assert found.items[item] == pytest.approx(theirs.sum() / (len(theirs) + 5))
    for user in range(4):
        theirs = (ratings - found.mean - found.items[what])[who == user]
        assert found.users[user] == pytest.approx(theirs.sum() / (len(theirs) + 5))
    both = found.at(np.array([1, -1, 2], np.int32), np.array([-1, -1, 0], np.int32))
    np.testing.assert_allclose(both, [found.users[1], 0, found.users[2] + found.items[0]])


def test_recommendations_leave_out_what_is_known(model: MaxMarginFactorization) -> None:
    users, items, _ratings = world(80, 50, 3000)
    user = int(users[0])
    rated = set(items[users == user].tolist())
    found = model.recommend(user, 1000)
    assert set(found.items.tolist()) == set(range(50)) - rated
    assert (np.diff(found.ratings) <= 1e-12).all()
    np.testing.assert_allclose(found.ratings, model.predict_expected([user] * len(found.items), found.items))
    assert model.recommend(user, 3).items.tolist() == found.items[:3].tolist()
    assert len(model.recommend("nobody", 1000).items) == 50


def test_who_or_what_is_not_known_is_the_average(model: MaxMarginFactorization) -> None:
    scores = np.sum(model.user_factors_[:, None] * model.item_factors_, axis=2)
    numbers = model._numbers(["nobody", "nobody", model.users_[3]], [model.items_[7], "nothing", "nothing"])
    away = model._model.factors.away(*numbers)
    wanted = model.thresholds_ - np.array([scores[:, 7].mean(), scores.mean(), scores[3].mean()])[:, None]
    np.testing.assert_allclose(away, wanted, atol=1e-9)


def test_the_rank_is_found() -> None:
    users, items, ratings = world(300, 200, 20_000, rank=4, noise=0.0)
    model = MaxMarginFactorization(regularization=0.002, growth=1, tol=1e-3).fit(users, items, ratings)
    assert 3 <= model.rank_ <= 6
    assert [stage.rank for stage in model.path_][:4] == [0, 1, 2, 3]
    objectives = [stage.objective for stage in model.path_]
    assert objectives == sorted(objectives, reverse=True)
    best = min(model.path_, key=lambda stage: stage.rmse)
    assert best.rank == model.rank_
    assert model.validation_rmse_ == best.rmse


def test_without_ratings_held_back_the_objective_decides() -> None:
    users, items, ratings = world(200, 100, 6000)
    eager = MaxMarginFactorization(validation_fraction=0, rank_tol=0.001, max_rank=8).fit(users, items, ratings)
    lazy = MaxMarginFactorization(validation_fraction=0, rank_tol=0.3, max_rank=8).fit(users, items, ratings)
    assert lazy.rank_ < eager.rank_
    assert np.isnan(lazy.validation_rmse_)
    before, last = lazy.path_[-2:]
    assert (before.objective - last.objective) / (2 * before.objective) <= 0.3
    assert np.isfinite(lazy.predict_proba(users, items)).all()


def test_more_than_nothing_is_told_of_a_fit() -> None:
    heard: list[tuple[int, int | None, str]] = []
    users, items, ratings = world(60, 40, 1500)
    model = MaxMarginFactorization(**QUICK, watch=lambda *step: heard.append(step)).fit(users, items, ratings)
    told = model.steps_
    assert heard == [(number, None, str(step)) for number, step in enumerate(told, 1)]
    assert {one.phase for one in told} == {"search", "fit"}
    searched = [one for one in told if one.phase == "search"]
    for rank in {one.rank for one in searched}:
        values = [one.objective for one in searched if one.rank == rank]
        assert values == sorted(values, reverse=True)
    assert told[-1].rmse < searched[0].rmse


@pytest.mark.parametrize("thresholds", rest_slow(["global", "user"], ["user"]))
@pytest.mark.parametrize("loss", rest_slow(["squared", "sq_sum"], ["squared"]))
def test_every_variant_learns(thresholds: str, loss: str) -> None:
    users, items, ratings = world(150, 80, 6000)
    learned, new = slice(0, 5000), slice(5000, None)
    model = MaxMarginFactorization(3, 0.02, thresholds=thresholds, loss=loss)
    model.fit(users[learned], items[learned], ratings[learned])
    assert -model.score(users[new], items[new], ratings[new]) < 0.75 * ratings[new].std()
    assert len(model.thresholds_) == (1 if thresholds == "global" else 150)


def test_users_with_habits_of_their_own_have_thresholds_of_their_own() -> None:
    random = np.random.default_rng(0)
    users, items, ratings = world(150, 80, 8000)
    harsh = random.random(150) < 0.5
    ratings = np.where(harsh[users], np.maximum(ratings - 2, 1), ratings)
    learned, new = slice(0, 7000), slice(7000, None)
    together, own = (
        MaxMarginFactorization(2, 0.02, thresholds=kind, threshold_regularization=1.0)
        .fit(users[learned], items[learned], ratings[learned])
        .score(users[new], items[new], ratings[new])
        for kind in ("global", "user")
    )
    assert own > together
    # A user is harsh where thresholds are high.
    model = MaxMarginFactorization(2, 0.02, thresholds="user").fit(users, items, ratings)
    middle = model.thresholds_.mean(1)
    assert middle[harsh].mean() > middle[~harsh].mean()


def test_threads_change_nothing_but_rounding() -> None:
    users, items, ratings = world(60, 40, 1500)
    one, two = (
        MaxMarginFactorization(2, n_jobs=jobs, max_iter=20)
        .fit(users, items, ratings)
        .predict_expected(users, items)
        for jobs in (None, 2)
    )
    np.testing.assert_allclose(one, two, atol=1e-6)


def _fitted_in_a_fork(_number: int) -> float:
    users, items, ratings = world(60, 40, 1500)
    return MaxMarginFactorization(2, n_jobs=2, max_iter=5).fit(users, items, ratings).objective_


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="nothing is forked here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    before = _fitted_in_a_fork(0)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map_async(_fitted_in_a_fork, [0]).get(timeout=60) == [before]


def test_it_is_an_estimator(model: MaxMarginFactorization) -> None:
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "rank_")
    with pytest.raises(NotFittedError):
        clone(model).predict([1], [2])


def test_nothing_to_tell_apart() -> None:
    sentence = "every rating is 4, so there is nothing to learn: give all levels with levels="
    with pytest.raises(ValueError, match=sentence):
        MaxMarginFactorization().fit([1, 2], [1, 2], [4, 4])
    model = MaxMarginFactorization(levels=[1, 2, 3, 4, 5]).fit([1, 2, 3], [1, 2, 1], [4, 4, 4])
    assert model.predict([1, 9], [2, 9]).tolist() == [4, 4]


@pytest.mark.plain
@pytest.mark.compiled
@given(pairs=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2**31 - 1)), max_size=20))
def test_only_the_last_rating_of_a_pair_is_the_last(pairs: Any) -> None:
    columns = np.array(pairs, np.int32).reshape(-1, 2).T
    assert is_last(*columns).tolist() == [pair not in pairs[place + 1 :] for place, pair in enumerate(pairs)]


@pytest.mark.parametrize("name", [int, str])
def test_the_last_rating_of_a_pair_counts(name: Any) -> None:
    users, items, ratings = world(40, 30, 600)
    users = np.array([name(user) for user in users.tolist()])
    twice = np.concatenate([users[:50], users]), np.concatenate([items[:50], items])
    model = MaxMarginFactorization(2, **QUICK).fit(*twice, np.concatenate([6 - ratings[:50], ratings]))
    wanted = MaxMarginFactorization(2, **QUICK).fit(users, items, ratings)
    assert np.array_equal(model.predict_proba(users, items), wanted.predict_proba(users, items))
    assert model.objective_ == wanted.objective_
    assert model.drift_.fitted == 600


def test_a_level_of_replaced_ratings_alone_is_not_a_level() -> None:
    model = MaxMarginFactorization(1).fit([1, 1, 1, 2], [1, 1, 2, 1], [55, 5, 4, 3])
    assert model.levels_.tolist() == [3, 4, 5]


@pytest.mark.plain
@pytest.mark.compiled
@given(count=st.integers(2, 12), random_state=st.integers(0, 1000))
@examples(60)
def test_the_objective_never_rises_with_the_rank(count: int, random_state: int) -> None:
    random = np.random.default_rng(random_state)
    ratings = random.integers(1, 6, count)
    model = MaxMarginFactorization(levels=range(1, 6), max_iter=20, rank_tol=0)
    model.fit(random.integers(0, 6, count), random.integers(0, 6, count), ratings)
    objectives = [stage.objective for stage in model.path_]
    assert objectives == sorted(objectives, reverse=True)


def test_ratings_that_have_no_use_for_a_third_factor() -> None:
    three = [195, 185, 21], [241, 301, 376], [2, 4, 5]
    for rank in ("auto", 3):
        model = MaxMarginFactorization(rank).fit(*three)
        assert model.rank_ == 2
        assert model.objective_ < 0.1


def test_ids_of_another_type_are_told(model: MaxMarginFactorization) -> None:
    users, items, _ratings = world(80, 50, 3000)
    wrong = users.astype(str)
    with pytest.warns(DataWarning, match=f"none of the users: it has {wrong[0]} instead of '{wrong[0]}'"):
        model.predict(wrong, items)
    with pytest.warns(DataWarning, match="the model knows none of the items"):
        model.predict_proba(users, items.astype(str))
    with pytest.warns(DataWarning, match="it has 7 instead of '7': convert the ids to its type"):
        model.recommend("7")
    words = MaxMarginFactorization(2, **QUICK).fit(wrong, items, _ratings)
    with pytest.warns(DataWarning, match="it has '7' instead of 7"):
        words.predict_expected([7, 8], [3, 4])
    with pytest.warns(DataWarning, match="it has '7' instead of 7"):
        words.partial_fit([7], [3], [5])


@pytest.mark.parametrize("new", [["nobody"], [9999], ["9999"], [("7", 1)], ["7", 7], ["new"] * 3])
@pytest.mark.filterwarnings("error")
def test_new_ids_are_not_told(model: MaxMarginFactorization, new: list[Any]) -> None:
    assert len(model.predict(new, [3] * len(new))) == len(new)


def test_few_ratings_of_users_and_items() -> None:
    tiny = MaxMarginFactorization(1).fit([1, 1], [1, 2], [1, 2])
    assert tiny.recommend(1).items.tolist() == []


@pytest.mark.parametrize(
    ("given_ratings", "told"),
    [
        (([], [], []), "there are no ratings"),
        (([1], [2]), "give users, items and ratings"),
        (([1], [2], ["good"]), "ratings must be numbers"),
        (([1, 2], [3, 4], [1, np.inf]), "the rating at position 1 is inf"),
        (([1, 2], [3, 4], [1]), "one number for each of the 2 pairs"),
        (([1, None], [3, 4], [1, 2]), "users has no id at position 1"),
        (([1, 2], [3.0, np.nan], [1, 2]), "items has no id at position 1"),
        (([1, 2], [[3], [4]], [1, 2]), "items holds a value that cannot be an id"),
        (("ab", [3, 4], [1, 2]), "users must be a list or an array of ids"),
        ((np.ones((2, 2)), [3, 4], [1, 2]), "users must have one dimension, not 2"),
        ((range(200), range(200), np.linspace(0, 1, 200)), "more than 101 different ratings"),
        ((pd.DataFrame({"a": [1], "b": [2]}),), "are not users, items and ratings"),
        ((pd.DataFrame({"user": [1], "item": [2], "rating": ["x"]}),), "'rating' should hold ratings"),
        ((pl.DataFrame({"user": [1, None], "item": [2, 3], "rating": [1, 2]}),), "users holds NaN"),
    ],
)
def test_bad_ratings(given_ratings: Any, told: str) -> None:
    model = MaxMarginFactorization()
    with pytest.raises(ValueError, match=told):
        model.fit(*given_ratings)
    assert not hasattr(model, "rank_")


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"rank": 0}, "rank must be 'auto' or a whole number, 1 or more, not 0"),
        ({"rank": "large"}, "rank must be 'auto'"),
        ({"rank": 3}, "rank must be at most 2, as there are 3 users and 2 items"),
        ({"regularization": 0}, "regularization must be greater than 0"),
        ({"regularization": 1.0}, "regularization must be greater than 0 and less than 1"),
        ({"thresholds": "some"}, "thresholds must be 'global' or 'user'"),
        ({"loss": "hinge"}, "loss must be 'squared' or 'sq_sum'"),
        ({"validation_fraction": 0.9}, "validation_fraction must be 0 or more and at most 0.5"),
        ({"levels": [1]}, "levels must be 2 to 101 different numbers"),
        ({"levels": [1, 2]}, "the rating 3 is not one of the levels"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"tol": -1}, "tol must be greater than 0"),
        ({"random_state": -1}, "random_state must be 0 or more"),
        ({"rank": np.int64(3)}, "rank must be at most 2"),
    ],
)
def test_bad_parameters(parameters: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        MaxMarginFactorization(**parameters).fit([1, 2, 3], [1, 2, 1], [1, 2, 3])


def test_bad_questions(model: MaxMarginFactorization) -> None:
    with pytest.raises(ValueError, match="users has 2 ids but items has 1: lengths must match"):
        model.predict([1, 2], [1])
    with pytest.raises(ValueError, match="n must be a whole number, 1 or more, not 0"):
        model.recommend(1, 0)


@pytest.mark.plain
@pytest.mark.compiled
@given(
    count=st.integers(1, 30),
    users=st.integers(1, 6),
    items=st.integers(1, 6),
    levels=st.integers(2, 5),
    own=st.sampled_from(["global", "user"]),
    random_state=st.integers(0, 1000),
)
@examples(40)
def test_few_ratings_of_any_kind_give_finite_answers(
    count: int, users: int, items: int, levels: int, own: str, random_state: int
) -> None:
    random = np.random.default_rng(random_state)
    who, what = random.integers(0, users, count), random.integers(0, items, count)
    model = MaxMarginFactorization(thresholds=own, levels=range(levels), max_iter=20)
    model.fit(who, what, random.integers(0, levels, count))
    assert np.isfinite(model.predict_proba(range(-1, 7), range(-1, 7))).all()
    assert set(model.predict(who, what)) <= set(range(levels))


def test_a_checkpoint_goes_on_where_it_was(tmp_path: Path) -> None:
    users, items, ratings = world(80, 50, 3000)
    wanted = MaxMarginFactorization(**QUICK).fit(users, items, ratings)
    steps = len(_told(users, items, ratings))
    path = tmp_path / "fit"
    for stop in (3, steps // 2, steps - 2):
        with pytest.raises(KeyboardInterrupt):
            MaxMarginFactorization(**QUICK, watch=_stopping_after(stop)).fit(
                users, items, ratings, checkpoint=path
            )
        again = len(_told(users, items, ratings, checkpoint=path))
        assert again <= steps - stop + 2
        assert not path.exists()
        with pytest.raises(KeyboardInterrupt):
            MaxMarginFactorization(**QUICK, watch=_stopping_after(stop)).fit(
                users, items, ratings, checkpoint=path
            )
        model = MaxMarginFactorization(**QUICK).fit(users, items, ratings, checkpoint=path)
        assert np.array_equal(model.user_factors_, wanted.user_factors_)
        assert np.array_equal(model.predict_proba(users, items), wanted.predict_proba(users, items))
        assert model.path_ == wanted.path_


def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    users, items, ratings = world(80, 50, 3000)
    path = tmp_path / "fit"
    with pytest.raises(KeyboardInterrupt):
        MaxMarginFactorization(**QUICK, watch=_stopping_after(5)).fit(users, items, ratings, checkpoint=path)
    with pytest.raises(ValueError, match="belongs to a fit with other ratings or settings"):
        MaxMarginFactorization(**QUICK).fit(users, items, 6 - ratings, checkpoint=path)
    with pytest.raises(ValueError, match="belongs to a fit with other ratings or settings"):
        MaxMarginFactorization(**QUICK, random_state=1).fit(users, items, ratings, checkpoint=path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="is damaged"):
        MaxMarginFactorization(**QUICK).fit(users, items, ratings, checkpoint=path)
    MaxMarginFactorization(2, **QUICK).fit(users, items, ratings).save(path)
    with pytest.raises(ValueError, match="is not a checkpoint of a ratings fit"):
        MaxMarginFactorization(**QUICK).fit(users, items, ratings, checkpoint=path)


def _told(users: Any, items: Any, ratings: Any, **options: Any) -> tuple[FitStep, ...]:
    return MaxMarginFactorization(**QUICK).fit(users, items, ratings, **options).steps_


def _stopping_after(count: int) -> Any:
    left = [count]

    def watch(_done: int, _total: int | None, _what: str) -> None:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    return watch
