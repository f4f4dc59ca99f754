"""The backend of joblibspark, from which results are had as they come."""

from typing import Any

from joblib._utils import _retrieve_traceback_capturing_wrapped_call  # type: ignore[import-untyped]
from joblibspark.backend import SparkDistributedBackend

from askance.distributed.workers import at_least_two


class SparkParts(SparkDistributedBackend):  # type: ignore[misc]
    """Parts as jobs of Spark, of one task each."""

    supports_retrieve_callback = True

    def effective_n_jobs(self, n_jobs: int) -> int:
        """As many as Spark can do at once, or fewer."""
        return at_least_two(super().effective_n_jobs(n_jobs))

    def submit(self, func: Any, callback: Any = None) -> Any:
        """Send a part; joblib's newer name for it."""
        return self.apply_async(func, callback)

    def retrieve_result_callback(self, out: Any) -> Any:
        """What came of a part."""
        return _retrieve_traceback_capturing_wrapped_call(out)
