"""Errors of predicted numbers: over all rows, and estimated from asked labels with intervals that hold."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as theirs

from askance import StreamRegressor
from askance.metrics import asked_errors, regression_errors

RESIDUALS: dict[str, Callable[[Any, int], Any]] = {
    "normal": lambda random, rows: random.normal(size=rows),
    "laplace": lambda random, rows: random.laplace(size=rows),
    "t5": lambda random, rows: random.standard_t(5, size=rows),
    "log-normal": lambda random, rows: np.exp(0.7 * random.normal(size=rows)),
    "falling": lambda random, rows: random.normal(size=rows) * (1 + 3 * np.linspace(1, 0, rows) ** 8),
}


def test_errors_are_those_of_scikit_learn() -> None:
    random = np.random.default_rng(0)
    y, p = random.normal(size=(2, 50))
    found = regression_errors(y, p)
    assert found.mse == pytest.approx(theirs.mean_squared_error(y, p))
    assert found.rmse == pytest.approx(theirs.root_mean_squared_error(y, p))
    assert found.mae == pytest.approx(theirs.mean_absolute_error(y, p))
    assert found.r2 == pytest.approx(theirs.r2_score(y, p))
    assert regression_errors([*y, 1.0], [*p, math.nan]) == found
    assert all(map(math.isnan, regression_errors([], [])))
    assert math.isnan(regression_errors([2.0, 2.0], [1.0, 2.0]).r2)


def coverage(find: Callable[..., Any], kind: str, metric: str, runs: int, rows: int, *, mixed: bool) -> float:
    """The share of intervals that contain the error. With `mixed`, some rows are asked about for certain."""
    random, hits = np.random.default_rng(7), 0
    for _ in range(runs):
        residuals = RESIDUALS[kind](random, rows)
        chances = np.where(random.random(rows) < 0.08, 1.0, 0.03) if mixed else np.full(rows, 0.1)
        asked = random.random(rows) < chances
        found = find(metric, residuals, np.zeros(rows), asked, chances)
        truth = getattr(regression_errors(residuals, np.zeros(rows)), metric)
        hits += found.low <= truth <= found.high
    return hits / runs


@pytest.mark.parametrize("kind", ["normal", "log-normal"])
@pytest.mark.parametrize("mixed", [True, False])
def test_intervals_contain_the_error(kind: str, mixed: bool) -> None:
    for metric in ("mse", "mae"):
        assert coverage(asked_errors, kind, metric, 300, 3000, mixed=mixed) >= 0.91


@pytest.mark.slow
@pytest.mark.parametrize("kind", RESIDUALS)
@pytest.mark.parametrize("mixed", [True, False])
def test_ninety_four_of_a_hundred_intervals_contain_the_error(kind: str, mixed: bool) -> None:
    for metric in ("mse", "mae"):
        assert coverage(asked_errors, kind, metric, 1000, 4000, mixed=mixed) >= 0.935


def symmetric(metric: str, y: Any, p: Any, asked: Any, chances: Any) -> Any:
    """The usual interval of t, which long tails fool."""
    found = asked_errors(metric, y, p, asked, chances)
    losses = (y - p)[asked] ** 2
    half = stats.t.ppf(0.975, len(losses) - 1) * losses.std(ddof=1) / math.sqrt(len(losses))
    return found._replace(low=losses.mean() - half, high=losses.mean() + half)


def unweighted(metric: str, y: Any, p: Any, asked: Any, chances: Any) -> Any:
    """A fault: every asked label counts the same."""
    return asked_errors(metric, y, p, asked, np.full(len(chances), asked.mean()))


def coverage_of_unequal(find: Callable[..., Any], runs: int = 200) -> float:
    """The same if larger residuals are asked about more often, as where a model is uncertain for a reason."""
    random, hits = np.random.default_rng(7), 0
    for _ in range(runs):
        residuals = random.normal(size=3000)
        chances = np.where(np.abs(residuals) > 1.5, 0.3, 0.05)
        asked = random.random(3000) < chances
        found = find("mse", residuals, np.zeros(3000), asked, chances)
        hits += found.low <= np.mean(residuals**2) <= found.high
    return hits / runs


def test_rows_count_by_the_inverse_of_their_probability() -> None:
    assert coverage_of_unequal(asked_errors) >= 0.91


def test_faults_are_found() -> None:
    assert coverage(symmetric, "log-normal", "mse", 400, 3000, mixed=False) < 0.91
    assert coverage_of_unequal(unweighted) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["AROW", "AROW-diag", "PA-II"])
def test_intervals_of_traces_contain_the_error_of_the_stream(rule: str) -> None:
    """Questions depend on the past, and so do predictions."""
    hits, runs = 0, 200
    for seed in range(runs):
        random = np.random.default_rng(seed)
        X = random.normal(size=(700, 2))
        y = 50 + 3 * X[:, 0] + np.abs(X[:, 1]) * random.normal(size=700)
        trace = StreamRegressor(rule, rate=0.2, audit=0.5, random_state=seed).run(X, y)
        found = trace.estimate("mse")
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= trace.errors().mse <= found.high
    assert hits >= 0.91 * runs


def test_all_labels_leave_no_doubt() -> None:
    y, p = np.arange(5.0), np.zeros(5)
    found = asked_errors("mse", y, p, np.ones(5, bool), np.ones(5))
    assert found[1:4] == (6.0, 6.0, 6.0)
    assert asked_errors("rmse", y, p, np.ones(5, bool), np.ones(5)).value == pytest.approx(math.sqrt(6))


def test_what_cannot_be_estimated() -> None:
    y, half = np.arange(50.0), np.full(50, 0.5)
    few = asked_errors("mse", y, y, np.arange(50) < 10, half)
    assert few.value is None
    assert few.note == "Cannot tell yet: 10 rows were asked about at random, and it takes 20."
    assert asked_errors("mae", y, np.full(50, np.nan), y > 1, np.ones(50)).value is None
    unreachable = np.where(y < 7, 0.0, 0.5)
    note = asked_errors("mae", y, y + 1, y > 10, unreachable).note
    assert note == "7 rows could not be asked about: the estimate is of the others."
    for wrong, message in (
        (("accuracy", y, y, y > 9, half), "metric must be one of mse, rmse, mae"),
        (("mse", y, y[:9], y > 9, half), "one number per row"),
        (("mse", y, y, y > 9, half * 3), "from 0 to 1"),
        (("mse", y, y, y > 9, half * 0), "more than 0 for asked rows"),
        (("mse", y * np.nan, y, y > 9, half), "NaN or infinity for a row"),
        (("mse", y, y, y > 9, half, 1.5), "level must be"),
    ):
        with pytest.raises(ValueError, match=message):
            asked_errors(*wrong)


def test_a_long_tail_is_told_of() -> None:
    """Demand that is rare: with 200 labels, 58 to 87 of 100 intervals of the RMSE contained the error."""
    told = {"normal": 0, "rare": 0}
    for seed in range(60):
        random = np.random.default_rng(seed)
        asked = random.random(4000) < random.choice([0.01, 0.05])
        normal = random.normal(size=4000)
        rare = np.where(random.random(4000) < 0.03, random.lognormal(1, 1, 4000), 0.02 * normal)
        for name, residuals in (("normal", normal), ("rare", rare)):
            found = asked_errors("rmse", residuals, np.zeros(4000), asked, np.full(4000, asked.mean()))
            told[name] += "of the estimated error" in found.note
    assert told["normal"] <= 3
    assert told["rare"] >= 45


def test_a_summary_shows_what_there_is_to_know_about_its_estimates() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 2))
    y = X[:, 0] + np.where(random.random(2000) < 0.02, 1000.0, 0.0)
    trace = StreamRegressor(rate=0.1, random_state=0).run(X, y)
    note = trace.estimate("rmse").note
    assert "of the estimated error: the true error may be above the upper limit." in note
    assert f"RMSE: {note}" in repr(trace.summary()).splitlines()
    assert note in trace.summary()._repr_html_()
