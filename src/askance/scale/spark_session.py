"""A Spark session: the one there is, the one of spark-submit, or a local one."""

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STATE_STORE = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

# What a fleet's state needs, whatever session it runs in. With the log of changes, a micro-batch writes what changed
# and not the whole store.
STATE_OPTIONS = {
    "spark.sql.streaming.stateStore.providerClass": STATE_STORE,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
}
LOCAL_OPTIONS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
}


def session(master: str | None = None, options: dict[str, Any] | None = None) -> "SparkSession":
    """The session that is running, or a new one: on `master`, on spark-submit's, or else on this machine's cores.

    ImportError says what to install if Spark or Java is not there.
    """
    check_installed()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession()
    if found is None:
        found = _new(master, options or {})
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


def _new(master: str | None, options: dict[str, Any]) -> "SparkSession":
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("askance")
    given = SparkConf()  # what spark-submit and its files say
    if not given.contains("spark.master"):
        where = master or "local[*]"
        builder = builder.master(where)
        for name, value in LOCAL_OPTIONS.items() if where.startswith("local") else ():
            builder = builder.config(name, given.get(name, value))
    for name, value in options.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made
