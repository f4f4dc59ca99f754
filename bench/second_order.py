"""Second-order passes beside what limits them: a matrix × vector product, and the bare BLAS calls of a round."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsymv, dsyr  # type: ignore[import-untyped]
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from askance.engine import passes
from askance.engine.machine import Machine
from askance.jit.coins import coins
from askance.learners.inputs import as_rows
from askance.rules.query import Always, AtRate, Margin
from askance.rules.update import AROW
from bench.clock import Contender, race
from bench.memory import PRODUCT, product
from bench.ours import FLOAT32, WANTED_SHARE
from bench.report import Report, at_most
from bench.setting import Setting

SECONDS = 20.0
FEATURES, ROWS, QUICK_ROWS = 500, 2000, 50

ASKING, EVERY = "diagonal AROW, a fifth asked for", "diagonal AROW, every label"
EXACT, FAST, BLAS = "full AROW, float64", "full AROW, float32", "dsymv + dsyr"

Pass = tuple[Callable[[Any], Any], Callable[[], Any], passes.Outcome]


def measure(setting: Setting, report: Report) -> None:
    """The diagonal on A and B, the full matrix on dense rows."""
    for name in ("A", "B"):
        measure_diagonal(setting, report, name)
    measure_full(setting, report)


def measure_diagonal(setting: Setting, report: Report, name: str) -> None:
    """A pass over sparse rows against SciPy's product, on one thread."""
    dataset = setting.dataset(name)
    asking = compiled_pass(dataset.X, dataset.y, AROW(), AtRate(Margin(), WANTED_SHARE), FLOAT32)
    every = compiled_pass(dataset.X, dataset.y, AROW(), Always(), FLOAT32)
    contenders = [
        Contender(ASKING, *asking[:2]),
        Contender(EVERY, *every[:2]),
        Contender(PRODUCT, product(dataset)),
    ]
    group = f"diagonal {name}"
    with threadpool_limits(1):
        report.keep(group, race(contenders, setting.seconds(SECONDS)).processor)
    report.compare(group, ASKING, PRODUCT, at_most(2.5), shares(asking[2]))
    report.compare(group, EVERY, PRODUCT, None, shares(every[2]))


def measure_full(setting: Setting, report: Report) -> None:
    """Dense rows with random labels, on each of which is an update, against BLAS called from Python."""
    random = np.random.default_rng(0)
    rows = QUICK_ROWS if setting.quick else ROWS
    X, y = random.standard_normal((rows, FEATURES)) / np.sqrt(FEATURES), random.choice([-1, 1], rows)
    exact = compiled_pass(X, y, AROW(full=True), Always(), np.dtype(np.float64))
    fast = compiled_pass(X, y, AROW(full=True), Always(), FLOAT32)
    contenders = [
        Contender(EXACT, *exact[:2]),
        Contender(FAST, *fast[:2]),
        Contender(BLAS, bare_calls(X), lambda: np.asfortranarray(np.eye(FEATURES))),
    ]
    with threadpool_limits(1):
        report.keep("full", race(contenders, setting.seconds(SECONDS)).processor)
    microseconds = 1e6 * report.timings["full"][EXACT].best / rows
    report.compare("full", EXACT, BLAS, at_most(1.5), f"{microseconds:.0f} µs a row; {shares(exact[2])}")
    report.compare("full", FAST, BLAS, at_most(1.5), shares(fast[2]))


def compiled_pass(X: Any, y: NDArray[Any], update: Any, query: Any, dtype: np.dtype[Any]) -> Pass:
    """The machine code of a pass, what makes a fresh core for it, and what it writes down."""
    width, rows, labels = X.shape[1], as_rows(X.astype(dtype), dtype), y.astype(dtype)
    outcome = passes.blank_outcome(len(y), dtype)
    rest = (rows, width, labels, coins(0, 0, len(y)), outcome)

    def fresh() -> Any:
        machine = Machine(update, query, dtype, 1.0)
        machine.make_room(width)
        return machine.core

    function = passes.bind("run", (fresh(), *rest), exact=dtype == np.float64)
    return lambda core: function(core, *rest), fresh, outcome


def bare_calls(X: NDArray[np.float64]) -> Callable[[Any], None]:
    """Σx, and Σ less a multiple of Σx xᵀΣ, for every row: to be called with Σ."""

    def work(matrix: Any) -> None:
        for x in X:
            reach = dsymv(1.0, matrix, x, lower=1)
            dsyr(-1e-3, reach, lower=1, a=matrix, overwrite_a=1)

    return work


def shares(outcome: passes.Outcome) -> str:
    """What a pass asked for and learned from."""
    return f"{outcome.asked.mean():.1%} asked, {outcome.updated.mean():.1%} updated"
