"""The settings in a checkpoint, stored next to the files of Spark, and the models, read from its state."""

from typing import TYPE_CHECKING

from askance.distributed.spark_fleet import page as pages
from askance.distributed.spark_fleet.settings import StreamSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def store_settings(spark: "SparkSession", settings: StreamSettings, checkpoint: str) -> None:
    """Write the settings into a new checkpoint; ValueError if an existing one has other settings.

    Call it before the stream starts, because the settings of existing models cannot change.
    """
    stored = _stored(spark, checkpoint)
    if stored is None:
        line = spark.createDataFrame([(settings.to_json(),)], "value STRING").coalesce(1)
        line.write.mode("overwrite").text(_place(checkpoint))
    else:
        settings.check_same(stored)


def settings_of(spark: "SparkSession", checkpoint: str) -> StreamSettings:
    """Return the settings of a checkpoint."""
    stored = _stored(spark, checkpoint)
    if stored is None:
        raise ValueError(f"{checkpoint} is not a checkpoint of a fleet: it has no settings of askance")
    return stored


def models_of(spark: "SparkSession", checkpoint: str) -> dict[str, bytes]:
    """Return the model of each key after the last micro-batch, for `Fleet.unpack`."""
    settings = settings_of(spark, checkpoint)
    state = spark.read.format("statestore").option("stateVarName", "page").load(checkpoint)
    models: dict[str, bytes] = {}
    for version, content in state.select("value.version", "value.content").toLocalIterator():
        page = pages.unpack(bytes(content), version, settings.fleet.dtype)
        models.update({key: each.model for key, each in page.items() if each.model})
    return models


def _stored(spark: "SparkSession", checkpoint: str) -> StreamSettings | None:
    from pyspark.errors import AnalysisException

    try:
        lines = spark.read.text(_place(checkpoint)).collect()
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            return None
        raise
    return StreamSettings.from_json(lines[0].value) if lines else None


def _place(checkpoint: str) -> str:
    return f"{checkpoint.rstrip('/')}/askance"
