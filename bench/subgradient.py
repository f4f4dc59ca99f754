"""D-AMD, which asks memory for two numbers a feature, beside a matrix × vector product, which asks for one."""

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import askance
from askance.engine import passes
from askance.engine.machine import Machine, copied
from askance.jit.coins import coins
from askance.learners.inputs import as_rows
from askance.rules.query import Discrimination
from askance.rules.update import MirrorDescent
from bench.clock import Contender, race
from bench.datasets import Dataset
from bench.memory import PRODUCT, product
from bench.ours import FLOAT32, HALVINGS, WANTED_SHARE
from bench.report import Report, at_most
from bench.setting import Setting

SECONDS = 20.0

PASS, RUN = "compiled pass of D-AMD", "public run of D-AMD"


def measure(setting: Setting, report: Report) -> None:
    """Data sets A and B."""
    for name in ("A", "B"):
        measure_dataset(setting, report, setting.dataset(name))


def measure_dataset(setting: Setting, report: Report, dataset: Dataset) -> None:
    """Race the pass and the run against the product, all on one thread."""
    b = choose_b(dataset)
    trace = learner(b).run(dataset.X, dataset.y)
    contenders = [
        compiled_pass(dataset, b),
        Contender(RUN, lambda fresh: fresh.run(dataset.X, dataset.y), lambda: learner(b)),
        Contender(PRODUCT, product(dataset)),
    ]
    with threadpool_limits(1):
        timings = race(contenders, setting.seconds(SECONDS)).processor
    group = f"subgradient {dataset.name}"
    report.keep(group, timings)
    shares = f"b={b:g}: {trace.asked.mean():.1%} asked, {trace.updated.mean():.1%} updated"
    report.compare(group, PASS, PRODUCT, at_most(2.5), shares)
    report.compare(group, RUN, PRODUCT)


def choose_b(dataset: Dataset) -> float:
    """The b with which D-AMD asks for about a fifth of the labels, to two digits; on B it always asks for more."""
    low, high = 1e-3, 1e1
    for _ in range(HALVINGS):
        b = float(f"{np.sqrt(low * high):.2g}")
        low, high = (b, high) if learner(b).run(dataset.X, dataset.y).asked.mean() < WANTED_SHARE else (low, b)
    return b


def learner(b: float) -> askance.Learner:
    """A fresh learner."""
    return askance.make("D-AMD", b=b)


def compiled_pass(dataset: Dataset, b: float) -> Contender:
    """The machine code of the pass alone, which checks the rows on its way; each turn begins with a fresh core."""
    width = dataset.X.shape[1]
    rows, labels = as_rows(dataset.X, FLOAT32), dataset.y.astype(FLOAT32)
    machine = Machine(MirrorDescent(), Discrimination(b), FLOAT32, 1.0)
    machine.make_room(width)
    rest = (rows, width, labels, coins(0, 0, len(labels)), passes.blank_outcome(len(labels), FLOAT32))
    function: Any = passes.bind("run", (machine.core, *rest), exact=False)
    return Contender(PASS, lambda core: function(core, *rest), lambda: copied(machine.core))
