"""A round of the kernel forms beside the size of the support set: the work is to compare a row with all of it."""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import askance
from askance import kernels, updates
from bench.clock import Contender, race
from bench.datasets import Dataset
from bench.report import Line, Report
from bench.setting import Setting

SECONDS = 8.0
SIZES = (10, 100, 1000, 3000)
QUICK_SIZES = (10, 100)
ROUNDS = 50

KERNEL = kernels.RBF(0.5)
RULES = {
    "first order": kernels.Kernelized(updates.PassiveAggressive2(C=1.0), KERNEL),
    "second order": kernels.SecondOrder(KERNEL),
}
PRODUCT = "SciPy's vectors @ x"


class Rounds(NamedTuple):
    """Rows that come when there are `size` support vectors, and a learner that has these."""

    learner: askance.Learner
    X: Any
    y: Any

    @property
    def size(self) -> int:
        return int(self.learner.dual_coef_.shape[1])


def measure(setting: Setting, report: Report) -> None:
    """Rows of A, with 75 of 47,236 features each; every round is a question, and its label is learned if asked."""
    dataset = setting.dataset("A")
    for size in QUICK_SIZES if setting.quick else SIZES:
        for name, update in RULES.items():
            measure_rounds(setting, report, f"dual, {name}", rounds_of(update, dataset, size))


def measure_rounds(setting: Setting, report: Report, group: str, rounds: Rounds) -> None:
    """The same rows through a learner of so many vectors, and through SciPy's products with these vectors."""
    what = f"{rounds.size} support vectors"
    contenders = [
        Contender(what, lambda learner: learner.run(rounds.X, rounds.y), partial(copy.deepcopy, rounds.learner)),
        Contender(PRODUCT, products(rounds)),
    ]
    with threadpool_limits(1):
        timings = race(contenders, setting.seconds(SECONDS / len(SIZES))).processor
    report.keep(f"{group}, {rounds.size}", timings)
    ours, product = timings[what], timings[PRODUCT]
    best, median = (1e6 * seconds / ROUNDS for seconds in (ours.best, ours.median))
    remark = f"{ours.best / product.best:.1f} times {PRODUCT}"
    report.add(Line(group, what, best, median, "µs a round", ours.noisy, None, remark))


def rounds_of(update: Any, dataset: Dataset, size: int) -> Rounds:
    """A learner with at least `size` support vectors, and the next rows. Labels are drawn, so it keeps erring."""
    learner = askance.Learner(update, random_state=1, classes=(-1, 1))
    y = np.random.default_rng(0).choice([-1, 1], len(dataset.y))
    first = 0
    while first == 0 or learner.dual_coef_.shape[1] < size:
        last = first + max(5, size // 10)
        learner.partial_fit(dataset.X[first:last], y[first:last])
        first = last
    after = slice(first, first + ROUNDS)
    return Rounds(learner, dataset.X[after], y[after])


def products(rounds: Rounds) -> Callable[[Any], None]:
    """The least that a round takes: the product of every support vector with the row."""
    vectors, rows = rounds.learner.support_vectors_, rounds.X.toarray()

    def work(_: Any) -> None:
        for row in rows:
            vectors @ row

    return work
