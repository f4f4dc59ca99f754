"""`read_table`: columns of different kinds as rows, each in the way that suits its kind."""

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.arrays import parts, row_order
from askance.data.cells import RawColumn, is_missing, moment_of, number_of
from askance.data.encoding import RunningMeans, TablePlan
from askance.data.files import INPUT_NAME, existing_file, is_pipe, listed, opened_pipe, shown
from askance.data.guesses import with_guesses
from askance.data.hashing import check_bits
from askance.data.kinds import (
    CATEGORY,
    DATE,
    LEFT_OUT,
    NUMBER,
    TEXT,
    ColumnPlan,
    NearlyNumbers,
    described,
    infer,
    most_fitting,
    nearly_numbers,
)
from askance.data.labels import as_labels, label_array, label_kind
from askance.data.later_labels import LaterLabels, Matches, Unmatched, id_of, later_labels
from askance.data.memory_tables import WholeTable, is_in_memory, memory_table
from askance.data.mixed import MixedRows, as_matrix, joined_rows, take_rows
from askance.data.raw_tables import (
    CsvTable,
    JsonTable,
    OnceTable,
    ParquetTable,
    RawBatch,
    RawTable,
    ReferenceTable,
    SheetTable,
    first_rows,
)
from askance.data.reading import check_chunk_rows, format_of, pipe_format
from askance.data.recipe import Recipe, several_names
from askance.data.stacking import stacked
from askance.data.stream import Chunk
from askance.data.tables import HEAD_ROWS, kind_of_labels, label_of
from askance.errors import DataError
from askance.typing import IntArray

TABLE_FORMATS = ("csv", "tsv", "jsonl", "parquet", "xlsx", "ris", "nbib")


@dataclass(frozen=True)
class LabelPlan:
    """Where labels are: in a column, in an array, in another table, or nowhere."""

    column: str | None
    kind: str = ""
    array: NDArray[Any] | None = field(default=None, compare=False)
    later: LaterLabels | None = field(default=None, compare=False)


class _Part(NamedTuple):
    """Some rows with their labels and ids, before what is missing is filled in."""

    rows: MixedRows
    y: NDArray[Any] | None
    ids: NDArray[Any]
    progress: float


@dataclass(eq=False)
class TypedTable:
    """A table as a stream, as `read_table` makes it.

    Attributes
    ----------
    plan : TablePlan
        The kinds of columns, and how they become rows.
    before, after : RunningMeans
        The means of numbers before the first row, and after the last row that was read.
    id : str or None
        The column that identifies rows; None means that their numbers do.
    nearly : tuple of NearlyNumbers
        The columns that would be numbers but for a few words.
    unmatched : Unmatched or None
        The rows and labels of the last reading that did not find each other, if labels are in another table.
    """

    table: RawTable
    plan: TablePlan
    labels: LabelPlan
    before: RunningMeans
    chunk_rows: int
    shuffle: bool = False
    random_state: int | None = None
    id: str | None = None
    nearly: tuple[NearlyNumbers, ...] = ()
    after: RunningMeans = field(init=False)
    unmatched: Unmatched | None = field(init=False, default=None)

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
        for rows, y, ids, progress in self._shuffled() if self.shuffle else self._encoded():
            found = simplest(MixedRows(means.fill(rows.dense), rows.sparse))
            self.after = means
            yield Chunk(found, y, progress, ids)

    def labels_only(self) -> Iterator[Chunk]:
        """The chunks without features, which is faster."""
        for batch, first, ids, kept in self._batches():
            y = self._labels(batch, first, ids[kept])
            yield Chunk(np.empty((len(kept), 0)), y, batch.progress, ids[kept])

    def _encoded(self) -> Iterator[_Part]:
        for batch, first, ids, kept in self._batches():
            rows = self.plan.encode(batch.columns, batch.rows, batch.where)
            y = self._labels(batch, first, ids[kept])
            yield _Part(rows if len(kept) == batch.rows else take_rows(rows, kept), y, ids[kept], batch.progress)

    def _batches(self) -> Iterator[tuple[RawBatch, int, NDArray[Any], IntArray]]:
        """The batches, their first row, the ids of their rows, and which rows to keep: if labels are in another
        table, those that have one.
        """
        given, matches = 0, None if self.labels.later is None else Matches(self.labels.later)
        for batch in self.table.batches(self.chunk_rows):
            ids = self._ids(batch, given)
            kept = np.arange(batch.rows) if matches is None else matches.labelled(ids)
            if len(kept):
                yield batch, given, ids, kept
            given += batch.rows
        if matches is not None:
            self.unmatched = matches.unmatched(self.table.place)

    def _shuffled(self) -> Iterator[_Part]:
        """All rows in random order. What is missing is filled in later, with the means in the new order."""
        every = list(self._encoded())
        rows, ids = joined_rows([part.rows for part in every]), np.concatenate([part.ids for part in every])
        y = None if every[0].y is None else np.concatenate([part.y for part in every if part.y is not None])
        count = rows.shape[0]
        for part, given in parts(count, self.chunk_rows, row_order(count, True, self.random_state)):
            yield _Part(take_rows(rows, part), None if y is None else y[part], ids[part], given / count)

    def _ids(self, batch: RawBatch, first: int) -> NDArray[Any]:
        """What identifies the rows of a batch, which begins with row `first`."""
        if self.id is None:
            return np.arange(first, first + batch.rows)
        return np.array([id_of(value) for value in batch.columns.get(self.id, [None] * batch.rows)], object)

    def _labels(self, batch: RawBatch, first: int, ids: NDArray[Any]) -> NDArray[Any] | None:
        if self.labels.later is not None:
            return self.labels.later.labels(ids)
        if self.labels.array is not None:
            return self.labels.array[first : first + batch.rows]
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
    dates: Iterable[str] = (),
    drop: Iterable[str] = (),
    labels: Any = None,
    id: str | None = None,  # noqa: A002 - the word that users expect
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
    - *guess*: columns such as `guesses.gpt-4o.label` and `guesses.gpt-4o.confidence`, with the answer of a machine
      and how confident it is. Each answer has features for whether it was given, its confidence and the tenth in
      which that lies. A guess may be missing.
    - *left out*: ids, and columns with only one value.

    Parameters
    ----------
    source : str, os.PathLike, data frame, list of dict or iterable
        The path of a CSV, TSV, JSON lines, Parquet, XLSX, RIS or nbib file (text also with gzip), "-" for standard
        input, a data frame of pandas, polars (also a lazy one) or pyarrow, a list of dictionaries, or an iterable
        of frames or such lists. A pipe and an iterator can be read only once. Of a workbook, the first sheet is
        read.
    format : {"csv", "tsv", "jsonl", "parquet", "xlsx", "ris", "nbib"} or None, default: None
        Format of the file. None means that the extension decides.
    y : array-like or None, default: None
        The labels of a data frame or list of dictionaries, if they are not in one of its columns.
    label : str, False or None, default: None
        The column with the label. None means the first one with the name label, y, class or target, in upper or
        lower case. False means rows without labels.
    text, categories, numbers, dates : iterable of str, default: ()
        Columns of a kind that you know better. What is not a number in `numbers`, or not a date in `dates`, is
        missing.
    drop : iterable of str, default: ()
        Columns to leave out.
    labels : str, os.PathLike, data frame or None, default: None
        Another table with the labels, because they came later: `label` is one of its columns. It has the column
        `id`, or else a column `row` with the numbers of rows, from 0. If there are several labels for a row, the
        last counts. Rows without a label are left out; `unmatched` of the stream counts them.
    id : str or None, default: None
        The column that identifies rows. It is not a feature. Chunks have its values as `ids`.
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
        DATE: several_names("dates", dates),
    }
    recipe = Recipe(
        False if y is not None or labels is not None else label, False, drop=several_names("drop", drop)
    )
    wanted = (label, id, *(name for names in given.values() for name in names), *recipe.drop)
    table = raw_table(source, format, delimiter, wanted=wanted)
    head = first_rows(table, HEAD_ROWS + 1)
    complete = head.rows <= HEAD_ROWS
    names = list(head.columns)
    _check_drop(recipe.drop, names, table.place)
    later = None if labels is None else later_source(table, source, labels, id, label, y)
    recipe = replace(recipe, drop=(*recipe.drop, *roles_apart(names, table.place, id, label, later)))
    kinds = _given_kinds(given, (*recipe.drop, recipe.label), names, table.place)
    fields = recipe.fields([name for name in names if name not in kinds], lambda _name: True, table.place)
    if y is not None and not isinstance(table, WholeTable):
        raise DataError("y is for tables in memory: name the column of a file with label=", parameter="label")
    first = {name: values[:HEAD_ROWS] for name, values in head.columns.items()}
    _check_values(kinds, first, table.place)
    columns = infer(
        first, kinds, complete=complete, features=[name for name in names if name not in fields.left_out]
    )
    columns = with_guesses(columns, first, kinds)
    nearly = nearly_numbers([column for column in columns if column.name not in kinds], first)
    if fields.label is None:  # a feature may have such a name by chance, so that the report should have it
        unused = [name for name in names if name in fields.left_out and name not in recipe.drop]
        columns += tuple(ColumnPlan(name, LEFT_OUT, reason="named as a label") for name in unused)
    plan = TablePlan(columns, bits, pairs)
    if not plan.dense and not plan.sparse:
        if head.rows == 1 and any(column.reason == "one value" for column in columns):
            raise DataError(f"{table.place}: has only one row, in which no column can vary: give more rows")
        raise DataError(f"{table.place}: no feature columns are left of {listed(names)}: check label and drop")
    where = LabelPlan(None, later=later) if later is not None else label_plan(table, head, fields.label, y)
    return TypedTable(table, plan, where, RunningMeans(plan), chunk_rows, shuffle, random_state, id, nearly)


def later_source(
    table: RawTable,
    source: Any,
    labels: Any,
    id_column: str | None,
    label: str | Literal[False] | None,
    y: Any = None,
) -> LaterLabels:
    """The labels of a table that are in another one; raises DataError if both cannot be used together."""
    if y is not None or label is False:
        raise DataError(
            "labels has no effect with y or with label=False: give only one of them", parameter="labels"
        )
    if is_pipe(source) and is_pipe(labels):
        raise DataError(f"{table.place}: rows and labels cannot both come from one pipe: save one to a file")
    return later_labels(raw_table(labels, None, None), id_column, label)


def roles_apart(
    names: list[str], place: str, id_column: str | None, label: Any, later: LaterLabels | None
) -> list[str]:
    """The columns that are not features because they identify rows, or have the label that is elsewhere."""
    if id_column is not None and id_column not in names:
        raise DataError(
            f"{place}: no column {shown(id_column)} that identifies rows; there are {listed(names)}: check id=",
            parameter="id",
        )
    apart = [] if id_column is None else [id_column]
    return [*apart, label] if later is not None and label in names else apart


def scaled_matrix(table: TypedTable) -> Any:
    """All rows of a table as one matrix, with standardised numbers and words weighted by how rare they are."""
    from askance.data.scaling import TableScales  # imports scikit-learn, which reading does not need

    scales, chunks = TableScales(), list(table)
    for chunk in chunks:
        scales.add(chunk.X)
    return stacked([as_matrix(scales.scaled(chunk.X)) for chunk in chunks])


def is_table(source: Any, named: str | None) -> bool:
    """Whether `read_table` can read a source, by its type or format."""
    if is_pipe(source):
        return pipe_format(source, named) in TABLE_FORMATS
    if isinstance(source, str | PathLike):
        return format_of(existing_file(source), named) in TABLE_FORMATS
    return is_in_memory(source)


def raw_table(
    source: Any,
    named: str | None,
    delimiter: str | None,
    *,
    prompt: bool = False,
    wanted: Iterable[Any] = (),
) -> RawTable:
    """The columns of a file, pipe or frame. With `prompt`, the rows of a pipe come as they arrive, only once.

    References have more tags than columns; those among the names that are `wanted` become columns too.
    """
    if not isinstance(source, str | PathLike):
        found = memory_table(source)
        return OnceTable(found) if isinstance(source, Iterator) else found
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
        case "xlsx":
            table = SheetTable(path)
        case "ris" | "nbib":
            table = ReferenceTable(path, kind, tuple(wanted), file=file, prompt=prompt)
    if table is not None:
        return OnceTable(table) if file is not None and not prompt else table
    raise DataError(f"{path}: {kind} has no columns of different kinds: read it with askance.data.read")


def _check_drop(drop: tuple[str, ...], names: list[str], place: str) -> None:
    for name in drop:
        if name not in names:
            raise DataError(
                f"{place}: no column {shown(name)} to drop; there are {listed(names)}", parameter="drop"
            )


def _given_kinds(
    given: dict[str, tuple[str, ...]], taken: tuple[Any, ...], names: list[str], place: str
) -> dict[str, str]:
    """The kinds of columns that were given; each must exist and have only one role. Those `taken` have another."""
    options = {TEXT: "text", CATEGORY: "categories", NUMBER: "numbers", DATE: "dates"}
    kinds: dict[str, str] = {}
    for kind, chosen in given.items():
        for name in chosen:
            if name not in names:
                raise DataError(
                    f"{place}: no column {shown(name)}; there are {listed(names)}: check {options[kind]}=",
                    parameter=options[kind],
                )
            if name in kinds or name in taken:
                raise DataError(f"{place}: column {shown(name)} has two roles: give it only one")
            kinds[name] = kind
    return kinds


def _check_values(kinds: Mapping[str, str], first: Mapping[str, RawColumn], place: str) -> None:
    """Raise DataError if nothing in a column is of the kind that was given: it would be missing in all rows."""
    examples = {NUMBER: "a number", DATE: "a date, such as 2024-02-03 14:30 or 31.12.2025"}
    for name, kind in kinds.items():
        known = [value for value in first[name] if not is_missing(value)]
        if kind in examples and known:
            read: Any = number_of if kind == NUMBER else moment_of
            notation = most_fitting(kind, known)
            if all(read(value, notation) is None for value in known):
                raise DataError(
                    f"{place}: column {shown(name)} has {shown(known[0])}, and nothing in its first rows is "
                    f"{examples[kind]}: check {kind}s=",
                    parameter=f"{kind}s",
                )


def label_plan(table: RawTable, head: RawBatch, column: str | None, y: Any) -> LabelPlan:
    """Where the labels of a table are, and of which kind."""
    if y is not None and isinstance(table, WholeTable):
        return LabelPlan(None, array=as_labels(y, len(table), table.name))
    if column is None:
        return LabelPlan(None)
    values = head.columns[column]
    if table.has_cells:
        return LabelPlan(column, kind_of_labels(_as_list(values[:HEAD_ROWS])))
    return LabelPlan(column, label_kind(_as_list(values[:1])[0], head.where(0)))


def _as_list(values: RawColumn) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def simplest(rows: MixedRows) -> Any:
    """One of the two parts, if the other has no columns."""
    if not rows.sparse.shape[1]:
        return rows.dense
    return rows if rows.dense.shape[1] else rows.sparse
