"""The part that Spark calls, for each page and micro-batch. It runs on executors, which need askance too."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

from askance.distributed.spark_fleet import page as pages
from askance.distributed.spark_fleet.batch import Outcome, work_off
from askance.distributed.spark_fleet.events import events_of
from askance.distributed.spark_fleet.settings import StreamSettings

STATE = "page"
STATE_SCHEMA = "version INT, content BINARY"
OUTPUT = (
    "kind STRING, key STRING, id STRING, outcome STRING, label STRING, score DOUBLE, probability DOUBLE, "
    "asked BOOLEAN, round BIGINT, reason STRING"
)


class PageProcessor(StatefulProcessor):  # type: ignore[misc]
    """Reads a page, works off what came for it, and writes it: one read and one write of the state."""

    def __init__(self, settings: StreamSettings) -> None:
        self.settings = settings

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Have the state; Spark also calls this on the driver."""
        self.state = handle.getValueState(STATE, STATE_SCHEMA)

    def handleInputRows(  # noqa: N802 - the name that Spark calls
        self,
        key: Any,  # noqa: ARG002 - a page needs not know its number
        rows: Iterator[pd.DataFrame],
        timerValues: Any,  # noqa: ARG002
    ) -> Iterator[pd.DataFrame]:
        """What became of the rows and labels of a page."""
        settings = self.settings
        events = [event for frame in rows for event in events_of(frame)]
        kept = self.state.get()
        page = {} if kept is None else pages.unpack(bytes(kept[1]), kept[0], settings.fleet.dtype)
        outcomes = work_off(page, events, settings)
        self.state.update((pages.VERSION, pages.pack(page, settings.fleet.dtype)))
        if not outcomes:  # labels that came early, and no more
            return
        columns = zip(*outcomes, strict=True)
        yield pd.DataFrame(dict(zip(Outcome._fields, map(list, columns), strict=True)), dtype=object)
