"""A fleet as a step between streaming data frames."""

from typing import TYPE_CHECKING

from askance.distributed.spark_fleet.events import check_columns, unioned
from askance.distributed.spark_fleet.settings import StreamSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def fleet_stream(rows: "DataFrame", labels: "DataFrame", settings: StreamSettings) -> "DataFrame":
    """What becomes of two streams, in a line a row and a line a label.

    `rows` has the columns key, id, perhaps order (a whole number or a time), and text, record (JSON text, a struct
    or a map), or indices and values. `labels` has key, id and label. Start it with the output mode "append", after
    `keep_settings`.
    """
    from pyspark.sql import functions as sf

    from askance.distributed.spark_fleet.processor import OUTPUT, PageProcessor

    settings.check()
    check_columns(rows, labels)
    page = sf.pmod(sf.xxhash64("key"), sf.lit(settings.pages)).cast("int").alias("page")
    events = unioned(rows, labels).select(page, "*")
    return events.groupBy("page").transformWithStateInPandas(
        PageProcessor(settings), outputStructType=OUTPUT, outputMode="append", timeMode="none"
    )
