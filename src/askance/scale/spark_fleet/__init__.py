"""A fleet on Spark Structured Streaming: one small model a key, as keyed state, checkpointed and exactly-once."""

from askance.scale.settings import FleetSettings
from askance.scale.spark_fleet.kept import keep_settings, models_of, settings_of
from askance.scale.spark_fleet.settings import StreamSettings
from askance.scale.spark_fleet.stream import fleet_stream

__all__ = ["FleetSettings", "StreamSettings", "fleet_stream", "keep_settings", "models_of", "settings_of"]
