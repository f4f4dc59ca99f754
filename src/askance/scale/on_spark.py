"""Spark: the session of now, one at a master's address, or one here for as long as the work lasts."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from askance.scale.workers import Workers, needed

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
    with spark_session(jobs, cluster) as session:
        needed("joblibspark", "spark")
        from py4j.protocol import Py4JError

        from askance.scale.spark_parts import SparkParts

        context = session.sparkContext
        yield Workers(SparkParts, jobs, context.broadcast, _opened, (Py4JError,), sendings=2)


@contextmanager
def spark_session(jobs: int, cluster: str | None) -> Iterator[Any]:
    """The session of now, or a new one that ends with the work."""
    needed("pyspark", "spark")
    from pyspark.sql import SparkSession

    with warnings.catch_warnings():
        for harmless in HARMLESS:
            warnings.filterwarnings("ignore", harmless)
        session = SparkSession.getActiveSession()
        if session is not None:
            yield session
            return
        session = new_session(jobs, cluster)
        try:
            yield session
        finally:
            session.stop()


def new_session(jobs: int, cluster: str | None) -> Any:
    """A session on a cluster or with so many workers here; ValueError in one sentence if that cannot be."""
    from pyspark.sql import SparkSession

    if cluster is not None and cluster.startswith("sc://"):
        raise ValueError(f"{cluster} is Spark Connect, which cannot broadcast: give a master, spark://host:7077")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise ValueError("Spark needs Java 17 or later: install it, or say where it is with JAVA_HOME")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    workers = "*" if jobs == -1 else jobs
    builder = SparkSession.builder.master(cluster or f"local[{workers},{TRIES}]").appName("askance")
    for key in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(key, "false")
    return builder.config("spark.log.level", "OFF").getOrCreate()


def _opened(given: Any) -> Any:
    from pyspark import Broadcast

    return given.value if isinstance(given, Broadcast) else given
