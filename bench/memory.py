"""A pass over rows in memory beside what limits it: a matrix × vector product and a plain C loop."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from bench.clock import Contender, race
from bench.datasets import Dataset
from bench.ours import compiled_pass, learner, public_run
from bench.plain_c import bound_loop, compile_loop
from bench.report import Report, at_most
from bench.setting import Setting

SECONDS = 20.0

PASS, RUN, PRODUCT = "compiled pass", "public run", "X @ w"
LOOP_ASKED, LOOP_UPDATED = "C loop, axpy on rows asked for", "C loop, axpy on rows updated"


def measure(setting: Setting, report: Report) -> None:
    """Data set A."""
    measure_dataset(setting, report, "A")


def measure_wide(setting: Setting, report: Report) -> None:
    """Data set B."""
    measure_dataset(setting, report, "B")


def measure_dense(setting: Setting, report: Report) -> None:
    """Data set C."""
    measure_dataset(setting, report, "C")


def measure_dataset(setting: Setting, report: Report, name: str) -> None:
    """Race the passes over a data set against the yardsticks, all on one thread."""
    dataset, delta = setting.dataset(name), setting.delta(name)
    trace = learner(delta).run(dataset.X, dataset.y)
    contenders = [
        Contender(PASS, compiled_pass(dataset, delta), lambda: zeros(dataset)),
        Contender(RUN, public_run(dataset), lambda: learner(delta)),
        Contender(PRODUCT, product(dataset)),
        *loops(setting, report, dataset, trace.asked, trace.updated),
    ]
    with threadpool_limits(1):
        timings = race(contenders, setting.seconds(SECONDS)).processor
    group = f"memory {name}"
    report.keep(group, timings)
    shares = f"delta={delta:g}: {trace.asked.mean():.1%} asked, {trace.updated.mean():.1%} updated"
    report.compare(group, PASS, PRODUCT, at_most(1.2), shares)
    report.compare(group, RUN, PRODUCT, at_most(1.6))
    if LOOP_ASKED in timings:
        report.compare(group, PASS, LOOP_ASKED, at_most(0.75))
        report.compare(group, PASS, LOOP_UPDATED)


def zeros(dataset: Dataset) -> NDArray[np.float32]:
    """Weights to begin with."""
    return np.zeros(dataset.X.shape[1], np.float32)


def product(dataset: Dataset) -> Any:
    """SciPy's or NumPy's matrix × vector."""
    weights = np.random.default_rng(0).standard_normal(dataset.X.shape[1], np.float32)
    return lambda _: dataset.X @ weights


def loops(setting: Setting, report: Report, dataset: Dataset, *moves: NDArray[np.bool_]) -> list[Contender]:
    """The C loop, moving the weights on the rows that the pass asked for, and on those it updated on."""
    if isinstance(dataset.X, np.ndarray):
        return []
    function = compile_loop(setting.directory)
    if function is None:
        report.left_out("the C loop", "there is no compiler `cc`")
        return []
    names = (LOOP_ASKED, LOOP_UPDATED)
    return [
        Contender(name, bound_loop(function, dataset, each), lambda: zeros(dataset))
        for name, each in zip(names, moves, strict=True)
    ]
