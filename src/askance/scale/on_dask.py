"""Dask: the client of now, the scheduler at an address, or a cluster here for as long as the work lasts."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from askance.scale.workers import Workers, needed

WAIT = 60  # seconds for workers to come, or to come back


@contextmanager
def dask_workers(jobs: int, cluster: str | None) -> Iterator[Workers]:
    """Dask's workers. One that dies is replaced by its nanny, and its part is done by another."""
    needed("distributed", "dask")
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    from askance.scale.dask_parts import DaskParts

    with ExitStack() as stack:
        client = _client(jobs, cluster, stack)
        share = partial(client.scatter, broadcast=True, hash=False)
        yield Workers(
            partial(DaskParts, client=client, wait_for_workers_timeout=WAIT),
            jobs,
            share,
            _opened,
            (KilledWorker, CancelledError),
            sendings=2,
        )


def _client(jobs: int, cluster: str | None, stack: ExitStack) -> Any:
    from distributed import Client, LocalCluster, default_client

    if cluster is not None:
        try:
            return stack.enter_context(Client(cluster, set_as_default=False))
        except OSError as fault:
            raise OSError(f"no Dask scheduler answers at {cluster}: start one with `dask scheduler`") from fault
    try:
        return default_client()
    except ValueError:
        import joblib  # type: ignore[import-untyped]

        number = joblib.cpu_count() if jobs == -1 else jobs
        here = LocalCluster(
            n_workers=number, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
        )
        return stack.enter_context(Client(stack.enter_context(here), set_as_default=False))


def _opened(given: Any) -> Any:
    """Dask puts data in the place of what stands for them, except deep within an argument."""
    from distributed import Future

    return given.result() if isinstance(given, Future) else given
