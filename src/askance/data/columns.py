"""Rows from columns: the rules that CSV, Parquet and data frames share.

If every feature column is numeric, rows are dense, in the order of the columns. Otherwise rows are hashed records.
If there is a text column, no other column is used.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from askance.data.files import Where, check_names, listed, shown
from askance.data.hashing import hash_texts, record_rows
from askance.data.recipe import Fields, Recipe
from askance.data.stream import Features
from askance.data.values import first_unfit, unfit
from askance.errors import DataError
from askance.typing import FloatArray

Column = FloatArray | list[Any]
"""Numbers with 0 for missing values, or other values with None for missing ones."""


def feature_names(names: list[str], fields: Fields, recipe: Recipe, place: str) -> list[str]:
    """The columns that become features."""
    check_names(names, place)
    if unknown := [name for name in (*recipe.categories, *recipe.drop) if name not in names]:
        raise DataError(f"{place}: no column {shown(unknown[0])} to drop or use as categories: check its name")
    if fields.text is not None:
        return [fields.text]
    chosen = [name for name in names if name not in fields.left_out]
    if not chosen:
        raise DataError(f"{place}: no feature columns are left of {listed(names)}: check label and drop")
    if "" in chosen:
        # Most often the row numbers that pandas writes, which must not be learned from.
        raise DataError(
            f"{place}: column {names.index('') + 1} has no name: name it, or pass drop=['']", parameter="drop"
        )
    return chosen


def column_rows(columns: Mapping[str, Column], fields: Fields, recipe: Recipe, where: Where) -> Features:
    """The rows of these feature columns."""
    if fields.text is not None:
        texts = ["" if text is None else str(text) for text in columns[fields.text]]
        return hash_texts(texts, recipe.bits, pairs=recipe.pairs, dtype=recipe.dtype)
    numeric = {name: column for name, column in columns.items() if isinstance(column, np.ndarray)}
    for name, column in numeric.items():
        if (row := first_unfit(column, recipe.dtype)) is not None:
            raise DataError(f"{where(row)}, column {shown(name)}: {unfit(float(column[row]), recipe.dtype)}")
    if len(numeric) == len(columns):
        return np.column_stack([column.astype(recipe.dtype) for column in numeric.values()])
    cells = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns.values()]
    records = (dict(zip(columns, row, strict=True)) for row in zip(*cells, strict=True))
    return record_rows(records, recipe.bits, recipe.dtype, where)
