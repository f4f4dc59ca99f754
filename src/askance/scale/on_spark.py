"""Spark: the session of now, one at a master's address, or one here for as long as the work lasts."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from askance.scale.workers import Workers, needed

TRIES = 4  # of a part, as Spark has them on a cluster; on one machine it would give up at once
# What joblibspark and Spark say of wishes that nobody has: other machines for some parts, tags, idle workers.
HARMLESS = ("Spark (local mode|version) does", "Spark session is not provided", "User-specified n_jobs")


@contextmanager
def spark_workers(jobs: int, cluster: str | None) -> Iterator[Workers]:
    """Spark's executors. A part whose worker dies is done again by Spark itself."""
    needed("pyspark", "spark")
    needed("joblibspark", "spark")
    from py4j.protocol import Py4JError

    from askance.scale.spark_parts import SparkParts

    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        for harmless in HARMLESS:
            warnings.filterwarnings("ignore", harmless, UserWarning)
        context = _session(jobs, cluster, stack).sparkContext
        yield Workers(SparkParts, jobs, context.broadcast, _opened, (Py4JError,), sendings=2)


def _session(jobs: int, cluster: str | None, stack: ExitStack) -> Any:
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is None:
        session = new_session(jobs, cluster)
        stack.callback(session.stop)
    return session


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
