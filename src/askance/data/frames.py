"""Data frames of pandas, polars and pyarrow as streams.

None of the three is imported: frames are recognised by their attributes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askance.data.arrays import RowSelection, parts, row_order
from askance.data.columns import Column, column_rows, feature_names
from askance.data.files import Where
from askance.data.labels import as_labels, label_array, label_kind
from askance.data.recipe import Fields, Recipe
from askance.data.stream import Chunk
from askance.errors import DataError
from askance.typing import FloatArray, IntArray


class Frame(Protocol):
    """The interface of a table of typed columns."""

    @property
    def names(self) -> list[str]:
        """The names of the columns."""

    def __len__(self) -> int:
        """The number of rows."""

    def is_numeric(self, column: int) -> bool:
        """Whether a column has a numeric type."""

    def numbers(self, column: int) -> FloatArray:
        """A numeric column, with 0 for missing values."""

    def values(self, column: int) -> list[Any]:
        """A column as Python values, with None for missing values."""

    def array(self, column: int) -> NDArray[Any]:
        """A column in its own type; missing values are NaN, None or what the frame uses."""

    def take(self, rows: RowSelection) -> "Frame":
        """Select rows."""


class FrameLayout(NamedTuple):
    """The roles and types of the columns of a frame."""

    fields: Fields
    features: list[str]
    numeric: frozenset[str]


class Piece(NamedTuple):
    """Some rows of a frame and their places in it; `y` if the labels are not in the frame."""

    frame: Frame
    where: Where
    progress: float
    y: NDArray[Any] | None = None


@dataclass(frozen=True, eq=False)
class FrameStream:
    """A data frame in memory. `order` is the order of rows in the stream; None means that of the frame."""

    name: str
    frame: Frame
    y: NDArray[Any] | None
    recipe: Recipe
    layout: FrameLayout
    chunk_rows: int
    order: IntArray | None

    def __iter__(self) -> Iterator[Chunk]:
        return frame_chunks(self._pieces(), self.layout, self.recipe)

    def _pieces(self) -> Iterator[Piece]:
        rows = len(self.frame)
        for part, given in parts(rows, self.chunk_rows, self.order):
            numbers = range(part.start, part.stop) if isinstance(part, slice) else part
            y = None if self.y is None else self.y[part]
            yield Piece(self.frame.take(part), row_namer(self.name, numbers), given / rows, y)


def read_frame(
    source: Any,
    y: Any,
    *,
    name: str,
    recipe: Recipe,
    chunk_rows: int,
    shuffle: bool = False,
    random_state: int | None = None,
) -> FrameStream:
    """A stream of a data frame. The labels are in one of its columns, or in `y`."""
    frame = as_frame(source)
    if not len(frame):
        raise DataError(f"{name}: has no rows: give at least one")
    layout = frame_layout(frame, recipe, name)
    labels = None if y is None else as_labels(y, len(frame), name)
    order = row_order(len(frame), shuffle, random_state)
    return FrameStream(name, frame, labels, recipe, layout, chunk_rows, order)


def is_frame(source: Any) -> bool:
    """Whether an object is a data frame of pandas, polars (also a lazy one) or pyarrow."""
    return _is_lazy(source) or _view_of(source) is not None


def as_frame(source: Any) -> Frame:
    """A data frame with the interface of `Frame`. A lazy one is computed."""
    if _is_lazy(source):
        source = source.collect()
    view = _view_of(source)
    if view is None:
        raise DataError(f"a {type(source).__name__} is not a data frame: give one of pandas, polars or pyarrow")
    return view(source)


def frame_layout(frame: Frame, recipe: Recipe, place: str) -> FrameLayout:
    """Determine the roles of columns from their types."""
    names = frame.names
    numeric = {name for column, name in enumerate(names) if frame.is_numeric(column)}
    numeric -= set(recipe.categories)
    fields = recipe.fields(names, lambda name: name not in numeric, place)
    return FrameLayout(fields, feature_names(names, fields, recipe, place), frozenset(numeric))


def frame_chunks(pieces: Iterable[Piece], layout: FrameLayout, recipe: Recipe) -> Iterator[Chunk]:
    """The chunks of the pieces of a frame."""
    kind = ""
    for piece in pieces:
        position = {name: column for column, name in enumerate(piece.frame.names)}
        columns = {name: _column(piece.frame, position[name], name, layout, recipe) for name in layout.features}
        X = column_rows(columns, layout.fields, recipe, piece.where)
        y = piece.y
        if layout.fields.label is not None:
            labels = piece.frame.values(position[layout.fields.label])
            kind = kind or label_kind(labels[0], piece.where(0))
            y = label_array(labels, kind, piece.where)
        yield Chunk(X, y, piece.progress)


def row_namer(name: str, numbers: Sequence[int] | IntArray) -> Where:
    """A function that names rows with these numbers in their source, for messages."""
    return lambda row: f"{name}, row {numbers[row]} (from 0)"


def _column(frame: Frame, column: int, name: str, layout: FrameLayout, recipe: Recipe) -> Column:
    if name in layout.numeric and name != layout.fields.text:
        return frame.numbers(column)
    values = frame.values(column)
    if name in recipe.categories:
        return [None if value is None else str(value) for value in values]
    return values


def _is_lazy(source: Any) -> bool:
    """Whether it is a LazyFrame of polars. Only its class is looked at: naming columns is work."""
    return hasattr(type(source), "collect_schema") and hasattr(type(source), "collect")


def _view_of(source: Any) -> type["_Pandas | _Polars | _Arrow"] | None:
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        return _Pandas
    if hasattr(source, "to_series") and hasattr(source, "columns"):
        return _Polars
    if hasattr(source, "schema") and hasattr(source, "num_rows") and hasattr(source, "take"):
        return _Arrow
    return None


@dataclass(frozen=True, eq=False)
class _Pandas:
    frame: Any

    @property
    def names(self) -> list[str]:
        return [str(name) for name in self.frame.columns]

    def __len__(self) -> int:
        return len(self.frame)

    def is_numeric(self, column: int) -> bool:
        return self.frame.dtypes.iloc[column].kind in "iuf"

    def numbers(self, column: int) -> FloatArray:
        series = self.frame.iloc[:, column]
        if isinstance(series.dtype, np.dtype):
            return _doubles(series.fillna(0).to_numpy())  # pandas has NaN for what is missing
        return _doubles(series.to_numpy(dtype=np.float64, na_value=0.0))

    def values(self, column: int) -> list[Any]:
        series = self.frame.iloc[:, column]
        return [None if absent else value for value, absent in zip(series.tolist(), series.isna(), strict=True)]

    def array(self, column: int) -> NDArray[Any]:
        return np.asarray(self.frame.iloc[:, column].to_numpy())

    def take(self, rows: RowSelection) -> "_Pandas":
        return _Pandas(self.frame.iloc[rows])


@dataclass(frozen=True, eq=False)
class _Polars:
    frame: Any

    @property
    def names(self) -> list[str]:
        return list(self.frame.columns)

    def __len__(self) -> int:
        return len(self.frame)

    def is_numeric(self, column: int) -> bool:
        return bool(self.frame.dtypes[column].is_numeric())

    def numbers(self, column: int) -> FloatArray:
        return _doubles(self.frame.to_series(column).fill_null(0).to_numpy())

    def values(self, column: int) -> list[Any]:
        return list(self.frame.to_series(column).to_list())

    def array(self, column: int) -> NDArray[Any]:
        return np.asarray(self.frame.to_series(column).to_numpy())

    def take(self, rows: RowSelection) -> "_Polars":
        return _Polars(self.frame[rows])


@dataclass(frozen=True, eq=False)
class _Arrow:
    table: Any

    @property
    def names(self) -> list[str]:
        return list(self.table.schema.names)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def is_numeric(self, column: int) -> bool:
        from pyarrow import types

        kind = self.table.schema.types[column]
        return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))

    def numbers(self, column: int) -> FloatArray:
        doubles = self.table.column(column).cast("float64", safe=False).fill_null(0.0)
        return _doubles(np.asarray(doubles))

    def values(self, column: int) -> list[Any]:
        return list(self.table.column(column).to_pylist())

    def array(self, column: int) -> NDArray[Any]:
        return np.asarray(self.table.column(column).to_numpy(zero_copy_only=False))

    def take(self, rows: RowSelection) -> "_Arrow":
        if isinstance(rows, slice):
            return _Arrow(self.table.slice(rows.start, rows.stop - rows.start))
        return _Arrow(self.table.take(rows))


def _doubles(values: NDArray[Any]) -> FloatArray:
    return values.astype(np.float64, copy=False)
