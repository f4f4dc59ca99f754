"""Spark: the session of now, one at a master's address, or one here for as long as the work lasts."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from askance.distributed.spark_session import check_installed, session
from askance.distributed.workers import Workers, needed

TRIES = 4  # of a part, as Spark has them on a cluster; on one machine it would give up at once
# What joblibspark and Spark say of wishes that nobody has: other machines for some parts, tags, all of pandas.
HARMLESS = (
    "Spark (local mode|version) does",
    "Spark session is not provided",
    "User-specified n_jobs",
    "PySpark does not yet fully support pandas",
)


@contextmanager
def spark_workers(jobs: int, cluster: str | None) -> Iterator[Workers]:
    """Spark's executors. A part whose worker dies is done again by Spark itself."""
    check_installed()
    needed("joblibspark", "spark")  # before Spark takes its time to start
    with spark_session(jobs, cluster) as spark:
        from py4j.protocol import Py4JError

        from askance.distributed.spark_tasks import SparkParts

        yield Workers(SparkParts, jobs, spark.sparkContext.broadcast, _opened, (Py4JError,), sendings=2)


@contextmanager
def spark_session(jobs: int, cluster: str | None) -> Iterator[Any]:
    """The session of now, or a new one that ends with the work: on a cluster, or with so many workers here."""
    check_installed()
    if cluster is not None and cluster.startswith("sc://"):
        raise ValueError(f"{cluster} is Spark Connect, which cannot broadcast: give a master, spark://host:7077")
    from pyspark.sql import SparkSession

    with warnings.catch_warnings():
        for harmless in HARMLESS:
            warnings.filterwarnings("ignore", harmless)
        found = SparkSession.getActiveSession()
        if found is not None:
            yield found
            return
        workers = "*" if jobs == -1 else jobs
        made = session(cluster or f"local[{workers},{TRIES}]", {"spark.log.level": "OFF"})
        try:
            yield made
        finally:
            made.stop()


def _opened(given: Any) -> Any:
    from pyspark import Broadcast

    return given.value if isinstance(given, Broadcast) else given
