"""Rules of regression: twins from the formulas, other libraries, and refusals."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import askance
from askance import StreamRegressor, regression
from askance.jit.coins import coins
from naive import regression as naive
from needs import missing

RULES: dict[str, tuple[Any, Any]] = {
    "PA": (regression.PARegression(0.2), lambda: naive.FirstOrder("PA", {"epsilon": 0.2})),
    "PA-I": (regression.PA1Regression(0.3, 0.05), lambda: naive.FirstOrder("PA-I", {"C": 0.3, "epsilon": 0.05})),
    "PA-II": (regression.PA2Regression(0.7, 0.0), lambda: naive.FirstOrder("PA-II", {"C": 0.7, "epsilon": 0.0})),
    "squared": (
        regression.SGDRegression(eta=0.3, power=0.5),
        lambda: naive.FirstOrder("SGD", {"eta": 0.3, "power": 0.5, "loss": ("squared",)}),
    ),
    "insensitive": (
        regression.SGDRegression(regression.EpsilonInsensitive(0.1), 0.2, 1.0),
        lambda: naive.FirstOrder("SGD", {"eta": 0.2, "power": 1.0, "loss": ("insensitive", 0.1)}),
    ),
    "pinball": (
        regression.SGDRegression(regression.Pinball(0.8), 0.2, 0.0),
        lambda: naive.FirstOrder("SGD", {"eta": 0.2, "power": 0.0, "loss": ("pinball", 0.8)}),
    ),
    "AROW": (regression.AROWRegression(0.5), lambda: naive.AROW(0.5, full=True, inverse=False)),
    "AROW-diag": (regression.AROWRegression(0.5, full=False), lambda: naive.AROW(0.5, full=False, inverse=False)),
    "AROW-inverse": (
        regression.AROWRegression(0.5, full=False, inverse=True),
        lambda: naive.AROW(0.5, full=False, inverse=True),
    ),
}


def made(rows: int = 120, seed: int = 0) -> tuple[Any, Any]:
    """Columns of very different size, and a target far from 0."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 3)) * [1, 300, 0.01]
    return X, 5000 + 40 * X[:, 0] + 0.3 * X[:, 1] + random.normal(size=rows)


def agrees(name: str, model: StreamRegressor, X: Any, y: Any, **options: Any) -> None:
    trace = model.run(X, y)
    own = coins(model.random_state, 0, len(y)).tolist()
    twin = naive.run(X, y.tolist(), own, RULES[name][1](), rate=model.rate, audit=model.audit, **options)
    assert trace.asked.tolist() == [one.asked for one in twin]
    np.testing.assert_allclose(trace.ask_probabilities, [one.probability for one in twin], rtol=1e-9)
    np.testing.assert_allclose(trace.predictions, [one.prediction for one in twin], rtol=1e-9)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", RULES)
@given(st.integers(0, 10**6), st.sampled_from([0.05, 0.3, 1.0]), st.sampled_from([0.1, 0.5, 1.0]))
def test_a_regressor_agrees_with_its_twin(name: str, seed: int, rate: float, audit: float) -> None:
    X, y = made(35, seed)
    agrees(name, StreamRegressor(RULES[name][0], rate=rate, audit=audit, random_state=seed), X, y)


@pytest.mark.parametrize("name", RULES)
def test_rows_and_targets_as_they_are(name: str) -> None:
    X, y = made()
    X, y = X / [1, 300, 0.01], (y - 5000) / 50
    model = StreamRegressor(RULES[name][0], rate=0.4, scaling=None, scale_target=False, intercept=0.0)
    agrees(name, model, X, y, scaled=False, targets=False, intercept=0.0)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["PA-II", "AROW"])
def test_a_compiled_pass_agrees_with_the_twin(name: str) -> None:
    X, y = made(300)
    agrees(name, StreamRegressor(RULES[name][0], rate=0.2), X, y)


def plain(rule: Any) -> StreamRegressor:
    """A regressor that changes neither rows nor targets."""
    return StreamRegressor(rule, scaling=None, scale_target=False, intercept=0.0)


def unit_rows(rows: int = 300) -> tuple[Any, Any]:
    random = np.random.default_rng(5)
    X = random.normal(size=(rows, 6))
    return X, X @ random.normal(size=6) + 0.3 * random.normal(size=rows)


@pytest.mark.parametrize("r", [0.01, 1.0, 30.0])
def test_arow_with_a_full_matrix_is_ridge_regression(r: float) -> None:
    from sklearn.linear_model import Ridge

    X, y = unit_rows()
    ours = plain(regression.AROWRegression(r=r)).fit(X, y)
    np.testing.assert_allclose(ours.coef_, Ridge(alpha=r, fit_intercept=False).fit(X, y).coef_, rtol=1e-9)


SAME_SGD = {"alpha": 0.0, "penalty": None, "fit_intercept": False, "shuffle": False, "max_iter": 1, "tol": None}


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    ("loss", "name"),
    [(regression.SquaredError(), "squared_error"), (regression.EpsilonInsensitive(0.2), "epsilon_insensitive")],
)
def test_sgd_agrees_with_scikit_learn(power: float, loss: Any, name: str) -> None:
    from sklearn.linear_model import SGDRegressor

    X, y = unit_rows()
    schedule = {"learning_rate": "invscaling", "power_t": power} if power else {"learning_rate": "constant"}
    theirs = SGDRegressor(loss=name, epsilon=0.2, eta0=0.05, **SAME_SGD, **schedule).fit(X, y)
    ours = plain(regression.SGDRegression(loss, 0.05, power)).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize(
    ("rule", "loss"),
    [
        (regression.PA1Regression(0.05, 0.1), "epsilon_insensitive"),
        (regression.PA2Regression(0.05, 0.1), "squared_epsilon_insensitive"),
    ],
)
def test_passive_aggressive_agrees_with_scikit_learn(rule: Any, loss: str) -> None:
    from sklearn.linear_model import PassiveAggressiveRegressor

    X, y = unit_rows()
    theirs = PassiveAggressiveRegressor(
        C=0.05, epsilon=0.1, loss=loss, fit_intercept=False, shuffle=False, max_iter=1, tol=None
    ).fit(X, y)
    np.testing.assert_allclose(plain(rule).fit(X, y).coef_, theirs.coef_, rtol=1e-6)


@pytest.mark.parametrize(
    ("rule", "mode"),
    [
        (regression.PARegression(0.1), 0),
        (regression.PA1Regression(0.05, 0.1), 1),
        (regression.PA2Regression(0.05, 0.1), 2),
    ],
)
def test_passive_aggressive_agrees_with_river(rule: Any, mode: int) -> None:
    try:
        from river.linear_model import PARegressor
    except ImportError:
        missing("the comparison with river", "river")
    X, y = unit_rows()
    theirs = PARegressor(C=0.05, mode=mode, eps=0.1, learn_intercept=False)
    theirs.loss = lambda y_true, y_pred: max(abs(y_true - y_pred) - 0.1, 0)  # its own is about 2y - 1
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        theirs.learn_one(dict(enumerate(x)), label)
    found = [theirs.weights[j] for j in range(X.shape[1])]
    np.testing.assert_allclose(plain(rule).fit(X, y).coef_, found, rtol=1e-6)


@pytest.mark.parametrize("name", RULES)
def test_the_unit_of_columns_and_target_makes_no_difference(name: str) -> None:
    X, y = made()
    one = StreamRegressor(RULES[name][0], rate=0.3).run(X, y)
    other = StreamRegressor(RULES[name][0], rate=0.3).run(X * [1000, 1, 0.1] - 7, 3600 * y - 1e6)
    assert one.asked.tolist() == other.asked.tolist()
    np.testing.assert_allclose(3600 * one.predictions - 1e6, other.predictions, rtol=1e-6)


@pytest.mark.parametrize(("rate", "audit"), [(0.02, 0.2), (0.1, 0.01), (0.3, 1.0)])
def test_the_budget_holds_after_every_row_and_rules_out_next_to_none(rate: float, audit: float) -> None:
    random = np.random.default_rng(1)
    rows = 1500
    X = random.normal(size=(rows, 2)) * np.exp(random.normal(size=(rows, 1)))
    trace = StreamRegressor("AROW-diag", rate=rate, audit=audit).run(X, X[:, 0])
    spent = np.cumsum(trace.asked)
    assert (spent <= 30 + rate * np.arange(1, rows + 1)).all()
    assert spent[-1] >= 0.8 * rate * rows  # it is not wasted either
    assert (trace.ask_probabilities > 0).mean() > 0.998


@given(st.integers(0, 1000))
def test_a_limit_is_never_exceeded(seed: int) -> None:
    X, y = made(30, seed)
    trace = StreamRegressor(rate=0.5, limit=7, random_state=seed).run(X, y)
    assert trace.asked.sum() == trace.spent == 7
    assert (trace.ask_probabilities[np.flatnonzero(trace.asked)[-1] + 1 :] == 0).all()


def test_questions_are_about_rows_with_large_spreads() -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(1500, 2))
    X[random.random(1500) < 0.05, 1] += 6
    trace = StreamRegressor(rate=0.05, audit=0.2).run(X, X[:, 0])
    unusual = X[:, 1] > 4
    assert trace.asked[unusual].mean() > 3 * trace.asked[~unusual].mean()


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (regression.SGDRegression(askance.updates.Hinge()), "loss must be one of SquaredError"),
        (regression.SGDRegression(regression.Pinball(1.0)), "quantile"),
        (regression.SGDRegression(power=0.3), "power must be"),
        (regression.PA1Regression(C=0.0), "C"),
        (regression.PARegression(epsilon=-1.0), "epsilon"),
        (regression.AROWRegression(r=math.nan), "r"),
        (askance.updates.PassiveAggressive2(), "learns classes"),
        ("PA-III", "one of AROW"),
    ],
)
def test_what_is_refused(rule: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        StreamRegressor(rule).fit([[1.0], [2.0]], [1.0, 2.0])


@pytest.mark.parametrize("rule", regression.RULES)
def test_a_learner_of_classes_refuses_rules_of_regression(rule: Any) -> None:
    with pytest.raises(TypeError, match="use it with StreamRegressor"):
        askance.Learner(rule(), askance.queries.Always())
