"""The ids of a column: whole numbers if all cells are, otherwise text."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.data.files import Where, shown
from askance.errors import DataError
from askance.typing import IntArray


class IdColumn:
    """A column of ids that is read in parts."""

    def __init__(self, role: str) -> None:
        self._role = role
        self._parts: list[IntArray | list[str]] = []

    def add(self, cells: list[str], where: Where) -> None:
        """Add cells; raises DataError if one is empty."""
        cells = list(map(str.strip, cells))
        if "" in cells:
            raise DataError(f"{where(cells.index(''))}: has no {self._role}: fix the row or leave it out")
        numbers = whole_numbers(cells)
        self._parts.append(cells if numbers is None else numbers)

    def ids(self) -> NDArray[Any]:
        """All ids. Text is stored as objects, so that one long id does not make all others as long."""
        if not any(isinstance(part, list) for part in self._parts):
            return np.concatenate([np.zeros(0, np.int64), *self._parts])
        texts: list[str] = []
        for part in self._parts:
            texts += part if isinstance(part, list) else map(str, part.tolist())
        array = np.empty(len(texts), object)
        array[:] = texts
        return array


def whole_numbers(cells: list[str]) -> IntArray | None:
    """The cells as numbers if each is written as in Python, else None: 007 and 7 are different ids."""
    try:
        numbers = list(map(int, cells))
        return np.array(numbers, np.int64) if list(map(str, numbers)) == cells else None
    except (ValueError, OverflowError):
        return None


def ids_of_array(values: NDArray[Any], role: str, where: Where) -> NDArray[Any]:
    """The ids in an array of any type."""
    if values.dtype.kind in "iu" and (not len(values) or int(values.max()) < 2**63):
        return values.astype(np.int64)
    if values.dtype.kind == "f":
        unfit = ~(np.abs(values) < 2**53) | (values != np.floor(values))
        if unfit.any():
            place = int(np.argmax(unfit))
            raise DataError(
                f"{where(place)}: {values[place]} is not a valid {role} id: ids are whole numbers or text"
            )
        return values.astype(np.int64)
    cells = values.tolist()
    for row, cell in enumerate(cells):
        if not isinstance(cell, str):
            raise DataError(f"{where(row)}: {shown(cell)} is not a valid {role} id: ids are whole numbers or text")
    column = IdColumn(role)
    column.add(cells, where)
    return column.ids()
