"""`python -m bench.oracles`: people and a language model under one budget, on recorded and simulated answers.

Worlds differ in how often the model is right and whether its confidence says so; in one it answers at random from
half-way on. The quality to reach is that of people alone with 200 labels for 3,000 rows. Costs are in labels of
people; an answer of the model costs a hundredth.
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
LABELS = (20, 60, 120, 200, 260)  # of people, in each strategy
MANY = 600  # labels, where it is measured how soon a model that turned bad is noticed
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


class Costs(NamedTuple):
    """The cost of the wanted quality with each strategy, and the labels until a bad model is noticed."""

    people: float
    model: float
    feature: float
    askance: float
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


def with_oracles(X: Any, y: NDArray[Any], given: Answers, labels: float, order: int) -> OracleTrace:
    """The labelling with money for all guesses and some labels of people."""
    learner = OracleLearner(ORACLES, round(labels + PRICE * len(y), 2), random_state=order)
    return learner.run(X, y, {"llm": given})


def cost(found: list[tuple[float, float]], wanted: float) -> float:
    """The cost at which a quality is reached, between the costs that were measured; infinite if it never is."""
    before, best = (0.0, 0.0), 0.0
    for paid, quality in sorted(found):
        if quality >= wanted:
            share = (wanted - before[1]) / max(1e-9, quality - before[1]) if before[0] else 1.0
            return before[0] + share * (paid - before[0])
        if quality >= best:
            before, best = (paid, quality), quality
    return np.inf


def measure(name: str, world: World, orders: int) -> Costs:
    """The costs of the strategies in one world, over some orders of the rows."""
    curves: dict[str, list[Any]] = {"people": [], "model": [], "feature": [], "askance": []}
    wanted, noticed = [], []
    for order in range(orders):
        X, y = stream(name, order)
        given, classes = answers(world, y, order), int(y.max()) + 1
        both, price = with_features(X, given, classes), PRICE * len(y)
        curves["people"].append([(labels, learned(X, y, labels, order)) for labels in LABELS])
        curves["feature"].append([(labels + price, learned(both, y, labels, order)) for labels in LABELS])
        curves["model"].append([(price, float((given[0] == y).mean()))])
        wanted.append(dict(curves["people"][-1])[WANTED])
        runs = []
        for labels in (price * 0.055, *LABELS):
            trace = with_oracles(X, y, given, labels, order)
            runs.append((float(trace.ledger.spent), trace.accuracy))
        if world.turns:
            noticed.append(_noticed(with_oracles(X, y, given, MANY, order)))
        curves["askance"].append(runs)
    means = {key: np.mean(curve, axis=0).tolist() for key, curve in curves.items()}

    target = float(np.mean(wanted))
    found = {key: cost([(paid, quality) for paid, quality in curve], target) for key, curve in means.items()}
    return Costs(**found, noticed=float(np.mean(noticed)) if noticed else np.nan)


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
    found = []
    for order in range(orders):
        rows = np.random.default_rng(order).permutation(len(y))
        trace = with_oracles(take_rows(X, rows), y[rows], (given[0][rows], given[1][rows]), POLITE, order)
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
    table = Table(
        "set", "model is right", "people", "model", "feature", "askance", "to best", "to people", "noticed"
    )
    with ProcessPoolExecutor(options.jobs) as pool:
        tasks = [(name, world) for name in options.sets for world in WORLDS]
        waiting = [pool.submit(measure, name, world, options.orders) for name, world in tasks]
        for (name, world), each in zip(tasks, waiting, strict=True):
            found = each.result()
            best = min(found[:3])
            ratios = f"{found.askance / best:.2f}", f"{found.askance / found.people:.2f}"
            table.add_row(name, world.name, *(f"{one:.0f}" for one in found[:4]), *ratios, f"{found.noticed:.0f}")
    console = Console(width=120)
    console.print(table)
    accuracy, labels = politeness(10)
    console.print(f"politeness, ten orders: accuracy {accuracy:.4f} with {labels:.0f} labels of people")


if __name__ == "__main__":
    main()
