"""Tables of a fleet: keys from a column, and rows made as those of the first table were."""

import os
import warnings
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.sealed_file import PLAN
from askance.data.files import shown
from askance.data.later_labels import id_of
from askance.data.mixed import MixedRows, as_matrix
from askance.data.stacking import stacked
from askance.data.stream import is_stream
from askance.errors import DataError, ScaleWarning
from askance.learners.inputs import unlike_columns

HOW = "askance.data.read_table(source, id={})"
REMEDY = "scale these columns before, or make the rows with TableEncoder(output='matrix', scaled=True)"

Known = Mapping[str, Any]  # how a table was read, as in model files


class KeyedRows(NamedTuple):
    """Rows with their keys and labels. `known` says how the table was read; None if they are not from a table."""

    keys: Any
    X: Any
    y: Any
    known: Known | None = None


def keyed_rows(
    known: Known | None, keys: Any, X: Any, y: Any, *, classes: NDArray[Any], wants_labels: bool, is_blank: bool
) -> KeyedRows:
    """The rows of a table with their keys; other rows as they are. DataError if the fleet cannot read them.

    `is_blank` says that the fleet has no models yet, so that their rows may be those of any table.
    """
    if is_stream(X):
        return _of_stream(known, keys, X, y, wants_labels=wants_labels, is_blank=is_blank)
    is_file = isinstance(X, str | os.PathLike)
    if known is None:
        if is_file or isinstance(keys, str):
            what = f"{X}: " if is_file else ""
            column = shown(keys) if isinstance(keys, str) else "..."
            raise DataError(
                f"{what}this fleet has not learned from a table yet: give the first one as {HOW.format(column)}, "
                "or pass rows of features and one key per row"
            )
        return KeyedRows(keys, X, y)
    from askance.data.memory_tables import is_in_memory  # imports the readers, which few programs need

    if is_file or is_in_memory(X):
        return _as_known(known, keys, X, y, classes=classes, wants_labels=wants_labels)
    if isinstance(keys, str):
        raise DataError(f"these rows have no column {shown(keys)}: pass one key per row")
    return KeyedRows(keys, X, y)


def _of_stream(known: Known | None, keys: Any, X: Any, y: Any, *, wants_labels: bool, is_blank: bool) -> KeyedRows:
    """The rows of a table that was read with `read_table`."""
    from askance.data.saved_plans import means_of, saved_plan
    from askance.data.typed import TypedTable

    column = shown(keys) if isinstance(keys, str) else "..."
    if not isinstance(X, TypedTable) or X.id is None or keys != X.id:
        raise DataError(
            f"{X.name}: a fleet needs the name of the column with the keys, and a table that was read with it: "
            f"pass {column} and {HOW.format(column)}"
        )
    if known is None and not is_blank:
        raise DataError(
            f"{X.name}: this fleet has learned from rows that were not read as a table: pass such rows"
        )
    if known is not None and means_of(known[PLAN]).plan != X.plan:
        raise DataError(
            f"{X.name}: its columns were read in another way than those that the fleet has learned from: pass "
            "the file or the data frame itself, which is then read as before"
        )
    chunks = list(X)
    if not chunks:
        raise DataError(f"{X.name}: has no rows: check how it was created")
    found = _as_keys([one for chunk in chunks if chunk.ids is not None for one in chunk.ids], keys, X.name)
    if wants_labels and y is None and chunks[0].y is not None:
        y = np.concatenate([chunk.y for chunk in chunks if chunk.y is not None])
    if known is None and wants_labels:
        _warn_of_scales(chunks[0].X)
    rows = stacked([as_matrix(chunk.X) for chunk in chunks])
    return KeyedRows(found, rows, y, known or {PLAN: saved_plan(X)})


def _as_known(known: Known, keys: Any, X: Any, y: Any, *, classes: NDArray[Any], wants_labels: bool) -> KeyedRows:
    """The rows of another table, made as those that the fleet has learned from."""
    from askance.data.model_rows import table_as_known

    label: Literal[False] | None = None if wants_labels and y is None else False
    kind = "number" if classes.dtype.kind in "iuf" else "string"
    column = keys if isinstance(keys, str) else None
    table = table_as_known(known, X, label=label, label_kind=kind, keep=() if column is None else (column,))
    try:
        portions = list(table.portions())
    except DataError as error:
        if error.parameter == "keep":
            raise DataError(f"{table.table.place}: no column {shown(column)} with the keys") from None
        if error.parameter == "label":
            wanted = shown(table.encoder.label)
            raise DataError(
                f"{table.table.place}: no column {wanted} with the labels: add it, or pass y"
            ) from None
        raise
    if column is not None:
        keys = _as_keys([one for portion in portions for one in portion.kept[column]], column, table.name)
    if label is None:
        y = np.concatenate([portion.y for portion in portions if portion.y is not None])
    return KeyedRows(keys, stacked([as_matrix(portion.X) for portion in portions]), y, known)


def _as_keys(values: list[Any], column: str, place: str) -> list[str]:
    """The keys of a table, which are always text: a CSV file cannot tell the number 7 from the text."""
    keys = [id_of(value) for value in values]
    if "" in keys:
        raise DataError(
            f"{place}, row {keys.index('')} (from 0): has no key in the column {shown(column)}: fill it in, or "
            "leave the row out"
        )
    return keys


def _warn_of_scales(X: Any) -> None:
    """Warn if numbers in the first rows differ much in size: nothing scales them."""
    found = unlike_columns(X.dense if isinstance(X, MixedRows) else X, REMEDY)
    if found is not None:
        warnings.warn(found, ScaleWarning, stacklevel=5)
