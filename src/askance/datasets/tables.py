"""Read tables without a header, as in the UCI repository."""

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.data.files import TextLines, existing_file, reason
from askance.datasets.entry import Table
from askance.errors import DataError

DELIMITER, MISSING = ",", "?"


class _Names(dict[str, int]):
    """The names in a column, numbered in the order in which they occur."""

    def __call__(self, cell: str) -> float:
        name = cell.strip()
        return np.nan if name == MISSING else float(self.setdefault(name, len(self)))


def read_table(path: Path, table: Table) -> tuple[sp.csr_array, NDArray[Any]]:
    """Read the rows and labels of a table; labels are numbers if all of them are, otherwise strings."""
    cells, names = _cells(existing_file(path), table)
    label = table.label % cells.shape[1]
    if not np.isfinite(cells[:, label]).all():
        raise DataError(f"{path}: a label is missing: fetch the file again")
    labels = np.array(list(names[label]), dtype=str)[cells[:, label].astype(np.int64)]
    columns = [
        _indicators(cells[:, column], names[column]) if column in table.categories else _numbers(cells[:, column])
        for column in range(cells.shape[1])
        if column != label
    ]
    X = sp.csr_array(np.column_stack(columns), dtype=np.float32)
    return X, labels.astype(np.float64) if all(map(str.isdecimal, names[label])) else labels


def _cells(path: Path, table: Table) -> tuple[NDArray[np.float64], dict[int, _Names]]:
    """All cells as numbers, and the names behind the numbers in columns of names."""
    with TextLines(path) as lines:
        rows = (line for line in lines if line.strip())
        first = next(rows, None)
        if first is None:
            raise DataError(f"{path}: has no rows: fetch it again")
        width = first.count(DELIMITER) + 1
        names = {column % width: _Names() for column in (table.label, *table.categories)}
        # Only tables with names have missing cells; the converter of a number would slow the others down.
        converters: dict[int | str, Callable[[str], float]] = {}
        if table.categories:
            converters.update((column, _number) for column in range(width))
        converters.update(names.items())
        try:
            cells = np.loadtxt(chain([first], rows), delimiter=DELIMITER, converters=converters, ndmin=2)
        except ValueError as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"{path}: is not a table of numbers ({reason(error)[:200]}): fetch it again"
            ) from error
    return cells, names


def _number(cell: str) -> float:
    return np.nan if cell.strip() == MISSING else float(cell)


def _numbers(column: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isnan(column), np.nanmedian(column), column)


def _indicators(column: NDArray[np.float64], names: _Names) -> NDArray[np.float64]:
    """One column per name, in alphabetical order; all zeros where it is missing."""
    return np.column_stack([column == names[name] for name in sorted(names)]).astype(np.float64)
