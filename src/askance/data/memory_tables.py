"""Tables in memory as columns of raw values: data frames, lists of dictionaries, and parts of either."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askance.data.arrays import parts
from askance.data.files import Where
from askance.data.frames import Frame, as_frame, is_frame, row_namer
from askance.data.raw_tables import RawBatch, frame_batch, record_batch
from askance.errors import DataError


class WholeTable(ABC):
    """A table all rows of which are in memory."""

    has_cells = False
    name: str
    place: str

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def batch(self, part: slice, where: Where, progress: float) -> RawBatch:
        """Some of the rows."""

    def batches(self, rows: int) -> Iterator[RawBatch]:
        """The rows in their order."""
        whole = len(self)
        for part, given in parts(whole, rows, None):
            assert isinstance(part, slice)
            yield self.batch(part, row_namer(self.place, range(part.start, part.stop)), given / whole)


@dataclass(frozen=True, eq=False)
class FrameTable(WholeTable):
    """A data frame of pandas, polars or pyarrow."""

    frame: Frame
    place: str = "data frame"

    name = "data frame"

    def __len__(self) -> int:
        return len(self.frame)

    def batch(self, part: slice, where: Where, progress: float) -> RawBatch:
        """Some of the rows."""
        return frame_batch(self.frame.take(part), where, progress)


@dataclass(frozen=True, eq=False)
class RecordTable(WholeTable):
    """A list of dictionaries, one per row. Those inside them are columns with a dot in their name."""

    records: Sequence[Mapping[str, Any]]
    place: str = "records"

    name = "records"

    def __len__(self) -> int:
        return len(self.records)

    def batch(self, part: slice, where: Where, progress: float) -> RawBatch:
        """Some of the rows."""
        return record_batch(self.records[part], where, progress)


@dataclass(frozen=True, eq=False)
class PartsTable:
    """Data frames or lists of dictionaries, one after the other, as they come."""

    parts: Iterable[Any]

    has_cells = False
    name = place = "parts"

    def batches(self, rows: int) -> Iterator[RawBatch]:
        """The rows in their order. Nobody knows how many parts there will be, so there is no progress."""
        number = -1
        for number, part in enumerate(self.parts):
            table = whole_table(part, f"part {number} (from 0)")
            for batch in table.batches(rows):
                yield batch._replace(progress=0.0, place=table.place)
        if number < 0:
            raise DataError("there are no parts, or an iterator was used before: give a list to use it again")


def memory_table(source: Any) -> WholeTable | PartsTable:
    """A table in memory: a data frame, a list of dictionaries, or an iterable of either."""
    return PartsTable(source) if _are_parts(source) else whole_table(source)


def whole_table(source: Any, place: str | None = None) -> WholeTable:
    """A data frame or a list of dictionaries; raises DataError if it is something else or has no rows."""
    table: WholeTable
    if are_records(source):
        table = RecordTable(source, place or "records")
    elif is_frame(source):
        table = FrameTable(as_frame(source), place or "data frame")
    else:
        before = "" if place is None else f"{place}: "
        raise DataError(
            f"{before}a {type(source).__name__} is not a table: give a path, a data frame of pandas, polars or "
            "pyarrow, or a list of dictionaries"
        )
    if not len(table):
        raise DataError(f"{table.place}: has no rows: give at least one")
    return table


def is_in_memory(source: Any) -> bool:
    """Whether an object is a table in memory, or parts of one."""
    return is_frame(source) or are_records(source) or _are_parts(source)


def are_records(source: Any) -> bool:
    """Whether an object is a list of dictionaries."""
    return _is_list(source) and all(isinstance(one, Mapping) for one in source)


def _are_parts(source: Any) -> bool:
    """Whether an object has data frames or lists of dictionaries one after the other. Iterators may have them."""
    if isinstance(source, Iterator):
        return True
    return _is_list(source) and all(is_frame(one) or are_records(one) for one in source)


def _is_list(source: Any) -> bool:
    return isinstance(source, list | tuple) and bool(source)
