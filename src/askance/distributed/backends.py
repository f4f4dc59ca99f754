"""The engines by name: processes here, or Dask, Ray and Spark, each set up for as long as the work lasts."""

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
def open_workers(backend: str, jobs: int = -1, cluster: str | None = None) -> Iterator[Workers]:
    """The workers of a backend: `jobs` of them, or with -1 as many as there is room for.

    `cluster` is the address of a scheduler, a head or a master; without it, the client or session of this process
    serves, or else a cluster on this machine, which ends with the work.
    """
    if backend not in BACKENDS:
        raise ValueError(f"there is no backend {backend!r}: give one of {', '.join(BACKENDS)}")
    if jobs != -1 and jobs < 1:
        raise ValueError(f"jobs must be a whole number from 1 on, or -1 for all processors, not {jobs}")
    if backend in CLUSTERS:
        with CLUSTERS[backend](jobs, cluster) as workers:
            yield workers
    elif cluster is not None:
        raise ValueError(
            f"the backend {backend} works on this machine, not at {cluster}: {', '.join(CLUSTERS)} do"
        )
    else:
        yield _here(backend, jobs)


def _here(backend: str, jobs: int) -> Workers:
    """Processes of this machine, or this one; joblib maps large arrays into the memory of all of them."""
    from concurrent.futures.process import BrokenProcessPool

    from joblib.parallel import LokyBackend, SequentialBackend  # type: ignore[import-untyped]

    return Workers(LokyBackend if backend == "loky" else SequentialBackend, jobs, losses=(BrokenProcessPool,))
