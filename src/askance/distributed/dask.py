"""Dask: the current client, the scheduler at an address, or a local cluster for as long as the work lasts."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from askance._util.optional import require
from askance.distributed.workers import Workers, at_least_two

WAIT = 60  # seconds for workers to start, or to restart


@contextmanager
def dask_workers(n_jobs: int, cluster: str | None) -> Iterator[Workers]:
    """Open Dask's workers. A worker that dies is restarted by its nanny, and its task is done by another."""
    require("distributed", "dask", "the backend dask")
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    with ExitStack() as stack:
        client = _client(n_jobs, cluster, stack)
        backend = partial(_backend_class(), client=client, wait_for_workers_timeout=WAIT)
        losses = (KilledWorker, CancelledError)
        yield Workers(backend, n_jobs, partial(_scatter, client), _open, losses, attempts=2)


@contextmanager
def local_cluster(n_jobs: int) -> Iterator[Any]:
    """Start worker processes on this machine, which are restarted when they die."""
    import dask
    import joblib  # type: ignore[import-untyped]

    from distributed import LocalCluster

    number = joblib.cpu_count() if n_jobs == -1 else n_jobs
    # Without it, a worker that is still restarting fifteen seconds after it died is given up.
    patient = {"distributed.deploy.lost-worker-timeout": "1 day"}
    with (
        dask.config.set(patient),
        LocalCluster(
            n_workers=number, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs="CRITICAL"
        ) as cluster,
    ):
        yield cluster


def _client(n_jobs: int, cluster: str | None, stack: ExitStack) -> Any:
    from distributed import Client, default_client

    if cluster is not None:
        try:
            return stack.enter_context(Client(cluster, set_as_default=False))
        except OSError as error:
            raise OSError(f"no Dask scheduler answers at {cluster}: start one with `dask scheduler`") from error
    try:
        return default_client()
    except ValueError:
        return stack.enter_context(Client(stack.enter_context(local_cluster(n_jobs)), set_as_default=False))


def _backend_class() -> type:
    """Create joblib's backend for Dask, changed where it would wait for ever; joblib is imported late."""
    from joblib._dask import DaskDistributedBackend  # type: ignore[import-untyped]

    class DaskBackend(DaskDistributedBackend):  # type: ignore[misc]
        def effective_n_jobs(self, n_jobs: int) -> int:
            try:
                return at_least_two(super().effective_n_jobs(n_jobs))
            except TimeoutError as error:
                wait = self.wait_for_workers_timeout
                raise TimeoutError(
                    f"no worker has joined Dask within {wait} seconds: start some with `dask worker`"
                ) from error

        def submit(self, func: Any, callback: Any = None) -> Any:
            """Send a task, and also report it to joblib when Dask gives it up."""
            future = super().submit(func, callback)

            def report_error(done: Any) -> None:
                if done.exception() is not None:
                    callback(done.exception())

            future.add_done_callback(report_error)
            return future

    return DaskBackend


def _scatter(client: Any, value: Any) -> Any:
    """Send a value to all workers; in a list, because Dask would take a tuple apart."""
    (reference,) = client.scatter([value], broadcast=True, hash=False)
    return reference


def _open(value: Any) -> Any:
    """Dask replaces references by their data itself, except deep within an argument."""
    from distributed import Future

    return value.result() if isinstance(value, Future) else value
