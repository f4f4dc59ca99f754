"""`read_for_model`: the next file, read as the file was that a model has learned from."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from askance._util.atomic_write import write_whole
from askance._util.sealed_file import PLAN, RECIPE, header_of, with_more
from askance._util.sealed_file import read as read_bytes
from askance.data.cells import RawColumn
from askance.data.encoding import RunningMeans
from askance.data.files import is_pipe, listed, opened_pipe, shown
from askance.data.kinds import LEFT_OUT
from askance.data.labels import label_array, label_kind
from askance.data.mixed import MATRIX, MIXED, MixedRows, as_matrix
from askance.data.raw_tables import RawBatch, RawTable
from askance.data.reading import check_chunk_rows, read
from askance.data.recipe import Recipe, several_names
from askance.data.saved_plans import means_of, saved_means, saved_plan
from askance.data.saved_recipes import ROWS, recipe_encoder, saved_recipe
from askance.data.stream import Chunk, Stream
from askance.data.tables import label_of
from askance.data.typed import TypedTable, is_table, raw_table, simplest
from askance.errors import DataError, ModelFileError

CHUNK_ROWS = 2048
OTHER_KIND = ", as the model has learned it: fix it, or empty the cell"


class Portion(NamedTuple):
    """Some consecutive rows for a model: features, labels if they were wanted, and columns to keep as they are."""

    X: Any
    y: NDArray[Any] | None
    kept: dict[str, RawColumn]
    progress: float


class Encoder(Protocol):
    """How the columns of a table become rows for a model."""

    @property
    def label(self) -> str | None:
        """The column that had the label."""

    @property
    def needed(self) -> list[str]:
        """The columns that a table must have."""

    @property
    def takes_cells(self) -> bool:
        """Whether rows can come from text without types, as in a CSV file."""

    def rows(self, batch: RawBatch) -> Any:
        """The rows of a batch."""


class ModelRows(Protocol):
    """The rows of a file for a model, as a stream."""

    @property
    def name(self) -> str:
        """The name of the file."""

    def portions(self) -> Iterator[Portion]:
        """The rows with the columns to keep."""

    def __iter__(self) -> Iterator[Chunk]:
        """The rows as chunks."""


@dataclass(frozen=True, eq=False)
class PlanEncoder:
    """Rows by the kinds of columns. What is missing is the mean that the model has seen, whatever else is here."""

    means: RunningMeans
    label: str | None

    takes_cells = True

    @property
    def needed(self) -> list[str]:
        """The columns that a table must have."""
        return [column.name for column in self.means.plan.columns if column.kind != LEFT_OUT]

    def rows(self, batch: RawBatch) -> Any:
        """The rows of a batch."""
        rows = self.means.plan.encode(batch.columns, batch.rows, batch.where, OTHER_KIND)
        return simplest(MixedRows(self.means.filled(rows.dense), rows.sparse))


@dataclass(frozen=True, eq=False)
class TableRows:
    """The rows of a table for a model. `label` is the column of the labels; False means rows without them."""

    table: RawTable
    encoder: Encoder
    label: str | Literal[False] | None
    label_kind: str
    keep: tuple[str, ...]
    chunk_rows: int
    output: str = MIXED

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.table.name

    def __iter__(self) -> Iterator[Chunk]:
        return (Chunk(portion.X, portion.y, portion.progress) for portion in self.portions())

    def portions(self) -> Iterator[Portion]:
        """The rows with the columns to keep."""
        label, kind, is_first = None, "", True
        for batch in self.table.batches(self.chunk_rows):
            self._check_columns(batch, is_first=is_first)
            if is_first:
                label, is_first = self._found_label(batch), False
            y = None
            if label is not None:
                values = self._label_values(batch, label)
                kind = kind or label_kind(values[0], batch.where(0))
                y = label_array(values, kind, batch.where)
            kept = {name: batch.columns.get(name, [None] * batch.rows) for name in self.keep}
            rows = self.encoder.rows(batch)
            yield Portion(as_matrix(rows) if self.output == MATRIX else rows, y, kept, batch.progress)
        if is_first:
            raise DataError(f"{self.table.place}: has no rows: check how it was created")

    def _check_columns(self, batch: RawBatch, *, is_first: bool) -> None:
        """Raise DataError if a column is missing.

        Objects may leave out what they do not have, but if the first ones leave out all of it, it is another file.
        """
        place, names, needed = batch.place or self.table.place, list(batch.columns), self.encoder.needed
        missing = [name for name in needed if name not in names]
        is_json = batch.has_objects
        if is_json and is_first and missing and len(missing) == len(needed):
            raise DataError(
                f"{place}: has none of the fields that the model has learned from, {listed(missing)}; "
                f"there are {listed(names)}"
            )
        if missing and not is_json:
            raise DataError(
                f"{place}: no column {shown(missing[0])}, which the model has learned from; "
                f"there are {listed(names)}"
            )
        for name in self.keep:
            if name not in names and not is_json:
                raise DataError(
                    f"{place}: no column {shown(name)} to keep; there are {listed(names)}", parameter="keep"
                )

    def _found_label(self, first: RawBatch) -> str | None:
        """The column of the label; None if rows have none."""
        if self.label is False:
            return None
        recipe = Recipe(self.label or self.encoder.label)
        return recipe.fields(list(first.columns), lambda _name: False, self.table.place).label

    def _label_values(self, batch: RawBatch, label: str) -> list[Any]:
        values: Any = batch.columns.get(label, [None] * batch.rows)
        values = values.tolist() if isinstance(values, np.ndarray) else list(values)
        return [label_of(cell, self.label_kind) for cell in values] if self.table.has_cells else values


@dataclass(frozen=True, eq=False)
class MatrixRows:
    """Rows of numbered features for a model."""

    stream: Stream

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.stream.name

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self.stream)

    def portions(self) -> Iterator[Portion]:
        """The rows; there are no columns to keep."""
        return (Portion(chunk.X, chunk.y, {}, chunk.progress) for chunk in self.stream)


def read_for_model(
    model: str | os.PathLike[str],
    source: Any,
    *,
    format: str | None = None,  # noqa: A002 - as in `read`
    label: str | Literal[False] | None = False,
    keep: Iterable[str] = (),
    delimiter: str | None = None,
    chunk_rows: int = CHUNK_ROWS,
    output: str = MIXED,
) -> ModelRows:
    """Read a file as the file was read that a saved model has learned from.

    `askance run --save` writes into the model file which columns there were, and what became of each. A missing
    number is the mean of those that the model has seen. Rows do not depend on other rows of the file.

    Parameters
    ----------
    model : str or os.PathLike
        The model file.
    source : str, os.PathLike, data frame, list of dict or iterable
        A file of any format that `read` or `read_table` takes, a data frame of pandas, polars or pyarrow, a list
        of dictionaries, or an iterable of frames or such lists. "-" is standard input; the rows of a pipe come as
        they arrive.
    format : {"svmlight", "csv", "tsv", "jsonl", "parquet", "xlsx", "ris", "nbib", "npz"} or None, default: None
        Format of the file. None means that the extension decides.
    label : str, False or None, default: False
        The column with the labels. None means the one that the model has learned from. False means rows without
        labels.
    keep : iterable of str, default: ()
        Columns that `portions` returns beside the rows.
    delimiter : str or None, default: None
        What separates the cells of a CSV file. None means that the header decides.
    chunk_rows : int, default: 2048
        Number of rows per chunk.
    output : {"mixed", "matrix"}, default: "mixed"
        What rows with both numbers and words are: `MixedRows`, as `AutoLearner` takes them, or one sparse matrix,
        for an exported model of scikit-learn.

    Returns
    -------
    stream : ModelRows
        A stream of chunks for `predict`.

    Raises
    ------
    askance.errors.DataError
        If the source does not have what the model has learned from.
    askance.errors.ModelFileError
        If the model file is damaged, or does not hold how its table was read.

    Examples
    --------
    >>> import tempfile
    >>> import pandas
    >>> from askance import AutoLearner
    >>> from askance.data import add_reading, read_for_model, read_table
    >>> frame = pandas.DataFrame({"age": [31, 24, 45] * 12, "city": ["Rome", "Oslo"] * 18, "label": [0, 1] * 18})
    >>> table, learner = read_table(frame), AutoLearner()
    >>> for chunk in table:
    ...     _ = learner.run(chunk.X, chunk.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     learner.save(f"{folder}/customers.model")
    ...     add_reading(f"{folder}/customers.model", table)
    ...     new = read_for_model(f"{folder}/customers.model", pandas.DataFrame({"city": ["Rome"], "age": [None]}))
    >>> learner.predict(new).tolist()
    [0]
    """
    check_chunk_rows(chunk_rows)
    if output not in (MIXED, MATRIX):
        raise DataError(f"output={shown(output)}: give {MIXED!r} or {MATRIX!r}", parameter="output")
    keep = several_names("keep", keep)
    try:
        header = header_of(read_bytes(model))
        encoder = _encoder(header)
    except ModelFileError as error:
        raise error if str(error).startswith(str(model)) else ModelFileError(f"{model} {error}") from None
    is_file = isinstance(source, str | os.PathLike)
    if not is_file or is_table(source, format):
        if encoder is None:
            raise DataError(_no_columns(model, header, source if is_file else "data frame"))
        table = _table(source, encoder, format, delimiter, (encoder.label if label is None else label, *keep))
        return TableRows(table, encoder, label, _label_kind(header), keep, chunk_rows, output)
    if encoder is not None:
        raise DataError(_not_numbered(source, encoder))
    if keep:
        raise DataError(f"{source}: has no columns with names: keep has no effect", parameter="keep")
    return _matrix_rows(header, source, format, label, chunk_rows)


def rows_as_known(known: Mapping[str, Any], source: Any) -> ModelRows:
    """The rows of a source for a learner that knows how its own were read, without labels."""
    if isinstance(source, str | os.PathLike) and not is_table(source, None) and _encoder(known) is None:
        return _matrix_rows(known, source, None, False, CHUNK_ROWS)
    return table_as_known(known, source)


def table_as_known(
    known: Mapping[str, Any],
    source: Any,
    label: Literal[False] | None = False,
    label_kind: str = "",
    keep: tuple[str, ...] = (),
) -> TableRows:
    """The rows of a table for a model that knows how its own was read; see `read_for_model`."""
    encoder = _encoder(known)
    if encoder is None:
        raise DataError(_no_columns("the model", known, source if isinstance(source, str) else "data frame"))
    if isinstance(source, str | os.PathLike) and not is_table(source, None):
        raise DataError(_not_numbered(source, encoder))
    return TableRows(_table(source, encoder, None, None), encoder, label, label_kind, keep, CHUNK_ROWS)


def _table(
    source: Any,
    encoder: Encoder,
    named: str | None,
    delimiter: str | None,
    wanted: tuple[Any, ...] = (),
) -> RawTable:
    table = raw_table(source, named, delimiter, prompt=True, wanted=(*encoder.needed, *wanted))
    if table.has_cells and not encoder.takes_cells:
        raise DataError(f"{table.place}: the model has learned from objects in JSON lines: give JSON lines")
    return table


def add_reading(model: str | os.PathLike[str], stream: Any) -> None:
    """Add to a model file how the stream was read that the model has learned from, for `read_for_model`.

    Parameters
    ----------
    model : str or os.PathLike
        The model file, which is replaced.
    stream : Stream or TableEncoder
        A stream of `read` or `read_table` that has been read, or an encoder that made the rows.

    Raises
    ------
    askance.errors.ModelFileError
        If the file is not a model.

    Examples
    --------
    >>> import tempfile, askance
    >>> from askance.data import add_reading
    >>> from sklearn.datasets import load_iris
    >>> stream = askance.data.read(*load_iris(return_X_y=True)[:1], y=load_iris().target)
    >>> learner = askance.make("MPA-II")
    >>> trace = learner.run(stream)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     learner.save(f"{folder}/iris.model")
    ...     add_reading(f"{folder}/iris.model", stream)
    """
    if hasattr(stream, "transform"):
        more = {PLAN: _plan_of(stream)}
    else:
        more = {PLAN: saved_plan(stream)} if isinstance(stream, TypedTable) else {RECIPE: saved_recipe(stream)}
    try:
        write_whole(model, with_more(read_bytes(model), more))
    except ModelFileError as error:
        raise error if str(error).startswith(str(model)) else ModelFileError(f"{model} {error}") from None


def _plan_of(encoder: Any) -> dict[str, Any]:
    """What a model file holds of a `TableEncoder`, which is imported after this module."""
    if encoder.output != "mixed" or encoder.scaled:
        raise DataError(
            "a model file holds rows as read_table makes them: fit the learner on those of a TableEncoder with "
            "output='mixed' and scaled=False"
        )
    return saved_means(encoder.means_, None)


def _encoder(header: Mapping[str, Any]) -> Encoder | None:
    """How the model has read columns; None if it has learned from numbered features, or does not say."""
    if PLAN in header:
        return PlanEncoder(means_of(header[PLAN]), header[PLAN].get("label"))
    saved = header.get(RECIPE, {"from": ROWS})
    if not isinstance(saved, dict):
        raise ModelFileError("holds a way of reading that does not exist")
    return None if saved.get("from") == ROWS else recipe_encoder(saved)


def _not_numbered(source: Any, encoder: Encoder) -> str:
    return (
        f"{source}: the model has learned from columns, such as {listed(encoder.needed[:3])}: "
        "give CSV, TSV, JSON lines or Parquet"
    )


def _no_columns(model: Any, header: Mapping[str, Any], source: Any) -> str:
    if RECIPE in header:
        return f"{source}: the model has learned from numbered features: give svmlight or npz"
    return (
        f"{source}: {model} does not say how its table was read: save the model with askance run --save, or add "
        "it with askance.data.add_reading"
    )


def _label_kind(header: dict[str, Any]) -> str:
    """The kind of labels in text without types: that of the classes of the model."""
    kind = np.dtype(header["observed"]["dtype"]).kind if "observed" in header else ""
    return "" if not kind else "number" if kind in "iuf" else "string"


def _matrix_rows(
    header: Mapping[str, Any], source: Any, named: str | None, label: str | Literal[False] | None, chunk_rows: int
) -> MatrixRows:
    zero_based = bool(header.get(RECIPE, {}).get("zero_based", False))
    more: dict[str, Any] = {"zero_based": True} if zero_based else {}
    dtype = header.get("dtype", "float64")
    if is_pipe(source):
        from askance.data.svmlight import read_svmlight  # imports the compiler, which no other format needs

        pipe, labels = opened_pipe(source), label is not False
        return MatrixRows(read_svmlight(pipe, dtype=dtype, zero_based=zero_based, prompt=True, labels=labels))
    return MatrixRows(read(source, format=named, label=label, dtype=dtype, chunk_rows=chunk_rows, **more))
