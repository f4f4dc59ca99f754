"""Dask: the client of now, the scheduler at an address, or a cluster here for as long as the work lasts."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from askance.distributed.workers import Workers, needed

WAIT = 60  # seconds for workers to come, or to come back


@contextmanager
def dask_workers(jobs: int, cluster: str | None) -> Iterator[Workers]:
    """Dask's workers. One that dies is replaced by its nanny, and its part is done by another."""
    needed("distributed", "dask")
    from concurrent.futures import CancelledError

    from askance.distributed.dask_tasks import DaskParts
    from distributed import KilledWorker

    with ExitStack() as stack:
        client = _client(jobs, cluster, stack)
        backend = partial(DaskParts, client=client, wait_for_workers_timeout=WAIT)
        yield Workers(
            backend,
            jobs,
            partial(_scattered, client),
            _opened,
            (KilledWorker, CancelledError),
            sendings=2,
        )


def _client(jobs: int, cluster: str | None, stack: ExitStack) -> Any:
    from distributed import Client, default_client

    if cluster is not None:
        try:
            return stack.enter_context(Client(cluster, set_as_default=False))
        except OSError as fault:
            raise OSError(f"no Dask scheduler answers at {cluster}: start one with `dask scheduler`") from fault
    try:
        return default_client()
    except ValueError:
        return stack.enter_context(Client(stack.enter_context(cluster_here(jobs)), set_as_default=False))


@contextmanager
def cluster_here(jobs: int) -> Iterator[Any]:
    """Worker processes on this machine, which are replaced when they die."""
    import dask
    import joblib  # type: ignore[import-untyped]

    from distributed import LocalCluster

    number = joblib.cpu_count() if jobs == -1 else jobs
    # Else a worker that happens to be starting again fifteen seconds after its first death is given up.
    patient = {"distributed.deploy.lost-worker-timeout": "1 day"}
    with (
        dask.config.set(patient),
        LocalCluster(
            n_workers=number, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
        ) as cluster,
    ):
        yield cluster


def _scattered(client: Any, given: Any) -> Any:
    """In a list, because Dask would take a tuple apart."""
    (stands_for,) = client.scatter([given], broadcast=True, hash=False)
    return stands_for


def _opened(given: Any) -> Any:
    """Dask puts data in the place of what stands for them, except deep within an argument."""
    from distributed import Future

    return given.result() if isinstance(given, Future) else given
