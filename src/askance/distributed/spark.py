"""Spark: the current session, one at a master's address, or a local one for as long as the work lasts."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from askance._util.optional import require
from askance.distributed.spark_session import check_installed, session
from askance.distributed.workers import Workers, at_least_two

TRIES = 4  # of a task, Spark's default on a cluster; on one machine it would give up at once
# Warnings of joblibspark and Spark about features that are not used here.
HARMLESS = (
    "Spark (local mode|version) does",
    "Spark session is not provided",
    "User-specified n_jobs",
    "PySpark does not yet fully support pandas",
)


@contextmanager
def spark_workers(n_jobs: int, cluster: str | None) -> Iterator[Workers]:
    """Open Spark's executors. Spark itself retries a task whose worker dies."""
    check_installed()
    require("joblibspark", "spark", "the backend spark")  # before Spark starts, which takes seconds
    with spark_session(n_jobs, cluster) as spark:
        from py4j.protocol import Py4JError

        yield Workers(_backend_class(), n_jobs, spark.sparkContext.broadcast, _open, (Py4JError,), attempts=2)


@contextmanager
def spark_session(n_jobs: int, cluster: str | None) -> Iterator[Any]:
    """Yield the current session, or a new one for the work: on a cluster, or with `n_jobs` local workers."""
    check_installed()
    if cluster is not None and cluster.startswith("sc://"):
        raise ValueError(
            f"{cluster} is Spark Connect, which cannot broadcast: use a master such as spark://host:7077"
        )
    from pyspark.sql import SparkSession

    with warnings.catch_warnings():
        for harmless in HARMLESS:
            warnings.filterwarnings("ignore", harmless)
        found = SparkSession.getActiveSession()
        if found is not None:
            yield found
            return
        workers = "*" if n_jobs == -1 else n_jobs
        created = session(cluster or f"local[{workers},{TRIES}]", {"spark.log.level": "OFF"})
        try:
            yield created
        finally:
            created.stop()


def _backend_class() -> type:
    """Create joblibspark's backend with results as they come; joblib and joblibspark are imported late."""
    from joblib._utils import _retrieve_traceback_capturing_wrapped_call  # type: ignore[import-untyped]
    from joblibspark.backend import SparkDistributedBackend

    class SparkBackend(SparkDistributedBackend):  # type: ignore[misc]
        supports_retrieve_callback = True

        def effective_n_jobs(self, n_jobs: int) -> int:
            return at_least_two(super().effective_n_jobs(n_jobs))

        def submit(self, func: Any, callback: Any = None) -> Any:
            return self.apply_async(func, callback)

        def retrieve_result_callback(self, out: Any) -> Any:
            return _retrieve_traceback_capturing_wrapped_call(out)

    return SparkBackend


def _open(value: Any) -> Any:
    from pyspark import Broadcast

    return value.value if isinstance(value, Broadcast) else value
