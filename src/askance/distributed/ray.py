"""Ray: the current cluster, one at an address, or a local one for as long as the work lasts.

Ray has a joblib backend of its own, which sends tasks to actors. An actor that dies is not restarted and fails the
whole call, and that backend changes joblib's pools for the rest of the process. So there is another one here.
"""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from askance._util.optional import require
from askance.distributed.workers import Workers, at_least_two

RETRIES = 3  # of a task whose worker dies


@contextmanager
def ray_workers(n_jobs: int, cluster: str | None) -> Iterator[Workers]:
    """Open Ray's workers. Ray itself retries a task whose worker dies."""
    ray = require("ray", "ray", "the backend ray")
    with ExitStack() as stack:
        if not ray.is_initialized():
            connect(n_jobs, cluster)
            stack.callback(ray.shutdown)
        yield Workers(_backend_class(), n_jobs, ray.put, _open, (ray.exceptions.RayError,), attempts=2)


def connect(n_jobs: int, cluster: str | None) -> None:
    """Join a cluster, or start one with `n_jobs` workers on this machine."""
    import ray

    quiet: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
    if cluster is None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no usage reports, and no message about them
        processors = None if n_jobs == -1 else n_jobs
        ray.init(address="local", num_cpus=processors, include_dashboard=False, **quiet)
        return
    try:
        ray.init(address=cluster, **quiet)
    except ConnectionError as error:
        raise ConnectionError(f"no Ray cluster answers at {cluster}: start one with `ray start --head`") from error


def _backend_class() -> type:
    """Create a joblib backend that sends tasks to Ray; joblib and Ray are imported late."""
    import ray
    from joblib.parallel import ParallelBackendBase, SequentialBackend  # type: ignore[import-untyped]

    remote_call = ray.remote(max_retries=RETRIES, num_cpus=1)(_call)

    class RayBackend(ParallelBackendBase):  # type: ignore[misc]
        supports_retrieve_callback = True

        def effective_n_jobs(self, n_jobs: int) -> int:
            available = int(ray.cluster_resources().get("CPU", 1))
            return at_least_two(available if n_jobs == -1 else min(n_jobs, available))

        def configure(self, n_jobs: int = 1, parallel: Any = None, **_others: Any) -> int:
            self.parallel = parallel
            self._sent: list[Any] = []
            return self.effective_n_jobs(n_jobs)

        def submit(self, func: Any, callback: Any = None) -> Any:
            reference = remote_call.remote(func)
            self._sent.append(reference)
            future = reference.future()
            future.add_done_callback(callback)
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            return out.result()

        def abort_everything(self, ensure_ready: bool = True) -> None:
            for reference in self._sent:
                ray.cancel(reference, force=True)
            self._sent = []
            if ensure_ready:
                self.configure(self.parallel.n_jobs, self.parallel)

        def get_nested_backend(self) -> tuple[Any, Any]:
            return SequentialBackend(nesting_level=(self.nesting_level or 0) + 1), None

    return RayBackend


def _call(task: Any) -> Any:
    return task()


def _open(value: Any) -> Any:
    import ray

    return ray.get(value) if isinstance(value, ray.ObjectRef) else value
