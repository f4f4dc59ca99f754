"""A fleet on Spark Structured Streaming: one small model a key, as keyed state, checkpointed and exactly-once."""

from askance.distributed.spark_fleet.saved import keep_settings, models_of, settings_of
from askance.distributed.spark_fleet.settings import StreamSettings
from askance.distributed.spark_fleet.stream import fleet_stream
from askance.fleet.settings import FleetSettings

__all__ = ["FleetSettings", "StreamSettings", "fleet_stream", "keep_settings", "models_of", "settings_of"]
