"""What is kept in a checkpoint beside Spark's own files: the settings; and the models, read back."""

from typing import TYPE_CHECKING

from askance.distributed.spark_fleet import page as pages
from askance.distributed.spark_fleet.settings import StreamSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def keep_settings(spark: "SparkSession", settings: StreamSettings, checkpoint: str) -> None:
    """Write the settings into a new checkpoint; ValueError if an old one was made with others.

    Call it before the stream is started: a model goes on only as what it began as.
    """
    kept = _kept(spark, checkpoint)
    if kept is None:
        line = spark.createDataFrame([(settings.to_json(),)], "value STRING").coalesce(1)
        line.write.mode("overwrite").text(_place(checkpoint))
    else:
        settings.check_same(kept)


def settings_of(spark: "SparkSession", checkpoint: str) -> StreamSettings:
    """The settings that a checkpoint was made with."""
    kept = _kept(spark, checkpoint)
    if kept is None:
        raise ValueError(f"{checkpoint} is no checkpoint of a fleet: there are no settings of askance in it")
    return kept


def models_of(spark: "SparkSession", checkpoint: str) -> dict[str, bytes]:
    """The model of each key as of the last micro-batch, for `Fleet.unpack`."""
    settings = settings_of(spark, checkpoint)
    state = spark.read.format("statestore").option("stateVarName", "page").load(checkpoint)
    models: dict[str, bytes] = {}
    for version, content in state.select("value.version", "value.content").toLocalIterator():
        page = pages.unpack(bytes(content), version, settings.fleet.dtype)
        models.update({key: each.model for key, each in page.items() if each.model})
    return models


def _kept(spark: "SparkSession", checkpoint: str) -> StreamSettings | None:
    from pyspark.errors import AnalysisException

    try:
        lines = spark.read.text(_place(checkpoint)).collect()
    except AnalysisException as fault:
        if fault.getCondition() == "PATH_NOT_FOUND":
            return None
        raise
    return StreamSettings.from_json(lines[0].value) if lines else None


def _place(checkpoint: str) -> str:
    return f"{checkpoint.rstrip('/')}/askance"
