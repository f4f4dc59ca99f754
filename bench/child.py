"""What is measured in a process of its own: peak memory, and the start. Prints JSON.

Imports stand in the functions, because importing is part of what is measured.
"""

import itertools
import json
import sys
import time
from pathlib import Path
from statistics import median


def start() -> dict[str, float]:
    """Seconds of the imports and of the first run, in a process that has done nothing yet."""
    before = time.perf_counter()
    import askance

    imported = time.perf_counter()
    learner = askance.make("PAA-II", delta=0.1)
    made = time.perf_counter()
    import numpy as np

    X, y = np.eye(4, 3, dtype=np.float32), [1, -1, 1, -1]
    begun, begun_by_processor = time.perf_counter(), time.process_time()
    learner.run(X, y)
    return {
        "import askance": imported - before,
        "imports that make() needs": made - imported,
        "first run": time.perf_counter() - begun,
        "first run by processor": time.process_time() - begun_by_processor,
    }


def peak(path: str, tiny: str) -> dict[str, float]:
    """Megabytes that a run from text takes at its peak, above what a run over a tiny file left in use."""
    import askance

    askance.make("PAA-II", delta=0.1).run(askance.data.read(tiny))
    Path("/proc/self/clear_refs").write_text("5")  # sets the peak back to what is in use
    before = status("VmHWM")
    learner = askance.make("PAA-II", delta=0.1)
    learner.run(askance.data.read(path))
    return {"above": status("VmHWM") - before - learner.coef_.nbytes / 1e6, "before": before}


def rossel(size: str, directory: str) -> dict[str, float]:
    """Megabytes at the peak of a process that reads rows and learns from them with fifty annotators."""
    from bench.rossel import fitted, rows_of
    from bench.setting import Setting

    fitted(rows_of(Setting(Path(directory), quick=size == "quick")), 50, 1.0)
    return {"peak": status("VmHWM")}


def choose(rows: str, use: str) -> dict[str, float]:
    """Seconds and megabytes, the pool with them, of choosing 100 rows of a pool with two views."""
    import numpy as np

    from askance.pool import PrivilegedSelector

    random = np.random.default_rng(0)
    X, privileged = random.normal(size=(int(rows), 300)), random.normal(size=(int(rows), 50))
    y = np.sign(X[:200, 0] + privileged[:200, 0])
    selector = PrivilegedSelector(use=use).fit(X[:200], y, privileged[:200])
    before, begun = status("VmHWM"), time.perf_counter()
    selector.select(X, 100, privileged)
    return {"seconds": time.perf_counter() - begun, "peak": status("VmHWM"), "before": before}


def ratings(count: str) -> dict[str, float]:
    """Seconds of an iteration, and bytes a rating at the peak of a fit, beside given ratings and the factors."""
    from askance.ratings import MaxMarginFactorization
    from bench.rating_data import synthetic

    users, items, rank = 40_000, 10_000, 10
    MaxMarginFactorization(2, max_iter=2).fit(*synthetic(50, 40, 500))
    given = synthetic(users, items, int(count))
    Path("/proc/self/clear_refs").write_text("5")  # sets the peak back to what is in use
    before, moments = status("VmHWM"), []

    def watch(_done: int, _total: int | None, what: str) -> None:
        if what.startswith("all ratings"):
            moments.append(time.perf_counter())

    MaxMarginFactorization(rank, n_jobs=2, max_iter=20, tol=1e-9, watch=watch).fit(*given)
    factors = 16 * 8 * rank * (users + items) / 1e6  # point, gradient, direction and what a step makes of them
    above = status("VmHWM") - before - factors
    steps = [late - early for early, late in itertools.pairwise(moments)]
    return {"seconds": median(steps), "bytes": 1e6 * above / int(count), "ratings": int(count)}


def status(field: str) -> float:
    """A figure of this process, in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024 / 1e6
    raise LookupError(field)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["start"]:
            print(json.dumps(start()))
        case ["peak", path, tiny]:
            print(json.dumps(peak(path, tiny)))
        case ["rossel", size, directory]:
            print(json.dumps(rossel(size, directory)))
        case ["choose", rows, use]:
            print(json.dumps(choose(rows, use)))
        case ["ratings", count]:
            print(json.dumps(ratings(count)))
