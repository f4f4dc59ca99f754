"""A grid of configurations in banks beside as many single passes, both without what the public face adds."""

from collections.abc import Callable
from typing import Any

import askance
from askance.engine import passes
from askance.engine.bank import Bank
from askance.engine.machine import Machine
from askance.jit.coins import coins
from askance.jit.simd.vector import LANES
from askance.learners.inputs import as_rows
from askance.rules.query import Margin
from askance.rules.update import PassiveAggressive2
from bench.clock import Contender, race
from bench.datasets import Dataset
from bench.ours import FLOAT32
from bench.report import Report, at_least
from bench.setting import Setting

SECONDS = 30.0
GRID = [(PassiveAggressive2(2.0**c), Margin(2.0**d)) for c in range(-5, 6) for d in range(-10, 10)]

BANKS, SINGLES = "PAA-II, 20 δ × 11 C, in banks", "the same, pass by pass"


def measure(setting: Setting, report: Report) -> None:
    """Data set A, and a8a where it is found."""
    measure_dataset(setting, report, setting.dataset("A"), 4)
    found = real("a8a")
    if found is None:
        report.left_out("banks a8a", "a8a.npz is not in ASKANCE_DATA")
    else:
        measure_dataset(setting, report, found, 5)


def measure_dataset(setting: Setting, report: Report, dataset: Dataset, goal: float) -> None:
    """Race the grid in banks against the grid in single passes."""
    timings = race(
        [Contender(BANKS, in_banks(dataset)), Contender(SINGLES, one_by_one(dataset))], setting.seconds(SECONDS)
    ).processor
    group = f"banks {dataset.name}"
    report.keep(group, timings)
    each = [1e3 * timings[name].best / len(GRID) for name in (BANKS, SINGLES)]
    report.compare(group, SINGLES, BANKS, at_least(goal), f"{each[0]:.2f} and {each[1]:.2f} ms a configuration")


def in_banks(dataset: Dataset) -> Callable[[Any], None]:
    """All configurations, sixteen at a time."""
    rows, labels, tossed = as_rows(dataset.X, FLOAT32), dataset.y.astype(float), coins(0, 0, len(dataset.y))

    def work(_: Any) -> None:
        for first in range(0, len(GRID), LANES):
            bank = Bank(GRID[first : first + LANES], dataset.X.shape[1], FLOAT32, 1.0)
            bank.run(rows, labels, tossed)

    return work


def one_by_one(dataset: Dataset) -> Callable[[Any], None]:
    """All configurations, each by the compiled pass alone."""
    width, count = dataset.X.shape[1], len(dataset.y)
    rest = as_rows(dataset.X, FLOAT32), width, dataset.y.astype(FLOAT32), coins(0, 0, count)
    outcome = passes.blank_outcome(count, FLOAT32)

    def work(_: Any) -> None:
        for update, query in GRID:
            machine = Machine(update, query, FLOAT32, 1.0)
            machine.make_room(width)
            arguments = (machine.core, *rest, outcome)
            passes.bind("run", arguments, exact=False)(*arguments)

    return work


def real(name: str) -> Dataset | None:
    """A data set of ASKANCE_DATA."""
    try:
        return Dataset(name, *askance.datasets.load(name))
    except askance.errors.DataError:
        return None
