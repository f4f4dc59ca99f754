"""`python -m bench.oracles`: people and a language model under one budget, on recorded and simulated answers.

Worlds differ in how often the model is right and whether its confidence says so; in one it answers at random from
half-way on. There are 3,000 rows; a label of a person costs 1, and an answer of the model 0.01. Strategies that
use only people, only the model, or the model as a feature are compared with ours, which may spend a tenth more.
"""

import argparse
import gzip
import json
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from askance import AutoLearner, OracleLearner
from askance.annotators import Oracle
from askance.auto.oracle_trace import OracleTrace
from askance.data import MixedRows, read_table
from askance.data.guesses import guess_features
from askance.data.kinds import GUESS, ColumnPlan
from askance.data.mixed import take_rows
from bench.league.tasks import folder

SETS = ("spamassassin", "reuters_r8", "magic04")
ROWS, WANTED, PRICE = 3000, 200, 0.01
MANY = 630  # money, where it is measured how soon a model that turned bad is noticed
POLITE = 300  # labels for the recorded answers
ORACLES = (Oracle("llm", PRICE, guess="llm"), Oracle("human", 1))
Answers = tuple[NDArray[Any], NDArray[np.float64]]


class World(NamedTuple):
    """How often the model is right, whether its confidence says so, and whether it answers at random later."""

    name: str
    right: float
    calibrated: bool
    turns: bool = False


WORLDS = (
    World("55 %", 0.55, False),
    World("70 %, calibrated", 0.7, True),
    World("80 %", 0.8, False),
    World("90 %, calibrated", 0.9, True),
    World("98 %", 0.98, False),
    World("90 %, then at random", 0.9, False, turns=True),
)


class Found(NamedTuple):
    """The accuracy that each strategy reaches, and the labels until a model that turned bad is noticed.

    People alone, and people with the model as a feature, may spend 200; the model alone costs 30. Ours may spend a
    tenth more than the first, a third of it, or a tenth more than the model alone.
    """

    people: float
    model: float
    feature: float
    ours: float
    third: float
    least: float
    noticed: float


def stream(name: str, order: int) -> tuple[Any, NDArray[np.int64]]:
    """Some rows of a data set in random order, with the numbers of their classes."""
    with np.load(folder() / f"{name}.npz", allow_pickle=True) as file:
        X = sp.csr_array((file["data"], file["indices"], file["indptr"]), tuple(file["shape"])).astype(np.float64)
        y = np.unique(file["y"], return_inverse=True)[1]
    rows = np.random.default_rng(order).permutation(len(y))[:ROWS]
    return X[rows].toarray() if X.shape[1] < 100 else X[rows], y[rows]


def answers(world: World, y: NDArray[np.int64], order: int) -> Answers:
    """What a model answers, and with which confidence."""
    random, classes = np.random.default_rng([order, 1]), int(y.max()) + 1
    later = 1 / classes if world.turns else world.right
    right = np.where(np.arange(len(y)) < len(y) / 2, world.right, later)
    confidences = random.uniform(0.5, 1.0, len(y))
    if world.calibrated:  # the confidences have the mean that the model is right
        right = confidences = np.clip(random.beta(6 * right, 6 * (1 - right)), 1 / classes, 1.0)
    wrong = (y + random.integers(1, classes, len(y))) % classes
    return np.where(random.random(len(y)) < right, y, wrong), confidences


def with_features(X: Any, given: Answers, classes: int) -> Any:
    """The rows with the guess as features."""
    plan = ColumnPlan("guesses.llm", GUESS, tuple(map(str, range(classes))))
    columns = {"guesses.llm": given[0].tolist(), "guesses.llm.confidence": given[1].tolist()}
    extra = guess_features(plan, columns, len(given[0]))
    if isinstance(X, MixedRows):
        return MixedRows(np.hstack([X.dense, extra]), X.sparse)
    return MixedRows(extra, X) if sp.issparse(X) else np.hstack([X, extra])


def learned(X: Any, y: NDArray[Any], labels: int, order: int) -> float:
    """The accuracy over the stream with labels of people."""
    rate = max(1e-6, (labels - 30) / len(y))
    trace = AutoLearner(rate, limit=labels, random_state=order).run(X, y)
    return float((trace.predictions == trace.y).mean())


def with_oracles(X: Any, y: NDArray[Any], given: Answers, money: float, order: int) -> OracleTrace:
    """The labelling of a stream for some money."""
    learner = OracleLearner(ORACLES, round(money, 2), random_state=order)
    return learner.run(X, y, {"llm": given})


def measure(name: str, world: World, order: int) -> Found:
    """What each strategy reaches for its money, in one world and one order of the rows."""
    X, y = stream(name, order)
    given, price = answers(world, y, order), PRICE * len(y)
    both = with_features(X, given, int(y.max()) + 1)
    noticed = _noticed(with_oracles(X, y, given, MANY, order)) if world.turns else np.nan
    ours = [with_oracles(X, y, given, money, order).accuracy for money in (1.1 * WANTED, WANTED / 3, 1.1 * price)]
    right = float((given[0] == y).mean())
    return Found(
        learned(X, y, WANTED, order), right, learned(both, y, round(WANTED - price), order), *ours, noticed
    )


def _noticed(trace: OracleTrace) -> float:
    """The labels of people from half-way until the model is given up."""
    half = len(trace) // 2
    given_up = np.flatnonzero(~trace.trusted[half:, 0])
    until = len(trace) if not len(given_up) else half + int(given_up[0])
    return float(trace.bought[half:until, 1].sum())


def politeness(orders: int) -> tuple[float, float]:
    """The accuracy on the recorded answers of GPT-4o, and the labels of people."""
    with gzip.open(folder() / "politeness_gpt4o.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    plain = [{"text": one["text"], "features": one["features"]} for one in records]
    X = next(iter(read_table(plain, label=False, chunk_rows=len(plain)))).X
    y = np.array([one["label"] for one in records])
    guesses = [one["guesses"]["gpt-4o"] for one in records]
    given = np.array([one["label"] for one in guesses]), np.array([one["confidence"] for one in guesses])
    found, money = [], POLITE + PRICE * len(y)
    for order in range(orders):
        rows = np.random.default_rng(order).permutation(len(y))
        trace = with_oracles(take_rows(X, rows), y[rows], (given[0][rows], given[1][rows]), money, order)
        found.append((trace.accuracy, trace.ledger.bought["human"]))
    accuracy, labels = np.mean(found, axis=0)
    return float(accuracy), float(labels)


def main() -> None:
    """Print the costs in all worlds, and the recorded answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=3, help="of the rows, for each world")
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    headings = (
        "people\n200",
        "model\n30",
        "feature\n200",
        "ours\n220",
        "ours\n66.67",
        "ours\n33",
        "noticed\nafter",
    )
    table = Table("set", "model is right", *headings)
    tasks = [(name, world) for name in options.sets for world in WORLDS]
    with ProcessPoolExecutor(options.jobs) as pool:
        waiting = [[pool.submit(measure, *task, order) for order in range(options.orders)] for task in tasks]
        for (name, world), each in zip(tasks, waiting, strict=True):
            found = np.mean([one.result() for one in each], axis=0).tolist()
            noticed = f"{found[-1]:.0f}" if world.turns else ""
            table.add_row(name, world.name, *(f"{one:.3f}" for one in found[:-1]), noticed)
    console = Console(width=120)
    console.print(table)
    accuracy, labels = politeness(10)
    console.print(f"politeness, ten orders: accuracy {accuracy:.4f} with {labels:.0f} labels of people")


if __name__ == "__main__":
    main()
