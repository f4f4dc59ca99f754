"""The class that Spark calls for each page and micro-batch. It runs on executors, which need askance too."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

from askance.distributed.spark_fleet import page as pages
from askance.distributed.spark_fleet.batch import OutputLine, process
from askance.distributed.spark_fleet.events import events_of
from askance.distributed.spark_fleet.settings import StreamSettings

STATE = "page"
STATE_SCHEMA = "version INT, content BINARY"
OUTPUT = (
    "kind STRING, key STRING, id STRING, outcome STRING, prediction STRING, score DOUBLE, ask_probability DOUBLE, "
    "asked BOOLEAN, round BIGINT, label STRING, reason STRING"
)


class PageProcessor(StatefulProcessor):  # type: ignore[misc]
    """Reads a page, processes its events and writes it: one read and one write of the state."""

    def __init__(self, settings: StreamSettings) -> None:
        self.settings = settings

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state; Spark also calls this on the driver."""
        self.state = handle.getValueState(STATE, STATE_SCHEMA)

    def handleInputRows(  # noqa: N802 - Spark calls this name
        self,
        key: Any,  # noqa: ARG002 - the number of the page is not needed
        rows: Iterator[pd.DataFrame],
        timerValues: Any,  # noqa: ARG002
    ) -> Iterator[pd.DataFrame]:
        """Process the rows and labels of a page."""
        settings = self.settings
        events = [event for frame in rows for event in events_of(frame)]
        kept = self.state.get()
        page = {} if kept is None else pages.unpack(bytes(kept[1]), kept[0], settings.fleet.dtype)
        lines = process(page, events, settings)
        self.state.update((pages.VERSION, pages.pack(page, settings.fleet.dtype)))
        if not lines:  # only early labels
            return
        columns = zip(*lines, strict=True)
        yield pd.DataFrame(dict(zip(OutputLine._fields, map(list, columns), strict=True)), dtype=object)
