"""A Spark session: the one there is, the one of spark-submit, or a local one."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STATE_STORE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

# What a fleet's state needs, whatever session it runs in. With the log of changes a micro-batch writes what has
# changed, and not the whole store.
STATE_OPTIONS = {
    "spark.sql.streaming.stateStore.providerClass": STATE_STORE,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
SUBMITTED = "PYSPARK_GATEWAY_PORT"  # which spark-submit sets
LOCAL_OPTIONS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": str(os.cpu_count() or 1),  # each has a store of its own: Spark's 200 are many
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def session(master: str | None = None, options: Mapping[str, str] | None = None) -> "SparkSession":
    """The session that is running, or a new one with `options`.

    A new one is where spark-submit says, else on `master`, else where spark-defaults.conf says, else on the cores
    here. ImportError says what to install if Spark or Java is not there.
    """
    check_installed()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession() or _new(master, options or {})
    for name, value in STATE_OPTIONS.items():
        found.conf.set(name, value)
    return found


def check_installed() -> None:
    """ImportError, in one sentence, for what Spark needs and this machine lacks."""
    for package in ("pyspark", "pandas", "pyarrow", "google.protobuf"):
        try:
            __import__(package)
        except ImportError as missing:
            raise ImportError(f"Spark needs {package}: pip install 'askance[spark]'") from missing
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and (Path(home) / "bin" / "java").exists())):
        raise ImportError("Spark needs Java 17 or later: install it, or say in JAVA_HOME where it is")


@contextmanager
def quiet() -> Iterator[None]:
    """Whatever is started meanwhile writes its stderr nowhere: Spark's processes are talkative for ever after."""
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

    # Before Java runs, so that options about its own memory count; after it, spark-submit's options are known.
    SparkContext._ensure_initialized(conf=SparkConf().setAll(list(options.items())))
    known = SparkConf().setIfMissing("spark.master", "local[*]").setIfMissing("spark.app.name", "askance")
    known.setAll(list(options.items()))
    if master is not None and SUBMITTED not in os.environ:
        known.set("spark.master", master)
    for name, value in LOCAL_OPTIONS.items() if known.get("spark.master", "").startswith("local") else ():
        known.setIfMissing(name, value)
    made = SparkSession.builder.config(conf=known).getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made
