"""`python -m bench.pool_strategies`: the accuracy that the strategies for pools reach with few labels.

Five data sets, a logistic regression, batches of ten rows up to 200 labels, and a test on other rows. The first
ten rows are drawn at random, and are the same for all strategies except those that need no labels: these choose
their first rows themselves.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from askance import pool
from askance.pool import PoolLoop, Strategy
from bench.league.tasks import folder

TEXTS, TABLES = ("pcmac",), ("spambase", "satimage", "segment", "optdigits")
POOL, TEST = 1000, 1000
BATCH, MOST = 10, 200
SHOWN = (10, 20, 50, 100, 200)

STRATEGIES: dict[str, Callable[[int], Strategy]] = {
    "random": lambda seed: pool.RandomSampling(seed),
    "margin": lambda seed: pool.MarginSampling(random_state=seed),
    "entropy": lambda seed: pool.EntropySampling(random_state=seed),
    "BADGE": lambda seed: pool.BADGE(random_state=seed),
    "core-set": lambda seed: pool.CoreSet(random_state=seed),
    "TypiClust": lambda seed: pool.TypiClust(random_state=seed),
    "ProbCover": lambda seed: pool.ProbCover(random_state=seed),
    "density, cosine": lambda seed: pool.InformationDensity(similarity="cosine", random_state=seed),
    "density, RBF": lambda seed: pool.InformationDensity(random_state=seed),
    "expected error": lambda seed: pool.ExpectedErrorReduction(candidates=20, random_state=seed),
    "TypiClust, margin": lambda seed: Switch(seed),
}


class Switch:
    """TypiClust for the first 50 labels, then the margin."""

    starts_without_labels = True

    def __init__(self, seed: int, until: int = 50) -> None:
        self.first, self.then, self.until = pool.TypiClust(random_state=seed), pool.MarginSampling(), until
        self.now: Strategy = self.first

    def fit(self, X: Any, y: Any, privileged: Any = None) -> "Switch":
        """Train the one that is to select."""
        self.now = self.first if len(y) < self.until else self.then
        self.now.fit(X, y, privileged)
        return self

    def select(self, X: Any, n: int, privileged: Any = None) -> pool.Selection:
        """Select by it."""
        return self.now.select(X, n, privileged)


class Task(NamedTuple):
    """A pool, and rows to test on."""

    X: Any
    y: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]


def task(name: str, order: int) -> Task:
    """The rows of a set in a random order: words weighted by how rare they are, or columns standardised."""
    z = np.load(folder() / f"{name}.npz")
    X = sp.csr_array((z["data"], z["indices"], z["indptr"]), shape=tuple(z["shape"])).astype(float)
    X = TfidfTransformer(sublinear_tf=True).fit_transform(X) if name in TEXTS else X.toarray()
    rows = np.random.default_rng(order).permutation(X.shape[0])
    test = min(TEST, len(rows) // 3)
    test_rows, rows = rows[:test], rows[test : test + POOL]
    if name in TABLES:
        X = StandardScaler().fit(X[rows]).transform(X)
    return Task(X[rows], z["y"][rows], X[test_rows], z["y"][test_rows])


def curve(one: Task, name: str, order: int) -> tuple[dict[int, float], float]:
    """The accuracy by the number of labels, and the seconds of all selections."""
    strategy = STRATEGIES[name](order)
    first = {} if getattr(strategy, "starts_without_labels", False) else dict(enumerate(one.y[:BATCH].tolist()))
    loop = PoolLoop(strategy, one.X, first, batch=BATCH, queries=MOST - len(first))
    found, seconds = {}, 0.0
    while True:
        rows, labels = loop.labelled()
        if len(rows) in SHOWN:
            found[len(rows)] = accuracy(one, rows, labels)
        begun = time.perf_counter()
        question = next(loop, None)
        seconds += time.perf_counter() - begun
        if question is None:
            return found, seconds
        loop.tell(question.rows, one.y[question.rows])


def accuracy(one: Task, rows: NDArray[Any], labels: NDArray[Any]) -> float:
    """Of a logistic regression that learns these rows."""
    if len(np.unique(labels)) < 2:
        return float((one.y_test == labels[0]).mean())
    return float(LogisticRegression(max_iter=10_000).fit(one.X[rows], labels).score(one.X_test, one.y_test))


def main() -> None:
    """Measure, and print a table per data set and one of means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--sets", nargs="*", default=[*TEXTS, *TABLES])
    parser.add_argument("--strategies", nargs="*", default=list(STRATEGIES))
    given = parser.parse_args()
    console = Console(width=120)
    with threadpool_limits(1):
        for name in given.sets:
            table = Table("strategy", *map(str, SHOWN), "seconds", title=f"{name}: accuracy by labels")
            for strategy in given.strategies:
                each = [curve(task(name, order), strategy, order) for order in range(given.orders)]
                means = np.array([[found[count] for count in SHOWN] for found, _ in each])
                spread = means.std(axis=0, ddof=1) / np.sqrt(len(each)) if len(each) > 1 else np.zeros(len(SHOWN))
                cells = [f"{100 * m:.1f} ± {100 * s:.1f}" for m, s in zip(means.mean(axis=0), spread, strict=True)]
                table.add_row(strategy, *cells, f"{np.mean([seconds for _, seconds in each]):.1f}")
                console.print(name, strategy, *cells)
            console.print(table)


if __name__ == "__main__":
    main()
