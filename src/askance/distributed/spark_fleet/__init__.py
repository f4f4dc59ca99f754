"""A fleet on Spark Structured Streaming: one model per key as keyed state, checkpointed and exactly-once."""

from askance.distributed.spark_fleet.saved import models_of, settings_of, store_settings
from askance.distributed.spark_fleet.settings import StreamSettings
from askance.distributed.spark_fleet.stream import fleet_stream
from askance.fleet.settings import FleetSettings

__all__ = ["FleetSettings", "StreamSettings", "fleet_stream", "models_of", "settings_of", "store_settings"]
