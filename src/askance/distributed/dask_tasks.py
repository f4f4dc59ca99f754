"""Joblib's backend for Dask, mended where it would wait for ever."""

from typing import Any

from joblib._dask import DaskDistributedBackend  # type: ignore[import-untyped]

from askance.distributed.workers import at_least_two


class DaskParts(DaskDistributedBackend):  # type: ignore[misc]
    """Parts as tasks of Dask."""

    def effective_n_jobs(self, n_jobs: int) -> int:
        """As many as Dask has threads of workers."""
        try:
            return at_least_two(super().effective_n_jobs(n_jobs))
        except TimeoutError as fault:
            wait = self.wait_for_workers_timeout
            raise TimeoutError(
                f"no worker has come to Dask in {wait} seconds: start some, `dask worker`"
            ) from fault

    def submit(self, func: Any, callback: Any = None) -> Any:
        """Send a part; joblib is told too when Dask gives it up, of which it would not hear."""
        future = super().submit(func, callback)

        def given_up(done: Any) -> None:
            if done.exception() is not None:
                callback(done.exception())

        future.add_done_callback(given_up)
        return future
