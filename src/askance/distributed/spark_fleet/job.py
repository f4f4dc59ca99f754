"""A fleet that reads and writes files: the job of `askance spark fleet`."""

from typing import TYPE_CHECKING, NamedTuple

from askance.distributed.spark_fleet.events import LABEL_FILES, ROW_FILES
from askance.distributed.spark_fleet.saved import store_settings
from askance.distributed.spark_fleet.settings import StreamSettings
from askance.distributed.spark_fleet.stream import fleet_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

FORMATS = ("json", "parquet")

# Counts per micro-batch, under the name "askance" in Spark's progress reports. The number of keys is approximate
# and cannot be added up.
COUNTS = {
    "rows": "count_if(outcome = 'decided')",
    "asked": "count_if(asked)",
    "labels": "count_if(outcome = 'learned')",
    "ignored": "count_if(outcome = 'ignored')",
}
KEYS = "keys"


class Files(NamedTuple):
    """Directories or URLs of the rows, the labels, the output and the checkpoint."""

    rows: str
    labels: str
    output: str
    checkpoint: str
    format: str = "json"
    output_format: str = "parquet"
    files_per_batch: int | None = None  # the limit for rows, and also for labels

    def check(self) -> None:
        """Raise ValueError for unknown formats and for directories that are used twice."""
        for name in ("format", "output_format"):
            if getattr(self, name) not in FORMATS:
                raise ValueError(f"unknown {name} {getattr(self, name)!r}: use {' or '.join(FORMATS)}")
        places = [self.rows, self.labels, self.output, self.checkpoint]
        for place in places:
            if places.count(place) > 1:
                raise ValueError(f"{place} is used twice: rows, labels, output and checkpoint must differ")


def start(spark: "SparkSession", settings: StreamSettings, files: Files, *, once: bool) -> "StreamingQuery":
    """Start the job, or continue from the checkpoint; `once` ends when all current files are processed."""
    files.check()
    rows, labels = (_read(spark, files, *of) for of in ((files.rows, ROW_FILES), (files.labels, LABEL_FILES)))
    outcome = _counted(fleet_stream(rows, labels, settings))
    store_settings(spark, settings, files.checkpoint)
    writer = (
        outcome.writeStream.format(files.output_format)
        .outputMode("append")
        .partitionBy("kind")
        .option("path", files.output)
        .option("checkpointLocation", files.checkpoint)
        .queryName("askance-fleet")
    )
    return (writer.trigger(availableNow=True) if once else writer.trigger(processingTime="0 seconds")).start()


def _read(spark: "SparkSession", files: Files, place: str, schema: str) -> "DataFrame":
    reader = spark.readStream.format(files.format).schema(schema)
    if files.files_per_batch is not None:
        reader = reader.option("maxFilesPerTrigger", files.files_per_batch)
    return reader.load(place)


def _counted(outcome: "DataFrame") -> "DataFrame":
    from pyspark.sql import functions as sf

    counts = COUNTS | {KEYS: "approx_count_distinct(key)"}
    return outcome.observe("askance", *(sf.expr(count).alias(name) for name, count in counts.items()))
