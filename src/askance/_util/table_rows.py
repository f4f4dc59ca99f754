"""Rows of results: one mapping per split, by column name."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = dict[str, Any]


def matching(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    """Return the rows with the wanted values, in the order of the splits."""
    own = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    return sorted(own, key=lambda row: row["split"])


def column(rows: Sequence[Row], what: str, **wanted: Any) -> NDArray[np.float64]:
    """Return a column of the rows with the wanted values, without those where it is None."""
    return np.array([row[what] for row in matching(rows, **wanted) if row[what] is not None], np.float64)


def kinds(rows: Sequence[Row], what: str) -> list[Any]:
    """Return the distinct values of a column, in order of appearance."""
    return list(dict.fromkeys(row[what] for row in rows))
