"""A fleet as a transformation of streaming data frames."""

from typing import TYPE_CHECKING

from askance.distributed.spark_fleet.events import check_columns, unioned
from askance.distributed.spark_fleet.settings import StreamSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def fleet_stream(rows: "DataFrame", labels: "DataFrame", settings: StreamSettings) -> "DataFrame":
    """Return the stream of decisions: one line per row and one per label.

    Parameters
    ----------
    rows : DataFrame
        The columns key, id, optionally order (an integer or a time), and text, record (JSON text, a struct or a
        map), or indices and values.
    labels : DataFrame
        The columns key, id and label.
    settings : StreamSettings
        The settings of the fleet. Store them in the checkpoint with `store_settings` before you start the stream.

    Returns
    -------
    DataFrame
        A stream for the output mode "append".
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
