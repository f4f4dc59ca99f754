"""A backend of joblib for Ray.

Ray brings one of its own, which sends parts to actors: one that dies is not started again and takes the whole call
with it, and joblib's pools are bent for the rest of the process.
"""

from typing import Any

import ray
from joblib.parallel import ParallelBackendBase, SequentialBackend  # type: ignore[import-untyped]

from askance.distributed.workers import at_least_two

RETRIES = 3  # of a part whose worker dies


class RayParts(ParallelBackendBase):  # type: ignore[misc]
    """Parts as tasks of Ray."""

    supports_retrieve_callback = True

    def effective_n_jobs(self, n_jobs: int) -> int:
        """As many as Ray has processors, or fewer."""
        there = int(ray.cluster_resources().get("CPU", 1))
        return at_least_two(there if n_jobs == -1 else min(n_jobs, there))

    def configure(self, n_jobs: int = 1, parallel: Any = None, **_others: Any) -> int:
        """Get ready for a call of joblib."""
        self.parallel = parallel
        self._sent: list[Any] = []
        return self.effective_n_jobs(n_jobs)

    def submit(self, func: Any, callback: Any = None) -> Any:
        """Send a part, as joblib has packed it."""
        reference = _call.remote(func)
        self._sent.append(reference)
        future = reference.future()
        future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, out: Any) -> Any:
        """What came of a part."""
        return out.result()

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """Give up all that is not done."""
        for reference in self._sent:
            ray.cancel(reference, force=True)
        self._sent = []
        if ensure_ready:
            self.configure(self.parallel.n_jobs, self.parallel)

    def get_nested_backend(self) -> tuple[Any, Any]:
        """A part is done by one process."""
        return SequentialBackend(nesting_level=(self.nesting_level or 0) + 1), None


@ray.remote(max_retries=RETRIES, num_cpus=1)
def _call(part: Any) -> Any:
    return part()
