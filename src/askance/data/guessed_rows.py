"""`read_guesses`: a table with the guesses of machines apart from its rows, for `askance.OracleLearner`."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.cells import is_missing, level_of
from askance.data.files import is_pipe, listed, shown
from askance.data.guesses import ANSWER, CONFIDENCE, PREFIX, confidence_name, confidences
from askance.data.kinds import ColumnPlan
from askance.data.raw_tables import RawTable, first_rows
from askance.data.recipe import several_names
from askance.data.stacking import stacked
from askance.data.tables import HEAD_ROWS
from askance.data.typed import raw_table, read_table
from askance.errors import DataError

CHUNK_ROWS = 2048


class GuessedRows(NamedTuple):
    """The rows of a table, their labels, and the guesses of machines.

    Attributes
    ----------
    X : ndarray, csr_array or MixedRows
        The rows, as `read_table` makes them.
    y : ndarray
        The labels.
    guesses : dict
        The answers and the confidences of each machine: an array of strings, with None where there is no answer,
        and an array of numbers, with NaN where there is none.
    columns : tuple of ColumnPlan
        The columns that have become rows, with their kinds.
    """

    X: Any
    y: NDArray[Any]
    guesses: dict[str, tuple[NDArray[Any], NDArray[np.float64]]]
    columns: tuple[ColumnPlan, ...]


def read_guesses(source: Any, names: Iterable[str] | None = None, **options: Any) -> GuessedRows:
    """Read a table into memory, with guesses of machines apart from its rows.

    A guess has a column such as `guesses.gpt-4o.label` or `guesses.gpt-4o`, and may have a column
    `guesses.gpt-4o.confidence` with numbers from 0 to 1.

    Parameters
    ----------
    source : str, os.PathLike, data frame or list of dict
        The table, as for `read_table`. A pipe is too short-lived.
    names : iterable of str, default=None
        The guesses, such as "gpt-4o". By default, all. Others are features of the rows.
    **options
        Parameters of `read_table`, such as `label` and `drop`. Labels are in the table, and rows have no ids.

    Returns
    -------
    GuessedRows
        The rows, their labels, and the guesses.

    Raises
    ------
    askance.errors.DataError
        If there is no such guess, or the table cannot be read.

    Examples
    --------
    >>> from askance.data import read_guesses
    >>> guess = {"gpt-4o": {"label": "rude", "confidence": 0.9}}
    >>> rows = read_guesses([{"words": 3, "label": "rude", "guesses": guess}, {"words": 5, "label": "fine"}])
    >>> rows.guesses["gpt-4o"][0].tolist(), rows.X.shape
    (['rude', None], (2, 1))
    """
    if is_pipe(source):
        raise DataError("guesses are read beside the rows, but a pipe can be read only once: save it to a file")
    table = raw_table(source, options.get("format"), options.get("delimiter"))
    found = list(first_rows(table, HEAD_ROWS).columns)
    columns = _answers(found)
    wanted = list(columns) if names is None else list(several_names("names", names))
    for name in wanted:
        if name not in columns:
            there = f"there are {listed(columns)}" if columns else f"no column begins with {PREFIX}"
            raise DataError(f"{table.place}: no guess {shown(name)}: {there}")
    answers = {name: columns[name] for name in wanted}
    apart = [part for answer in answers.values() for part in (answer, confidence_name(answer)) if part in found]
    drop = several_names("drop", options.pop("drop", ()))
    stream = read_table(source, drop=[*dict.fromkeys((*drop, *apart))], chunk_rows=CHUNK_ROWS, **options)
    chunks = list(stream)
    if chunks[0].y is None:
        raise DataError(f"{table.place}: rows without labels: nobody could answer", parameter="label")
    numbers = np.concatenate([chunk.ids for chunk in chunks])
    guesses = {name: _taken(values, numbers) for name, values in _read(table, answers).items()}
    y = np.concatenate([chunk.y for chunk in chunks])
    return GuessedRows(stacked([chunk.X for chunk in chunks]), y, guesses, stream.columns)


def _answers(names: list[str]) -> dict[str, str]:
    """The columns with the answers of machines, by the names of these."""
    columns = [name for name in names if name.startswith(PREFIX) and not name.endswith(CONFIDENCE)]
    return {name.removeprefix(PREFIX).removesuffix(ANSWER): name for name in columns}


def _read(table: RawTable, answers: dict[str, str]) -> dict[str, tuple[list[Any], list[Any]]]:
    found: dict[str, tuple[list[Any], list[Any]]] = {name: ([], []) for name in answers}
    for batch in table.batches(CHUNK_ROWS):
        for name, column in answers.items():
            values = batch.columns.get(column, [None] * batch.rows)
            found[name][0].extend(None if is_missing(value) else level_of(value) for value in values)
            found[name][1].extend(confidences(batch.columns, column, batch.rows))
    return found


def _taken(values: tuple[list[Any], list[Any]], numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """The guesses of rows with these numbers."""
    return np.array(values[0], object)[numbers], np.array(values[1], np.float64)[numbers]
