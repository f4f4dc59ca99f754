"""Cells of an experiment, computed by processes or machines in parallel."""

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from askance._util.table_rows import Row
from askance.distributed.backends import open_workers
from askance.distributed.tasks import Task, run_tasks
from askance.experiments.store import Store

Watch = Callable[[int, int, str], None]


class Execution(NamedTuple):
    """Where and how an experiment is computed.

    Attributes
    ----------
    backend : str
        The engine: "loky", "sequential", "dask", "ray" or "spark".
    n_jobs : int
        The number of workers; -1 for all processors.
    store : str or path-like or None
        The directory in which finished cells are stored.
    watch : callable or None
        Called with the number of finished cells, the number of all cells, and the title of the last one.
    cluster : str or None
        The address of the engine, if it does not run on this machine.
    """

    backend: str = "loky"
    n_jobs: int = -1
    store: str | os.PathLike[str] | None = None
    watch: Watch | None = None
    cluster: str | None = None

    def threads_per_cell(self, cells: int) -> int:
        """Return how many threads each cell can have if there are fewer cells than processes on this machine."""
        import joblib  # type: ignore[import-untyped]

        if self.backend != "loky":
            return 1
        workers: int = joblib.cpu_count() if self.n_jobs == -1 else self.n_jobs
        return max(1, workers // cells)


def collect_rows(
    work: Callable[..., list[Row]], cells: Sequence[tuple[Any, ...]], titles: Sequence[str], execution: Execution
) -> list[Row]:
    """Return the rows that `work` computes from each cell and the store, in the order of the cells."""
    store = Store(execution.store)
    tasks = [Task(title, (*cell, store)) for title, cell in zip(titles, cells, strict=True)]
    found: dict[int, list[Row]] = {}
    with open_workers(execution.backend, execution.n_jobs, execution.cluster) as workers:
        for number, rows in run_tasks(work, tasks, workers):
            found[number] = rows
            if execution.watch is not None:
                execution.watch(len(found), len(cells), titles[number])
    return [row for number in range(len(cells)) for row in found[number]]
