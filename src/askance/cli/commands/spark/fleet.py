"""The work of `askance spark fleet` and `askance spark export`."""

import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from askance.cli.errors import StoppedError
from askance.cli.output.console import print_json, stdout
from askance.cli.targets import draft
from askance.distributed.spark_fleet.job import COUNTS, KEYS, Files, start
from askance.distributed.spark_fleet.saved import models_of
from askance.distributed.spark_fleet.settings import StreamSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

LOOK_EVERY = 1.0  # seconds

BATCHES = "batches"

Counts = dict[str, int]


def run(
    settings: StreamSettings, files: Files, *, once: bool, master: str | None, conf: list[str], as_json: bool
) -> None:
    """Run the job, report each micro-batch on a terminal, and print the totals."""
    settings.check()
    files.check()
    with _session(master, conf) as spark:
        query = _started(spark, settings, files, once=once)
        total = _watch(query, _report_batch if sys.stderr.isatty() else _report_nothing)
    if as_json:
        print_json(total | {"output": files.output, "checkpoint": files.checkpoint})
    else:
        stdout().print(f"{_sentence(total)}; see {files.output}")


def export(checkpoint: str, out: Path, master: str | None, conf: list[str]) -> None:
    """Write keys and models to a table."""
    import pyarrow
    import pyarrow.parquet

    with _session(master, conf) as spark, draft(out) as path:
        models = models_of(spark, checkpoint)
        table = pyarrow.table({"key": list(models), "model": list(models.values())})
        pyarrow.parquet.write_table(table, path)
    stdout().print(f"wrote the models of {len(models):,} keys to {out}")


@contextmanager
def _session(master: str | None, conf: list[str]) -> "Iterator[SparkSession]":
    """A session with little logging; an existing session is left open."""
    from askance.distributed.spark_session import check_installed, quiet, session

    check_installed()
    options = dict(map(_option, conf))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
        from pyspark.sql import SparkSession

        there = SparkSession.getActiveSession() is not None
        with quiet():
            spark = session(master, options)
        try:
            yield spark
        finally:
            if not there:
                spark.stop()


def _started(spark: "SparkSession", settings: StreamSettings, files: Files, *, once: bool) -> "StreamingQuery":
    from pyspark.errors import AnalysisException

    try:
        return start(spark, settings, files, once=once)
    except AnalysisException as error:  # most likely a missing directory
        raise ValueError(f"Spark: {str(error).splitlines()[0]}") from error


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--conf {text}: write NAME=VALUE, for example --conf spark.sql.shuffle.partitions=8")
    return name.strip(), value.strip()


def _watch(query: "StreamingQuery", report: Callable[[int, Counts, float], None]) -> Counts:
    """Wait for the end, reporting each micro-batch; returns the totals."""
    total = dict.fromkeys((BATCHES, *COUNTS), 0)
    seen = -1
    try:
        while True:
            ended = _await(query)
            for progress in query.recentProgress:
                counts = _counts(progress)
                if progress.batchId > seen and counts:
                    seen = progress.batchId
                    total = {name: number + counts[name] for name, number in total.items()}
                    report(seen, counts, progress.durationMs.get("triggerExecution", 0) / 1000)
            if ended:
                return total
    except KeyboardInterrupt:
        query.stop()
        raise StoppedError(f"{_sentence(total)}; start it again to continue") from None


def _await(query: "StreamingQuery") -> bool:
    from pyspark.errors import StreamingQueryException

    try:
        return bool(query.awaitTermination(LOOK_EVERY))
    except StreamingQueryException as error:
        messages = re.findall(r"^(?:\w+\.)*\w*Error: (.+)$", str(error), flags=re.MULTILINE)
        if messages:
            raise ValueError(messages[-1]) from error
        raise


def _counts(progress: Any) -> Counts | None:
    """The counts of a micro-batch, if it did anything."""
    found = progress.observedMetrics.get("askance")
    return None if found is None else {BATCHES: 1} | {name: int(found[name] or 0) for name in (*COUNTS, KEYS)}


def _report_batch(number: int, counts: Counts, seconds: float) -> None:
    sys.stderr.write(f"micro-batch {number}: {_sentence(counts)}, {seconds:.1f} s\n")


def _report_nothing(_number: int, _counts: Counts, _seconds: float) -> None:
    """Ignore the counts."""


def _sentence(counts: Counts) -> str:
    keys = f" of about {counts[KEYS]:,} keys" if KEYS in counts else ""
    return (
        f"{counts['rows']:,} rows{keys}, {counts['asked']:,} asked; "
        f"{counts['labels']:,} labels learned, {counts['ignored']:,} ignored"
    )
