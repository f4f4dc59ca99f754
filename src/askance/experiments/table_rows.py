"""Rows of results: what was found on one split, by the names of columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = dict[str, Any]


def matching(rows: Sequence[Row], **wanted: Any) -> list[Row]:
    """The rows that are as wanted, in the order of the splits."""
    own = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    return sorted(own, key=lambda row: row["split"])


def column(rows: Sequence[Row], what: str, **wanted: Any) -> NDArray[np.float64]:
    """A column of the rows that are as wanted, without those where it was not measured; of none, nothing."""
    return np.array([row[what] for row in matching(rows, **wanted) if row[what] is not None], np.float64)


def kinds(rows: Sequence[Row], what: str) -> list[Any]:
    """The different values of a column, in the order in which they come."""
    return list(dict.fromkeys(row[what] for row in rows))
