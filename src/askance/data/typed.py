"""`read_table`: columns of different kinds as rows, each in the way that suits its kind."""

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from askance.data.arrays import parts, row_order
from askance.data.cells import RawColumn
from askance.data.encoding import RunningMeans, TablePlan
from askance.data.files import INPUT_NAME, existing_file, is_pipe, listed, opened_pipe, shown
from askance.data.frames import as_frame, is_frame
from askance.data.hashing import check_bits
from askance.data.kinds import CATEGORY, NUMBER, TEXT, ColumnPlan, described, infer
from askance.data.labels import as_labels, label_array, label_kind
from askance.data.mixed import MixedRows, joined_rows, take_rows
from askance.data.raw_tables import (
    CsvTable,
    FrameTable,
    JsonTable,
    OnceTable,
    ParquetTable,
    RawBatch,
    RawTable,
    first_rows,
)
from askance.data.reading import check_chunk_rows, format_of, pipe_format
from askance.data.recipe import Recipe, several_names
from askance.data.stream import Chunk
from askance.data.tables import HEAD_ROWS, are_numbers, label_of
from askance.errors import DataError

TABLE_FORMATS = ("csv", "tsv", "jsonl", "parquet")


@dataclass(frozen=True)
class LabelPlan:
    """Where labels are: in a column, in an array, or nowhere."""

    column: str | None
    kind: str = ""
    array: NDArray[Any] | None = field(default=None, compare=False)


@dataclass(eq=False)
class TypedTable:
    """A table as a stream, as `read_table` makes it.

    Attributes
    ----------
    plan : TablePlan
        The kinds of columns, and how they become rows.
    before, after : RunningMeans
        The means of numbers before the first row, and after the last row of the last reading.
    """

    table: RawTable
    plan: TablePlan
    labels: LabelPlan
    before: RunningMeans
    chunk_rows: int
    shuffle: bool = False
    random_state: int | None = None
    after: RunningMeans = field(init=False)

    def __post_init__(self) -> None:
        self.after = self.before

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.table.name

    @property
    def columns(self) -> tuple[ColumnPlan, ...]:
        """The columns with their kinds, in the order of the table."""
        return self.plan.columns

    def described(self) -> str:
        """The kinds of columns in one line."""
        return described(self.plan.columns)

    def __iter__(self) -> Iterator[Chunk]:
        means = copy(self.before)
        for rows, y, progress in self._shuffled() if self.shuffle else self._encoded():
            yield Chunk(simplest(MixedRows(means.fill(rows.dense), rows.sparse)), y, progress)
        self.after = means

    def labels_only(self) -> Iterator[Chunk]:
        """The chunks without features, which is faster."""
        given = 0
        for batch in self.table.batches(self.chunk_rows):
            given += batch.rows
            yield Chunk(np.empty((batch.rows, 0)), self._labels(batch, given), batch.progress)

    def _encoded(self) -> Iterator[tuple[MixedRows, NDArray[Any] | None, float]]:
        given = 0
        for batch in self.table.batches(self.chunk_rows):
            given += batch.rows
            rows = self.plan.encode(batch.columns, batch.rows, batch.where)
            yield rows, self._labels(batch, given), batch.progress

    def _shuffled(self) -> Iterator[tuple[MixedRows, NDArray[Any] | None, float]]:
        """All rows in random order. What is missing is filled in later, with the means in the new order."""
        every = list(self._encoded())
        rows = joined_rows([each for each, _, _ in every])
        y = None if every[0][1] is None else np.concatenate([labels for _, labels, _ in every])
        count = rows.shape[0]
        for part, given in parts(count, self.chunk_rows, row_order(count, True, self.random_state)):
            yield take_rows(rows, part), None if y is None else y[part], given / count

    def _labels(self, batch: RawBatch, given: int) -> NDArray[Any] | None:
        if self.labels.array is not None:
            return self.labels.array[given - batch.rows : given]
        if self.labels.column is None:
            return None
        values = _as_list(batch.columns.get(self.labels.column, [None] * batch.rows))
        if self.table.has_cells:
            values = [label_of(cell, self.labels.kind) for cell in values]
        return label_array(values, self.labels.kind, batch.where)


def read_table(
    source: Any,
    *,
    format: str | None = None,  # noqa: A002 - the word that users expect
    y: Any = None,
    label: str | Literal[False] | None = None,
    text: Iterable[str] = (),
    categories: Iterable[str] = (),
    numbers: Iterable[str] = (),
    drop: Iterable[str] = (),
    bits: int = 20,
    pairs: bool = False,
    delimiter: str | None = None,
    chunk_rows: int = 2048,
    shuffle: bool = False,
    random_state: int | None = None,
) -> TypedTable:
    """Read a table with columns of different kinds as a stream for `AutoLearner`.

    The first 1,000 rows decide the kind of each column:

    - *number*: its value. A missing one (empty, NA, ?, NaN, null) is the mean of those before it, and if some are
      missing in the first rows, one more feature says so.
    - *category*: up to 20 levels are one feature each, with one more for levels that appear later. More levels are
      hashed.
    - *text*: strings with several words, or a column with the name text. Words are hashed, those of each column
      apart from those of others.
    - *date*: as year, month, weekday and, if there are times, hour.
    - *left out*: ids, and columns with only one value.

    Parameters
    ----------
    source : str, os.PathLike or data frame
        The path of a CSV, TSV, JSON lines or Parquet file (text also with gzip), "-" for standard input, or a data
        frame of pandas, polars or pyarrow. A pipe can be read only once.
    format : {"csv", "tsv", "jsonl", "parquet"} or None, default: None
        Format of the file. None means that the extension decides.
    y : array-like or None, default: None
        The labels of a data frame, if they are not in one of its columns.
    label : str, False or None, default: None
        The column with the label. None means the first one with the name label, y, class or target, in upper or
        lower case. False means rows without labels.
    text, categories, numbers : iterable of str, default: ()
        Columns of a kind that you know better. What is not a number in `numbers` is missing.
    drop : iterable of str, default: ()
        Columns to leave out.
    bits : int, default: 20
        Words and categories with many levels are hashed into 2**bits columns.
    pairs : bool, default: False
        Whether each two neighbouring words of a text are also a feature.
    delimiter : str or None, default: None
        What separates the cells of a CSV file. None means that the header decides: a comma, or else a semicolon,
        tab or vertical bar.
    chunk_rows : int, default: 2048
        Number of rows per chunk. It does not change the rows.
    shuffle : bool, default: False
        Whether to load all rows into memory and give them in random order.
    random_state : int or None, default: None
        Decides the order if `shuffle` is True.

    Returns
    -------
    stream : TypedTable
        A stream. Its rows are arrays, a sparse matrix if all columns are hashed, or `MixedRows` if only some are.

    Raises
    ------
    askance.errors.DataError
        If the source or an option cannot be used.

    Examples
    --------
    >>> import pandas
    >>> from askance.data import read_table
    >>> frame = pandas.DataFrame({"age": [31, None, 45], "city": ["Rome", "Oslo", "Rome"], "label": [0, 1, 1]})
    >>> table = read_table(frame)
    >>> table.described()
    '1 number, 1 category'
    >>> next(iter(table)).X.tolist()
    [[31.0, 0.0, 0.0, 1.0, 0.0], [31.0, 1.0, 1.0, 0.0, 0.0], [45.0, 0.0, 0.0, 1.0, 0.0]]
    """
    check_chunk_rows(chunk_rows)
    check_bits(bits)
    row_order(0, shuffle, random_state)  # refuses what cannot be used
    given = {
        TEXT: several_names("text", text),
        CATEGORY: several_names("categories", categories),
        NUMBER: several_names("numbers", numbers),
    }
    recipe = Recipe(False if y is not None else label, False, drop=several_names("drop", drop))
    table = raw_table(source, format, delimiter)
    head = first_rows(table, HEAD_ROWS + 1)
    complete = head.rows <= HEAD_ROWS
    names = list(head.columns)
    fields = recipe.fields(names, lambda _name: True, table.place)
    kinds = _given_kinds(given, recipe.drop, names, table.place)
    if y is not None and not isinstance(table, FrameTable):
        raise DataError("y is for data frames: name the column of a file with label=", parameter="label")
    first = {name: values[:HEAD_ROWS] for name, values in head.columns.items()}
    columns = infer(
        first, kinds, complete=complete, features=[name for name in names if name not in fields.left_out]
    )
    plan = TablePlan(columns, bits, pairs)
    if not plan.dense and not plan.sparse:
        raise DataError(f"{table.place}: no feature columns are left of {listed(names)}: check label and drop")
    labels = label_plan(table, head, fields.label, y)
    return TypedTable(table, plan, labels, RunningMeans(plan), chunk_rows, shuffle, random_state)


def is_table(source: Any, named: str | None) -> bool:
    """Whether `read_table` can read a source, by its type or format."""
    if is_pipe(source):
        return pipe_format(source, named) in TABLE_FORMATS
    if isinstance(source, str | PathLike):
        return format_of(existing_file(source), named) in TABLE_FORMATS
    return is_frame(source)


def raw_table(source: Any, named: str | None, delimiter: str | None, *, prompt: bool = False) -> RawTable:
    """The columns of a file, pipe or frame. With `prompt`, the rows of a pipe come as they arrive, only once."""
    if not isinstance(source, str | PathLike):
        frame = as_frame(source)
        if not len(frame):
            raise DataError("data frame: has no rows: give at least one")
        return FrameTable(frame)
    file = None
    if is_pipe(source):
        path, kind, file = INPUT_NAME, pipe_format(source, named), opened_pipe(source)
    else:
        path = existing_file(source)
        kind = format_of(path, named)
    if delimiter is not None and kind not in ("csv", "tsv"):
        raise DataError(f"delimiter has no effect for {kind}: leave it out")
    table: RawTable | None = None
    match kind:
        case "csv":
            table = CsvTable(path, delimiter, file=file, prompt=prompt)
        case "tsv":
            table = CsvTable(path, delimiter or "\t", file=file, prompt=prompt)
        case "jsonl":
            table = JsonTable(path, file=file, prompt=prompt)
        case "parquet":
            table = ParquetTable(path)
    if table is not None:
        return OnceTable(table) if file is not None and not prompt else table
    raise DataError(f"{path}: {kind} has no columns of different kinds: read it with askance.data.read")


def _given_kinds(
    given: dict[str, tuple[str, ...]], drop: tuple[str, ...], names: list[str], place: str
) -> dict[str, str]:
    """The kinds of columns that were given; each must exist and have only one."""
    options = {TEXT: "text", CATEGORY: "categories", NUMBER: "numbers"}
    kinds: dict[str, str] = {}
    for name in drop:
        if name not in names:
            raise DataError(
                f"{place}: no column {shown(name)} to drop; there are {listed(names)}", parameter="drop"
            )
    for kind, chosen in given.items():
        for name in chosen:
            if name not in names:
                raise DataError(
                    f"{place}: no column {shown(name)}; there are {listed(names)}: check {options[kind]}=",
                    parameter=options[kind],
                )
            if name in kinds or name in drop:
                raise DataError(f"{place}: column {shown(name)} has two roles: give it only one")
            kinds[name] = kind
    return kinds


def label_plan(table: RawTable, head: RawBatch, column: str | None, y: Any) -> LabelPlan:
    """Where the labels of a table are, and of which kind."""
    if y is not None and isinstance(table, FrameTable):
        return LabelPlan(None, array=as_labels(y, len(table.frame), table.name))
    if column is None:
        return LabelPlan(None)
    values = head.columns[column]
    if table.has_cells:
        return LabelPlan(column, "number" if are_numbers(values[:HEAD_ROWS]) else "string")
    return LabelPlan(column, label_kind(_as_list(values[:1])[0], head.where(0)))


def _as_list(values: RawColumn) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def simplest(rows: MixedRows) -> Any:
    """One of the two parts, if the other has no columns."""
    if not rows.sparse.shape[1]:
        return rows.dense
    return rows if rows.dense.shape[1] else rows.sparse
