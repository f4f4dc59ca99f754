"""`read_multilabel`: a file whose rows carry several labels each."""

import json
from collections.abc import Callable, Collection
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askance.data.cells import is_missing
from askance.data.files import TextLines, existing_file, is_pipe, listed, shown
from askance.data.kinds import ColumnPlan
from askance.data.mixed import take_rows
from askance.data.raw_tables import RawTable, first_rows
from askance.data.reading import format_of
from askance.data.recipe import several_names
from askance.data.stacking import stacked
from askance.data.stream import Stream
from askance.data.tables import HEAD_ROWS
from askance.data.typed import raw_table, read_table
from askance.errors import DataError

CHUNK_ROWS = 2048
USUAL = ("labels", "label", "topics", "tags")
FIRST_ELEMENT = ".0"  # of a list of numbers, as readers name it


class MultiLabelRows(NamedTuple):
    """The rows of a file and the labels that each carries.

    Attributes
    ----------
    X : ndarray, csr_array or MixedRows
        The rows, as `read_table` makes them.
    Y : list of list of str
        The labels of each row.
    columns : tuple of ColumnPlan
        The columns that have become rows, with their kinds; empty for svmlight.
    stream : Stream
        The stream of rows that was read, for `add_reading`.
    """

    X: Any
    Y: list[list[str]]
    columns: tuple[ColumnPlan, ...]
    stream: Stream


def read_multilabel(
    source: Any,
    *,
    label: str | None = None,
    separator: str | None = None,
    format: str | None = None,  # noqa: A002 - the word that users expect
    zero_based: bool = False,
    shuffle: bool = False,
    random_state: int | None = None,
    **options: Any,
) -> MultiLabelRows:
    """Read a file whose rows carry several labels each into memory, for `askance.MultiLabelLearner`.

    Parameters
    ----------
    source : str, os.PathLike, data frame or list of dict
        A table, as for `read_table`, or a svmlight file with labels such as `1,3` at the beginning of lines.
    label : str, default=None
        The column with the labels: lists of texts or whole numbers; or cells with a JSON list, or with labels
        between separators.
        By default, a column labels, label, topics or tags.
    separator : str, default=None
        What separates the labels in a cell, such as "|". Without it, a cell is a JSON list or a single label.
    format : str, default=None
        The format of the file. By default, the file extension or the first bytes.
    zero_based : bool, default=False
        Whether the first column of a svmlight file is 0 instead of 1.
    shuffle : bool, default=False
        Whether rows come in random order.
    random_state : int, default=None
        Decides the order if `shuffle` is True. By default, it is a different one each time.
    **options
        Parameters of `read_table`, such as `text` and `drop`.

    Returns
    -------
    MultiLabelRows
        The rows and their labels.

    Raises
    ------
    askance.errors.DataError
        If there is no such column, or the file cannot be read.

    Examples
    --------
    >>> from askance.data import read_multilabel
    >>> rows = read_multilabel([{"words": 3, "tags": "a|b"}, {"words": 5, "tags": ""}], separator="|")
    >>> rows.Y
    [['a', 'b'], []]
    """
    if is_pipe(source):
        raise DataError("labels are read beside the rows, but a pipe can be read only once: save it to a file")
    if separator == "":
        raise DataError("the separator is empty: give the character between labels, such as |")
    if isinstance(source, str | Path) and format_of(existing_file(source), format) == "svmlight":
        _refuse("a svmlight file", {"label": label, "separator": separator, **options})
        rows = _of_svmlight(Path(source), zero_based=zero_based)
    else:
        _refuse("a table", {"zero_based": zero_based})
        rows = _of_table(source, label, separator, {"format": format, **options})
    if not shuffle:
        return rows
    order = np.random.default_rng(random_state).permutation(len(rows.Y))
    return rows._replace(X=take_rows(rows.X, order), Y=[rows.Y[row] for row in order])


def _of_table(source: Any, label: str | None, separator: str | None, options: dict[str, Any]) -> MultiLabelRows:
    table = raw_table(source, options["format"], options.get("delimiter"))
    name = _label_column(table, label)
    labels = _labels(table, name, separator)
    found = first_rows(table, HEAD_ROWS).columns
    own = [one for one in (name, *_elements(name, found)) if one in found]
    drop = several_names("drop", options.pop("drop", ()))
    stream = read_table(source, chunk_rows=CHUNK_ROWS, label=False, drop=[*drop, *own], **options)
    return MultiLabelRows(stacked([chunk.X for chunk in stream]), labels, stream.columns, stream)


def _label_column(table: RawTable, label: str | None) -> str:
    found = list(first_rows(table, HEAD_ROWS).columns)
    names = dict.fromkeys(name.removesuffix(FIRST_ELEMENT) for name in found)
    if label is None:
        usual = [name for name in names if name.lower() in USUAL]
        if not usual:
            raise DataError(f"{table.place}: no labels among {listed(found)}: name a column", parameter="label")
        return usual[0]
    if label not in names:
        raise DataError(f"{table.place}: no column {shown(label)}: there are {listed(found)}", parameter="label")
    return label


def _labels(table: RawTable, name: str, separator: str | None) -> list[list[str]]:
    """The labels of all rows of a table."""
    found: list[list[str]] = []
    for batch in table.batches(CHUNK_ROWS):
        values = batch.columns.get(name, [None] * batch.rows)
        elements = [batch.columns[one] for one in _elements(name, batch.columns)]
        where = batch.where
        for row, value in enumerate(values):
            given = [one[row] for one in elements if not is_missing(one[row])]
            found.append(labels_in(given or value, separator, partial(where, row)))
    return found


def _elements(name: str, columns: Collection[str]) -> list[str]:
    """The columns that readers make of lists with numbers, which features may be: one for each place."""
    return list(takewhile(lambda one: one in columns, (f"{name}.{place}" for place in count())))


def labels_in(value: Any, separator: str | None, place: Callable[[], str]) -> list[str]:
    """The labels in one cell, without those that occur twice; DataError with its place if it is wrong."""
    if isinstance(value, list | tuple | np.ndarray):
        parts = [str(part) for part in value if part is not None]
    elif is_missing(value):
        parts = []
    elif separator is not None:
        parts = str(value).split(separator)
    elif isinstance(value, str) and value.lstrip().startswith("["):
        parts = _of_json(value, place)
    else:
        parts = [str(value)]
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _of_json(cell: str, place: Callable[[], str]) -> list[str]:
    try:
        parts = json.loads(cell)
    except ValueError:
        raise DataError(f"{place()}: the labels {shown(cell)} are not a JSON list: fix the cell") from None
    if not all(isinstance(part, str | int) for part in parts):
        raise DataError(f"{place()}: the labels {shown(cell)} must be text or whole numbers: fix the cell")
    return [str(part) for part in parts]


def _of_svmlight(path: Path, *, zero_based: bool) -> MultiLabelRows:
    """Lines such as `1,3 5:0.1 8:1`; a line without labels begins with its first feature."""
    from askance.data.svmlight import read_svmlight  # imports the compiler, which no other format needs

    stream = read_svmlight(path, zero_based=zero_based, labels=False)
    X = stacked([chunk.X for chunk in stream])
    with TextLines(path) as text:
        words = [bare.split(None, 1)[0] for line in text if (bare := line.partition("#")[0].strip())]
    labels = [[] if ":" in word else labels_in(word, ",", lambda: str(path)) for word in words]
    return MultiLabelRows(X, labels, (), stream)


def _refuse(what: str, options: dict[str, Any]) -> None:
    for name, value in options.items():
        if value not in (None, False, (), []):
            raise DataError(f"{name} has no effect for {what}: leave it out")
