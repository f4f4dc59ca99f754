"""`python -m bench.augmented`: how narrow intervals with helpers are, and how often they hold the truth.

The requests of the politeness set come in many orders, with the recorded guesses of a language model. Labels are
asked for uniformly, more often where a simple model is in doubt, or as `AutoLearner` does. The interval of each
method is compared with the classical one of the same number of uniform labels. `--conditions` measures coverage
where nothing is on the side of the helpers instead. ppi-python takes part if it is installed.
"""

import argparse
import gzip
import importlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import askance
from askance.metrics import AskedTally, Estimate, augmented_estimate, guess_columns
from bench.league.tasks import folder

CHUNK = 100  # rows between two fits of the simple model
FLOOR = 0.2  # of the questions are uniform
Z = 1.96
Array = NDArray[Any]


class Stream(NamedTuple):
    """Rows with what is known of all of them."""

    y: Array  # +1 or -1
    guesses: Array  # +1 or -1
    columns: Array


class Asked(NamedTuple):
    """Which labels of a stream were asked for, and what was predicted before."""

    asked: Array
    chances: Array
    predictions: Array
    scores: Array


class Met(NamedTuple):
    """One interval."""

    labels: int
    width: float
    classical: float  # the width of the classical interval, of any number of rows
    finite: float  # and of these rows only
    error: float
    holds: bool


@cache
def politeness(columns: str) -> Stream:
    """The politeness set."""
    with gzip.open(folder() / "politeness_gpt4o.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    guesses = [row["guesses"]["gpt-4o"] for row in rows]
    made = guess_columns([guess["label"] for guess in guesses], [guess["confidence"] for guess in guesses])
    if columns == "all":
        made = np.hstack([made, [row["features"] for row in rows]])
    y, said = (
        np.array([1 if name == "polite" else -1 for name in names])
        for names in ([row["label"] for row in rows], [guess["label"] for guess in guesses])
    )
    return Stream(y, said, made)


def simply_asked(stream: Stream, labels: int, order: int, *, uniform: bool) -> Asked:
    """Ask uniformly or by the doubt of a ridge regression, which is fitted to the labels so far."""
    random, rows = np.random.default_rng([order, 1]), len(stream.y)
    design = np.c_[np.ones(rows), stream.columns - stream.columns.mean(axis=0)]
    rate = (labels - 2 * np.sqrt(labels)) / rows  # so that there are hardly ever more
    chances, scores, asked = np.full(rows, rate), np.zeros(rows), np.zeros(rows, dtype=bool)
    for start in range(0, rows, CHUNK):
        part, seen = slice(start, start + CHUNK), design[asked]
        gram = seen.T @ seen + np.diag([1e-3] + [5.0] * stream.columns.shape[1])
        scores = np.where(
            np.arange(rows) >= start, design @ np.linalg.solve(gram, seen.T @ stream.y[asked]), scores
        )
        if not uniform:
            doubt = np.sqrt(np.maximum(1 - scores**2, 0.04))
            chances[part] = rate * (FLOOR + (1 - FLOOR) * doubt[part] / doubt[: start + CHUNK].mean())
        asked[part] = random.random(len(asked[part])) < chances[part]
    return Asked(asked, chances, np.where(scores > 0, 1, -1), scores)


def learner_asked(stream: Stream, labels: int, order: int) -> Asked:
    """Ask as `AutoLearner` does."""
    learner = askance.AutoLearner(labels / len(stream.y), random_state=order)
    trace = learner.run(stream.columns, stream.y)
    return Asked(trace.asked, trace.ask_probabilities, trace.predicted_codes, np.tanh(trace.scores))


ASKING: dict[str, Callable[[Stream, int, int], Asked]] = {
    "uniform": partial(simply_asked, uniform=True),
    "in doubt": partial(simply_asked, uniform=False),
    "AutoLearner": learner_asked,
}


def judged(stream: Stream, asked: Asked) -> Iterator[tuple[str, str, Met]]:
    """The intervals of all methods, for each of the figures. They are about the rows that could be asked for."""
    able = asked.chances > 0
    with_scores = np.c_[stream.columns, np.clip(asked.scores, -1, 1)]
    figures = {
        "prevalence": ("prevalence", np.full(stream.y.shape, -1), stream.y > 0, stream.columns),
        "accuracy of guesses": ("accuracy", stream.guesses, stream.y == stream.guesses, stream.columns),
        "accuracy of predictions": ("accuracy", asked.predictions, stream.y == asked.predictions, with_scores),
    }
    for figure, (metric, predictions, target, helpers) in figures.items():
        seen = target[asked.asked].astype(float)
        truth, number = target[able].mean(), len(seen)
        classical = 2 * Z * np.sqrt(truth * (1 - truth) / number)
        finite = classical * np.sqrt(1 - number / np.count_nonzero(able))
        rows = (stream.y, predictions, asked.asked, asked.chances)
        tally = AskedTally()
        tally.add(*rows)
        found = {
            "weights alone": tally.estimate("error" if metric == "prevalence" else metric),
            "with helpers": augmented_estimate(metric, *rows, helpers),
        }
        if np.ptp(asked.chances) == 0:
            middle, half = seen.mean(), Z * seen.std() / np.sqrt(number)
            found["classical"] = Estimate(metric, middle, middle - half, middle + half, 0.95, number)
            found |= peer(metric, seen, _said(stream, figure), asked.asked)
        for method, one in found.items():
            value, low, high = (np.nan if limit is None else limit for limit in (one.value, one.low, one.high))
            yield (
                figure,
                method,
                Met(number, one.width, classical, finite, value - truth, bool(low <= truth <= high)),
            )


def _said(stream: Stream, figure: str) -> Array:
    """What the guesses say of the target, as ppi-python wants it: a single prediction per row."""
    # Guesses of the rarer answer are right more often; what PPI++ does with it, it finds out itself.
    return (stream.guesses > 0 if figure == "prevalence" else stream.guesses < 0).astype(float)


def peer(metric: str, seen: Array, said: Array, asked: Array) -> dict[str, Estimate]:
    """The interval of PPI++."""
    try:
        package = importlib.import_module("ppi_py")
    except ImportError:
        return {}
    low, high = (float(np.squeeze(limit)) for limit in package.ppi_mean_ci(seen, said[asked], said[~asked], 0.05))
    return {"PPI++": Estimate(metric, (low + high) / 2, low, high, 0.95, len(seen))}


def measure(order: int, labels: int, asking: str, columns: str) -> list[tuple[str, str, Met]]:
    """All intervals of one order."""
    whole = politeness(columns)
    mixed = np.random.default_rng(order).permutation(len(whole.y))
    stream = Stream(*(one[mixed] for one in whole))
    return list(judged(stream, ASKING[asking](stream, labels, order)))


# ---------------------------------------------------------------------- conditions


class Condition(NamedTuple):
    """A synthetic stream: how it is, and how it is asked about."""

    rows: int
    labels: int
    share: float  # of positive rows
    signal: float  # of the helper: the distance of both classes
    asking: str = "uniform"
    turned: bool = False  # helpers say the contrary from the middle on
    late: int = 0  # labels of the last rows have not come

    def stream(self, order: int) -> Stream:
        """The stream. Its guesses are bins of one number."""
        random = np.random.default_rng([order, 2])
        y = np.where(random.random(self.rows) < self.share, 1, -1)
        number = random.normal(size=self.rows) + self.signal * (y > 0)
        if self.turned:
            number[self.rows // 2 :] *= -1
        bins = np.stack([number > edge for edge in (-0.5, 0.5, 1.5, 2.5)], axis=1).astype(float)
        return Stream(y, np.where(number > 1.5, 1, -1), bins)


CONDITIONS = {
    "20 labels": Condition(2000, 30, 0.5, 1.5),
    "50 labels": Condition(2000, 65, 0.5, 1.5),
    "2 % positive, 85 labels": Condition(5000, 105, 0.02, 2.0),
    "2 % positive, 300 labels": Condition(5000, 335, 0.02, 2.0),
    "2 % positive, in doubt": Condition(5000, 335, 0.02, 2.0, "in doubt"),
    "useless helpers": Condition(3000, 200, 0.3, 0.0),
    "useless helpers, in doubt": Condition(3000, 200, 0.3, 0.0, "in doubt"),
    "helpers turn": Condition(3000, 200, 0.5, 2.0, turned=True),
    "helpers turn, in doubt": Condition(3000, 200, 0.5, 2.0, "in doubt", turned=True),
    "late labels": Condition(3000, 200, 0.3, 1.5, "in doubt", late=600),
}


def measure_condition(order: int, name: str) -> list[tuple[str, str, Met]]:
    """All intervals of one synthetic stream. Rows after the first label that has not come are left out."""
    condition = CONDITIONS[name]
    stream = condition.stream(order)
    asked = ASKING[condition.asking](stream, condition.labels, order)
    if condition.late:
        came = slice(0, condition.rows - condition.late)
        stream, asked = Stream(*(one[came] for one in stream)), Asked(*(one[came] for one in asked))
    if np.count_nonzero(asked.asked) < 2:
        return []
    return list(judged(stream, asked))


def table_of(title: str, found: list[list[tuple[str, str, Met]]]) -> Table:
    """Coverage and effective size by figure and method."""
    table = Table(title=title)
    for heading in ("figure", "method", "labels", "width", "effective size", "of these rows", "coverage", "bias"):
        table.add_column(heading)
    groups = defaultdict(list)
    for figure, method, met in (one for order in found for one in order):
        groups[figure, method].append(met)
    for (figure, method), each in groups.items():
        labels, width, classical, finite, error, holds = np.mean(each, axis=0)
        sizes = [f"{(one / width) ** 2:.2f}" for one in (classical, finite)]
        table.add_row(figure, method, f"{labels:.0f}", f"{width:.4f}", *sizes, f"{holds:.3f}", f"{error:+.4f}")
    return table


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=1000)
    parser.add_argument("--labels", type=int, nargs="+", default=[300, 500])
    parser.add_argument("--asking", nargs="+", default=["uniform", "in doubt"], choices=list(ASKING))
    parser.add_argument("--columns", default="all", choices=["guesses", "all"], help="what helps")
    parser.add_argument("--conditions", action="store_true")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    work: dict[str, Callable[[int], list[tuple[str, str, Met]]]] = {
        f"{labels} labels, {asking}": partial(measure, labels=labels, asking=asking, columns=given.columns)
        for labels in given.labels
        for asking in given.asking
    }
    if given.conditions:
        work = {name: partial(measure_condition, name=name) for name in CONDITIONS}
    with ProcessPoolExecutor(given.processes) as pool:
        for title, function in work.items():
            found = list(pool.map(function, range(given.orders), chunksize=5))
            Console(width=120).print(table_of(title, found))


if __name__ == "__main__":
    main()
