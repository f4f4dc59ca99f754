"""Rows from the columns of a table, as planned: a dense part with NaN for what is missing, and a sparse part."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from askance.data.cells import AS_CATEGORY, RawColumn, is_missing, level_of, moment_of, numbers_of
from askance.data.files import Where, shown
from askance.data.guesses import guess_features, guess_levels
from askance.data.hashing import count_rows, name_checksum, word_checksums
from askance.data.kinds import CATEGORY, GUESS, NUMBER, TEXT, ColumnPlan
from askance.data.mixed import MixedRows
from askance.errors import DataError
from askance.typing import FloatArray, IntArray


class TablePlan(NamedTuple):
    """How the columns of a table become rows.

    Attributes
    ----------
    columns : tuple of ColumnPlan
        The columns, in the order of the table.
    bits : int
        Words and categories with many levels are hashed into 2**bits columns.
    pairs : bool
        Whether each two neighbouring words are also a feature.
    """

    columns: tuple[ColumnPlan, ...]
    bits: int
    pairs: bool

    @property
    def dense(self) -> list[ColumnPlan]:
        """The columns of the dense part."""
        return [column for column in self.columns if column.width]

    @property
    def sparse(self) -> list[ColumnPlan]:
        """The columns of the sparse part."""
        return [column for column in self.columns if column.is_sparse]

    def feature_names(self) -> list[str]:
        """The names of all features; hashed ones have only numbers."""
        names = [name for column in self.dense for name in column.feature_names]
        return names + [f"hashed {number}" for number in range(1 << self.bits if self.sparse else 0)]

    def encode(
        self, columns: Mapping[str, RawColumn], rows: int, where: Where, remedy: str = AS_CATEGORY
    ) -> MixedRows:
        """The rows of some values of all columns; a column that is not there is missing in all rows.

        `remedy` is what an error advises if a value is of another kind than the column.
        """
        absent = [None] * rows
        blocks = [
            guess_features(column, columns, rows)
            if column.kind == GUESS
            else _dense(column, columns.get(column.name, absent), where, remedy)
            for column in self.dense
        ]
        dense = np.concatenate(blocks, axis=1) if blocks else np.empty((rows, 0))
        found: list[tuple[ColumnPlan, RawColumn]] = [
            (
                column,
                guess_levels(column, columns, rows) if column.kind == GUESS else columns.get(column.name, absent),
            )
            for column in self.sparse
        ]
        width = 1 << self.bits if found else 0
        sparse = _hashed(found, self.bits, pairs=self.pairs) if found else sp.csr_array((rows, width))
        return MixedRows(dense, sparse)


class RunningMeans:
    """Fills in what is missing: with the mean of what came before in the stream, row by row.

    Sums are taken one row after the other, so that chunks change nothing.
    """

    def __init__(self, plan: TablePlan) -> None:
        self.plan = plan
        places: list[int] = []
        starts: list[float] = []
        at = 0
        for column in plan.dense:
            places += range(at, at + len(column.starts))
            starts += column.starts
            at += column.width
        self.places: IntArray = np.array(places, np.int64)
        self._starts: FloatArray = np.array(starts, np.float64)
        self.sums: FloatArray = np.zeros(len(places))
        self.counts: IntArray = np.zeros(len(places), np.int64)

    def fill(self, dense: FloatArray) -> FloatArray:
        """The same rows without NaN."""
        values = dense[:, self.places]
        known = ~np.isnan(values)
        sums = np.cumsum(np.vstack([self.sums, np.where(known, values, 0.0)]), axis=0)
        counts = np.cumsum(np.vstack([self.counts, known]), axis=0)
        means = np.where(counts, sums / np.maximum(counts, 1), self._starts)[:-1]
        self.sums, self.counts = sums[-1], counts[-1]
        dense[:, self.places] = np.where(known, values, means)
        return dense

    def filled(self, dense: FloatArray) -> FloatArray:
        """The same rows without NaN, each by itself: the means stay as they are."""
        means = np.where(self.counts, self.sums / np.maximum(self.counts, 1), self._starts)
        values = dense[:, self.places]
        dense[:, self.places] = np.where(np.isnan(values), means, values)
        return dense


def _dense(column: ColumnPlan, values: RawColumn, where: Where, remedy: str) -> FloatArray:
    if column.kind == CATEGORY:
        return _levels(column, values)
    if column.kind == NUMBER:
        numbers = numbers_of(
            values, column.name, where, lenient=column.lenient, remedy=remedy, notation=column.notation
        )
        found = numbers[:, np.newaxis]
    else:
        found = _moments(column, values, where, remedy)
    if not column.indicator:
        return found
    return np.column_stack([found, np.isnan(found[:, 0])])


def _levels(column: ColumnPlan, values: RawColumn) -> FloatArray:
    """One column of 0 and 1 per level, and one for all other levels."""
    place = {level: position for position, level in enumerate(column.levels)}
    found = np.zeros((len(values), len(place) + 1))
    chosen = [place.get(level_of(value), len(place)) for value in values]
    found[np.arange(len(values)), chosen] = 1.0
    return found


def _moments(column: ColumnPlan, values: RawColumn, where: Where, remedy: str) -> FloatArray:
    parts = len(column.starts)
    found = np.full((len(values), parts), np.nan)
    for row, value in enumerate(values):
        moment = moment_of(value, column.notation)
        if moment is not None:
            found[row] = [np.nan if part is None else part for part in moment[:parts]]
        elif not is_missing(value) and not column.lenient:
            raise DataError(
                f"{where(row)}, column {shown(column.name)}: {shown(value)} is not a date{remedy}",
                parameter="categories",
            )
    return found


def _hashed(columns: Sequence[tuple[ColumnPlan, RawColumn]], bits: int, *, pairs: bool) -> sp.csr_array:
    checksum = cache(name_checksum)  # levels repeat
    checksums: list[int] = []
    lengths: list[int] = []
    for row in zip(*(values for _, values in columns), strict=True):
        before = len(checksums)
        for (column, _), value in zip(columns, row, strict=True):
            if column.kind == TEXT:
                text = "" if value is None else str(value)
                checksums += word_checksums(text, f"{column.name}:", pairs=pairs)
            else:
                checksums += [checksum(f"{column.name}={level}") for level in several_levels(value)]
        lengths.append(len(checksums) - before)
    return count_rows(checksums, lengths, bits)


def several_levels(value: Any) -> list[str]:
    """The levels of a value, which may be a list of them; none if it is missing."""
    values = value if isinstance(value, list | tuple | np.ndarray) else [value]
    return [level_of(each) for each in values if not is_missing(each)]
