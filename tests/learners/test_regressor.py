"""A regressor is one of scikit-learn's, and a labelling loop; it can be saved."""

import pathlib
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import askance
from askance import RegressionTrace, StreamRegressor, regression
from askance._util.saving import to_bytes
from askance._util.sealed_file import arrays_of, header_of, seal
from askance.errors import DataError, ModelFileError

REASON = "a learner takes one step per row"
ONLINE = {
    f"check_{name}": REASON
    for name in ("sample_weight_equivalence_on_dense_data", "sample_weight_equivalence_on_sparse_data")
}


def made(rows: int = 150) -> tuple[Any, Any]:
    random = np.random.default_rng(2)
    X = random.normal(size=(rows, 3)) * [1, 500, 0.02] + [0, 4000, 1]
    return X, 300 + 2 * X[:, 0] + 0.01 * X[:, 1] + 0.1 * random.normal(size=rows)


def same(one: RegressionTrace, other: RegressionTrace) -> None:
    for name, column in one.to_dict().items():
        np.testing.assert_array_equal(column, other.to_dict()[name])


@pytest.mark.sampled(2)
@parametrize_with_checks([StreamRegressor()], expected_failed_checks=lambda _: ONLINE)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [StreamRegressor("PA-II"), StreamRegressor("SGD"), StreamRegressor("AROW-diag")],
    expected_failed_checks=lambda _: ONLINE,
)
def test_checks_of_scikit_learn_for_other_rules(estimator: Any, check: Any) -> None:
    check(estimator)


def test_row_by_row_is_the_same_as_a_run() -> None:
    X, y = made()
    trace, loop = StreamRegressor(rate=0.2).run(X, y), StreamRegressor(rate=0.2)
    for t, x in enumerate(X):
        decision = loop.ask(x)
        assert decision.ask == trace.asked[t]
        assert decision.ask_probability == trace.ask_probabilities[t]
        if decision.prediction is None:
            assert np.isnan(trace.predictions[t])
        else:
            assert decision.prediction == trace.predictions[t]
        if decision.ask:
            loop.tell(x, y[t], decision.ask_probability)
    assert loop.spending_.asked == trace.spent


@pytest.mark.parametrize("rule", ["AROW", "PA-I"])
def test_chunks_change_nothing(rule: str) -> None:
    X, y = made()
    pieces = StreamRegressor(rule)
    joined = RegressionTrace.join([pieces.run(X[a : a + 40], y[a : a + 40]) for a in range(0, len(X), 40)])
    same(StreamRegressor(rule).run(X, y), joined)
    with pytest.raises(ValueError, match="consecutive: expected round 150, got 0"):
        RegressionTrace.join([joined, joined])


def test_the_random_state_decides_the_coins() -> None:
    X, y = made()
    runs = [StreamRegressor("PA", random_state=seed).run(X, y).asked.tolist() for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize("rule", [*regression.NAMES, regression.SGDRegression(regression.Pinball(0.9))])
@pytest.mark.parametrize("scale_target", [True, False])
def test_a_saved_regressor_goes_on_as_before(rule: Any, scale_target: bool, tmp_path: pathlib.Path) -> None:
    X, y = made()
    model = StreamRegressor(rule, limit=40, scale_target=scale_target, random_state=3)
    model.run(X[:100], y[:100])
    model.save(tmp_path / "price.model")
    loaded = askance.load(tmp_path / "price.model")
    assert loaded.get_params(deep=False) == model.get_params(deep=False)
    same(model.run(X[100:], y[100:]), loaded.run(X[100:], y[100:]))
    np.testing.assert_array_equal(model.predict(X), loaded.predict(X))


def forged(change: Any) -> bytes:
    X, y = made(30)
    content = to_bytes(StreamRegressor().fit(X, y))
    header, arrays = header_of(content), arrays_of(content)
    change(header, arrays)
    return seal(arrays, header)


@pytest.mark.parametrize(
    "change",
    [
        lambda header, _: header.update(n_features=10**9),
        lambda header, _: header.update(n_features=0),
        lambda header, _: header.update(update="PA-III"),
        lambda header, _: header.update(update={"rule": "Hinge", "parameters": {}}),
        lambda header, _: header["parameters"].update(rate=2.0),
        lambda header, _: header["parameters"].update(colour="red"),
        lambda _, arrays: arrays.update({"state/targets": -arrays["state/targets"]}),
        lambda _, arrays: arrays.update({"state/targets": np.full(3, np.nan)}),
        lambda _, arrays: arrays.pop("state/targets"),
    ],
)
def test_a_forged_file_is_refused(change: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "forged.model").write_bytes(forged(change))
    with pytest.raises(ModelFileError):
        askance.load(tmp_path / "forged.model")


def test_weights_of_rows() -> None:
    X, y = made()
    weights = np.linspace(0.5, 2, len(y))
    plain, weighted = StreamRegressor().fit(X, y), StreamRegressor().fit(X, y, weights)
    assert not np.array_equal(plain.predict(X), weighted.predict(X))
    np.testing.assert_array_equal(plain.predict(X), StreamRegressor().fit(X, y, np.ones(len(y))).predict(X))


def test_weights_of_rows_are_those_of_ridge_regression() -> None:
    """Each label counts once by its weight, and is a deviation from the mean of those before."""
    X, y = made(60)
    X, weights = X / [1, 500, 0.02], np.linspace(0.5, 2, 60)
    deviations = y - np.concatenate([y[:1], np.cumsum(y)[:-1] / np.arange(1, 60)])
    theirs = Ridge(alpha=0.7, fit_intercept=False).fit(X, deviations, weights)
    ours = StreamRegressor(regression.AROWRegression(r=0.7), scaling=None, intercept=0.0).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)


def test_searches_over_rules_and_their_parameters() -> None:
    X, y = made()
    search = GridSearchCV(StreamRegressor(regression.PA2Regression()), {"update__C": [1e-4, 1.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"update__C": 1.0}
    copy = clone(StreamRegressor(regression.AROWRegression())).set_params(update__r=3.0)
    assert copy.update == regression.AROWRegression(r=3.0)


def test_raw_columns_and_targets_just_work() -> None:
    X, y = made(600)
    for rule in ("AROW", "PA-II", "SGD"):
        trace = StreamRegressor(rule, rate=0.3).run(X, y)
        assert trace.errors().r2 > 0.8, rule


def test_coefficients_are_in_units_of_the_target() -> None:
    X, y = made()
    model = StreamRegressor(scaling=None).fit(X, y)
    np.testing.assert_allclose(X @ model.coef_ + model.intercept_, model.predict(X))
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0] = 1.0


def test_what_cannot_be_learned() -> None:
    X, y = made(20)
    model = StreamRegressor()
    with pytest.raises(NotFittedError, match="no labels yet"):
        model.predict(X)
    assert model.ask(X[0]).prediction is None
    for bad, message in (
        (["a"] * 20, "y must hold numbers"),
        (np.full(20, np.nan), "y contains NaN or infinity, first in row 0"),
        (y[:5], "X has 20 rows, but y has 5 numbers"),
        (np.ones((20, 2)), "one number per row"),
    ):
        with pytest.raises(ValueError, match=message):
            model.run(X, bad)
    with pytest.raises(DataError, match="is for dense rows"):
        StreamRegressor().run(sp.csr_array(X), y)
    for name, value in (
        ("rate", 0.0),
        ("audit", 0.0),
        ("limit", -1),
        ("scale_target", "yes"),
        ("intercept", -1.0),
    ):
        with pytest.raises(ValueError, match=name):
            StreamRegressor(**{name: value}).fit(X, y)


def test_sparse_rows_without_scaling() -> None:
    random = np.random.default_rng(0)
    X = sp.random_array((200, 50), density=0.1, rng=random, format="csr")
    y = 10 + np.asarray(X @ random.normal(size=50))
    for rule in ("AROW-diag", "PA-I"):
        sparse = StreamRegressor(rule, scaling=None).run(X, y)
        dense = StreamRegressor(rule, scaling=None).run(X.toarray(), y)
        np.testing.assert_allclose(sparse.predictions, dense.predictions, rtol=1e-9)


def test_a_summary_says_what_was_found() -> None:
    X, y = made(600)
    trace = StreamRegressor("PA", rate=0.2).run(X, y)
    text = repr(trace.summary())
    assert "labels asked" in text
    assert "RMSE" in text
    assert trace.summary().as_dict()["estimates"]["mse"]["enough"]
    assert "<table" in trace.summary()._repr_html_()
    rows, errors = trace.curve(50)
    assert rows[-1] == len(y)
    assert errors[-1] == pytest.approx(trace.errors().mse)
    assert list(trace.to_pandas().columns) == ["round", "prediction", "y", "ask_probability", "asked", "updated"]
