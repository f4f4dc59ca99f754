"""Labels that are in another table than their rows, because they came later."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.cells import is_missing, level_of
from askance.data.files import listed, shown
from askance.data.labels import label_array, label_kind
from askance.data.raw_tables import RawTable
from askance.data.recipe import Recipe
from askance.data.tables import kind_of_labels, label_of
from askance.errors import DataError
from askance.typing import IntArray

ROW = "row"  # the column with the numbers of rows, if rows have no ids
READ_TOGETHER = 8192


class Unmatched(NamedTuple):
    """The number of rows that have no label, and of labels that have no row."""

    rows: int
    labels: int


class LaterLabels(NamedTuple):
    """Labels by the ids of their rows."""

    place: str
    by_id: Mapping[str, Any]
    kind: str

    def labels(self, ids: NDArray[Any]) -> NDArray[Any]:
        """The labels of rows that have one."""
        values = [self.by_id[id_of(each)] for each in ids.tolist()]
        return label_array(values, self.kind, lambda row: f"{self.place}, the label of {shown(ids[row])}")


class Matches:
    """Counts which rows and labels find each other, in one reading."""

    def __init__(self, later: LaterLabels) -> None:
        self._later = later
        self._found: set[str] = set()
        self._rows = 0

    def labelled(self, ids: NDArray[Any]) -> IntArray:
        """The places of the rows that have a label."""
        named = [id_of(each) for each in ids.tolist()]
        kept = [place for place, each in enumerate(named) if each in self._later.by_id]
        self._found.update(named[place] for place in kept)
        self._rows += len(named) - len(kept)
        return np.array(kept, np.int64)

    def unmatched(self, place: str) -> Unmatched:
        """What is left over at the end; raises DataError if nothing has matched."""
        if not self._found:
            raise DataError(
                f"{place}: no row has a label in {self._later.place}: check that both identify rows in the same "
                "way, with id=",
                parameter="id",
            )
        return Unmatched(self._rows, len(self._later.by_id) - len(self._found))


def id_of(value: Any) -> str:
    """What identifies a row, as text: 17, 17.0 and "17" are the same."""
    text = "" if is_missing(value) else level_of(value)
    return text[:-2] if text.endswith(".0") and text[:-2].lstrip("-").isdigit() else text


def later_labels(table: RawTable, id_column: str | None, label: str | None) -> LaterLabels:
    """The labels in a table with the ids or the numbers of rows. Of several for one row, the last counts.

    A label may still be empty.
    """
    wanted = ROW if id_column is None else id_column
    ids: list[Any] = []
    values: list[Any] = []
    column = ""
    for batch in table.batches(READ_TOGETHER):
        if not column:
            names = list(batch.columns)
            if wanted not in names:
                what = "the numbers of rows, from 0" if id_column is None else "the ids of rows"
                raise DataError(
                    f"{table.place}: no column {shown(wanted)} with {what}; there are {listed(names)}: name the "
                    "column with id=",
                    parameter="id",
                )
            column = Recipe(label).fields(names, lambda _name: False, table.place).label or ""
        ids += list(batch.columns.get(wanted, [None] * batch.rows))
        found = batch.columns.get(column, [None] * batch.rows)
        values += found.tolist() if isinstance(found, np.ndarray) else list(found)
    return _by_id(table, ids, values)


def _by_id(table: RawTable, ids: list[Any], values: list[Any]) -> LaterLabels:
    kind = ""
    if table.has_cells:
        kind = kind_of_labels(values)
        values = [label_of(cell, kind) for cell in values]
    by_id = {
        id_of(one): label
        for one, label in zip(ids, values, strict=True)
        if label is not None and label == label and not is_missing(one)  # NaN is not equal to itself
    }
    if not by_id:
        raise DataError(f"{table.place}: has no labels: check how it was created")
    return LaterLabels(table.place, by_id, kind or label_kind(next(iter(by_id.values())), table.place))
