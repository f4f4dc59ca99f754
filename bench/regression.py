"""`python -m bench.regression`: questions by uncertainty against questions at random.

Each problem comes in ten orders. The first 70 % of the rows are a stream, of which a tenth is asked about; the
rest is for testing. Errors are in units of the variance of the target: 1 is what the mean would reach. Intervals
are at the level of 95 % over the orders. Differences are paired: both ask within the same order.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy import sparse, stats

from askance import StreamRegressor
from bench.league.tasks import folder

ORDERS = 10
STREAM = 0.7  # the share of rows that are a stream
METHODS: dict[str, dict[str, Any]] = {
    "AROW, uncertainty": {"update": "AROW"},
    "AROW, uncertainty (audit 0.2)": {"update": "AROW", "audit": 0.2},
    "AROW, at random": {"update": "AROW", "audit": 1.0},
    "AROW-diag, uncertainty": {"update": "AROW-diag"},
    "AROW-diag, at random": {"update": "AROW-diag", "audit": 1.0},
    "PA-II, at random": {"update": "PA-II"},
    "AROW, all labels": {"update": "AROW", "rate": 1.0},
    "PA-II, all labels": {"update": "PA-II", "rate": 1.0},
}
PAIRS = (
    ("AROW, uncertainty", "AROW, at random"),
    ("AROW, uncertainty (audit 0.2)", "AROW, at random"),
    ("AROW-diag, uncertainty", "AROW-diag, at random"),
)

Problem = tuple[NDArray[np.float64], NDArray[np.float64]]


class Outcome(NamedTuple):
    """What one stream led to."""

    labels: float
    stream: float  # MSE of the predictions before each label
    test: float
    covered: float  # whether the interval from asked labels contains the MSE of the stream


def diabetes() -> Problem:
    """The progression of diabetes from ten measurements, of scikit-learn: 442 rows."""
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True, scaled=False)
    return X, y


def demand() -> Problem:
    """The demand for electricity in New South Wales from time, prices and the demand in Victoria: 45,312 rows."""
    return _column("elec2", 4)


def elevation() -> Problem:
    """The elevation of patches of forest from slopes, distances and soils (covtype): 10,000 rows."""
    return _column("covtype_10k", 0)


def length() -> Problem:
    """The length of showers of light from the other measurements (magic04): 19,020 rows."""
    return _column("magic04", 0)


# How to ask was decided on the four problems above. These two were first looked at afterwards.


def distance() -> Problem:
    """How far showers of light are from the centre, from the other measurements (magic04): 19,020 rows."""
    return _column("magic04", 9)


def roads() -> Problem:
    """The distance of patches of forest to the next road, from the other columns (covtype): 10,000 rows."""
    return _column("covtype_10k", 5)


def _column(name: str, target: int) -> Problem:
    with np.load(folder() / f"{name}.npz") as archive:
        parts = (archive["data"], archive["indices"], archive["indptr"])
        X = sparse.csr_array(parts, shape=tuple(archive["shape"])).toarray().astype(np.float64)
    return np.delete(X, target, axis=1), X[:, target]


PROBLEMS: dict[str, Callable[[], Problem]] = {
    "diabetes": diabetes,
    "demand": demand,
    "elevation": elevation,
    "length": length,
    "distance": distance,
    "roads": roads,
}


def measure(problem: Problem, order: int, parameters: dict[str, Any]) -> Outcome:
    """Run one stream, and test what was learned."""
    X, y = problem
    rows = np.random.default_rng(order).permutation(len(y))
    X, y = X[rows], y[rows]
    split = int(STREAM * len(y))
    model = StreamRegressor(random_state=order, **parameters)
    trace = model.run(X[:split], y[:split])
    mse, found, variance = trace.errors().mse, trace.estimate("mse"), float(np.var(y))
    covered = float("nan") if found.low is None or found.high is None else float(found.low <= mse <= found.high)
    test = float(np.mean((model.predict(X[split:]) - y[split:]) ** 2))
    return Outcome(float(trace.asked.mean()), mse / variance, test / variance, covered)


def interval(values: NDArray[np.float64]) -> str:
    """Mean and 95 % interval over the orders."""
    half = stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():.4f} ({values.mean() - half:.4f} to {values.mean() + half:.4f})"


def tables(results: dict[str, dict[str, NDArray[np.float64]]]) -> list[Table]:
    """The errors of every method, and the differences of pairs."""
    errors, differences = Table("problem", "method", "labels", "stream MSE", "test MSE", "intervals hold"), Table()
    for heading in ("problem", "difference", "stream MSE", "test MSE"):
        differences.add_column(heading)
    for name, found in results.items():
        for method, values in found.items():
            labels, stream, test, covered = values.T
            held = "" if np.isnan(covered).all() else f"{np.nanmean(covered):.0%}"
            errors.add_row(name, method, f"{labels.mean():.1%}", interval(stream), interval(test), held)
        for one, other in PAIRS:
            change = found[one] - found[other]
            differences.add_row(name, f"{one} − {other}", interval(change[:, 1]), interval(change[:, 2]))
    return [errors, differences]


def main(arguments: list[str] | None = None) -> None:
    """Measure, print tables and save all figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.regression", description=__doc__)
    parser.add_argument("--orders", type=int, default=ORDERS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    results = {}
    for name, load in PROBLEMS.items():
        problem = load()
        results[name] = {
            method: np.array([measure(problem, order, parameters) for order in range(options.orders)])
            for method, parameters in METHODS.items()
        }
    console = Console(width=160)
    for table in tables(results):
        console.print(table)
    if options.out is not None:
        figures = {
            name: {method: values.tolist() for method, values in found.items()} for name, found in results.items()
        }
        options.out.write_text(json.dumps({"fields": Outcome._fields, "results": figures}))


if __name__ == "__main__":
    main()
