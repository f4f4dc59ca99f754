"""A Spark session: the current one, the one of spark-submit, or a local one."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from askance._util.optional import require

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STATE_STORE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

# What the state of a fleet needs in any session. With changelog checkpointing, a micro-batch writes only what
# changed instead of the whole store.
STATE_OPTIONS = {
    "spark.sql.streaming.stateStore.providerClass": STATE_STORE,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
SUBMITTED = "PYSPARK_GATEWAY_PORT"  # which spark-submit sets
LOCAL_OPTIONS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": str(
        os.cpu_count() or 1
    ),  # one store per partition: the default of 200 is too many
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def session(master: str | None = None, options: Mapping[str, str] | None = None) -> "SparkSession":
    """Return the running session, or a new one with `options`.

    A new session uses the master of spark-submit, else `master`, else the master in spark-defaults.conf, else the
    cores of this machine. ImportError says what to install if Spark or Java is missing.
    """
    check_installed()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession() or _new(master, options or {})
    for name, value in STATE_OPTIONS.items():
        found.conf.set(name, value)
    return found


def check_installed() -> None:
    """Raise ImportError if something that Spark needs is missing, and say what to install."""
    for package in ("pyspark", "pandas", "pyarrow", "google.protobuf"):
        require(package, "spark", "Spark")
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and (Path(home) / "bin" / "java").exists())):
        raise ImportError("Spark needs Java 17 or later: install it, or set JAVA_HOME")


@contextmanager
def quiet() -> Iterator[None]:
    """Discard the stderr of processes that are started in this block, because Spark's never stop writing to it."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _new(master: str | None, options: Mapping[str, str]) -> "SparkSession":
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    # Starts Java with the options, such as its memory; after that, the options of spark-submit are known.
    SparkContext._ensure_initialized(conf=SparkConf().setAll(list(options.items())))
    conf = SparkConf().setIfMissing("spark.master", "local[*]").setIfMissing("spark.app.name", "askance")
    conf.setAll(list(options.items()))
    if master is not None and SUBMITTED not in os.environ:
        conf.set("spark.master", master)
    for name, value in LOCAL_OPTIONS.items() if conf.get("spark.master", "").startswith("local") else ():
        conf.setIfMissing(name, value)
    created = SparkSession.builder.config(conf=conf).getOrCreate()
    created.sparkContext.setLogLevel("ERROR")
    return created
