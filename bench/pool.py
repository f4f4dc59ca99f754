"""The ratio problem compared with general solvers, and the time and memory of a selection from a large pool."""

from collections.abc import Callable
from typing import Any

import clarabel
import numpy as np
import osqp  # type: ignore[import-untyped]
import scipy.sparse as sp
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from askance.pool.ratio.kernel_blocks import RBFBlocks
from askance.pool.ratio.solve import maximise_ratio
from bench.clock import Contender, Timing, race
from bench.processes import TURNS, child
from bench.report import Line, Report, at_least, at_most
from bench.setting import Setting

SECONDS = 20.0
CANDIDATES, QUICK_CANDIDATES = 600, 60
POOL, QUICK_POOL = 100_000, 2_000
EQUAL = 1e-6  # how far apart two answers may be and count as the same
FULL = "exact"

Programme = Callable[[float], Any]
"""arg min of rᵀAr − rᵀp/λ on the simplex, for a λ."""


def measure(setting: Setting, report: Report) -> None:
    """Both groups."""
    measure_ratio(setting, report)
    measure_choice(setting, report)


def measure_ratio(setting: Setting, report: Report) -> None:
    """The candidates for 100 rows; every solver reaches the same weights."""
    random = np.random.default_rng(0)
    size = QUICK_CANDIDATES if setting.quick else CANDIDATES
    X = random.normal(size=(size, 300))
    A = RBFBlocks(X, 1 / 300).block(np.arange(size))
    p = 1 / (np.abs(random.normal(size=size)) + 1e-6)
    p /= p.max()
    exact = maximise_ratio(A, p).r
    solvers: dict[str, Callable[[Any], Any]] = {
        FULL: lambda _: maximise_ratio(A, p).r,
        "osqp": lambda _: dinkelbach(A, p, by_osqp(A, p)),
        "clarabel": lambda _: dinkelbach(A, p, by_clarabel(A, p)),
        "alm": lambda _: maximise_ratio(A, p, solver="alm").r,
    }
    apart = {name: float(np.abs(solver(None) - exact).max()) for name, solver in solvers.items()}
    with threadpool_limits(1):
        timings = race(
            [Contender(name, solver) for name, solver in solvers.items()], setting.seconds(SECONDS)
        ).processor
    group = f"pool ratio {size}"
    report.keep(group, timings)
    for name in list(solvers)[1:]:
        same = f"{apart[name]:.0e} from the exact r{'' if apart[name] <= EQUAL else ', which is NOT the same'}"
        report.compare(group, name, FULL, at_least(3) if name == "osqp" else None, same)


def dinkelbach(A: Any, p: Any, programme: Programme) -> Any:
    """Rounds of λ ← rᵀp / rᵀAr, until it no longer increases."""
    best = np.eye(len(p))[np.argmax(p)]
    value = best @ p / (best @ A @ best)
    while True:
        r = np.maximum(programme(value), 0)
        r /= r.sum()
        found = r @ p / (r @ A @ r)
        if found <= value * (1 + 1e-14):
            return r if found >= value else best
        best, value = r, found


def by_osqp(A: Any, p: Any) -> Programme:
    """Factorised once: only the linear part changes, and each round starts where the last ended."""
    size = len(p)
    solver = osqp.OSQP()
    solver.setup(
        sp.csc_matrix(np.triu(2 * A)),
        -p,
        sp.vstack([sp.csc_matrix(np.ones((1, size))), sp.identity(size)], format="csc"),
        np.concatenate([[1.0], np.zeros(size)]),
        np.concatenate([[1.0], np.full(size, np.inf)]),
        verbose=False,
        polishing=True,
        eps_abs=1e-8,
        eps_rel=1e-8,
        max_iter=100_000,
    )

    def programme(value: float) -> Any:
        solver.update(q=-p / value)
        return solver.solve().x

    return programme


def by_clarabel(A: Any, p: Any) -> Programme:
    size = len(p)
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-12
    quadratic = sp.csc_matrix(np.triu(2 * A))
    sides = sp.vstack([sp.csc_matrix(np.ones((1, size))), -sp.identity(size)], format="csc")
    right = np.concatenate([[1.0], np.zeros(size)])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(size)]

    def programme(value: float) -> Any:
        return np.array(clarabel.DefaultSolver(quadratic, -p / value, sides, right, cones, options).solve().x)

    return programme


def measure_choice(setting: Setting, report: Report) -> None:
    """Select 100 of 100,000 rows with 300 features and 50 privileged ones, in separate processes."""
    rows = QUICK_POOL if setting.quick else POOL
    for use in ("both", "uncertainty", "diversity"):
        found = [child("choose", str(rows), use) for _ in range(1 if setting.quick else TURNS)]
        what = f"100 of {rows:,} rows by {use}"
        report.seconds("pool choice", what, Timing([each["seconds"] for each in found]), at_most(20))
        peaks = Timing([each["peak"] for each in found])
        remark = f"{found[0]['before']:.0f} MB before, the pool with its imports and the model"
        worst = max(peaks.turns)
        report.add(Line("pool choice", what, worst, peaks.median, "MB", False, at_most(2000), remark))
