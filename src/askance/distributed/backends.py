"""The engines by name: processes on this machine, Dask, Ray or Spark, open for as long as the work lasts."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from askance.distributed.dask import dask_workers
from askance.distributed.ray import ray_workers
from askance.distributed.spark import spark_workers
from askance.distributed.workers import Workers

CLUSTERS: Mapping[str, Callable[[int, str | None], AbstractContextManager[Workers]]] = {
    "dask": dask_workers,
    "ray": ray_workers,
    "spark": spark_workers,
}
BACKENDS = ("loky", "sequential", *CLUSTERS)


@contextmanager
def open_workers(backend: str, n_jobs: int = -1, cluster: str | None = None) -> Iterator[Workers]:
    """Open the workers of a backend: `n_jobs` of them, or as many as there is room for with -1.

    `cluster` is the address of a scheduler, head node or master. By default, the current client or session of this
    process is used, or a cluster on this machine is started and stopped with the work.
    """
    if backend not in BACKENDS:
        raise ValueError(f"unknown backend {backend!r}: use one of {', '.join(BACKENDS)}")
    if n_jobs != -1 and n_jobs < 1:
        raise ValueError(f"n_jobs must be a positive integer, or -1 for all processors, not {n_jobs}")
    if backend in CLUSTERS:
        with CLUSTERS[backend](n_jobs, cluster) as workers:
            yield workers
    elif cluster is not None:
        raise ValueError(
            f"the backend {backend} runs on this machine and cannot use the cluster {cluster}: "
            f"use {', '.join(CLUSTERS)}"
        )
    else:
        yield _local(backend, n_jobs)


def _local(backend: str, n_jobs: int) -> Workers:
    """Processes of this machine, or this process; joblib maps large arrays into the memory of all of them."""
    from concurrent.futures.process import BrokenProcessPool

    from joblib.parallel import LokyBackend, SequentialBackend  # type: ignore[import-untyped]

    return Workers(LokyBackend if backend == "loky" else SequentialBackend, n_jobs, losses=(BrokenProcessPool,))
