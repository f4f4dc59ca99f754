"""From an item's content to the row that the learner sees."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from msgspec import UNSET

from askance.data.encoding import TablePlan
from askance.data.files import listed, shown
from askance.data.hashing import (
    count_rows,
    hash_texts,
    name_checksum,
    name_columns,
    record_parts,
    record_rows,
    text_rows,
    word_checksums,
)
from askance.data.mixed import MixedRows
from askance.data.raw_tables import record_batch
from askance.errors import DataError, StoreError
from askance.rules.rows import Row
from askance.service.errors import invalid
from askance.service.settings import PARTS, TaskSettings
from askance.service.state.guesses import guess_features
from askance.service.state.item_model import LARGEST, RecordRow
from askance.service.state.vectors import vector_of

AnyRow = Row | RecordRow
OTHER_KIND = ", as the column is of another kind in this task: fix it, or leave it out"
# A guess counts as a word that an item has this often. With 1, it is lost among many words; with 10, a guess that
# is no better than chance does harm.
GUESS_COUNT = 3.0
TEXT_PREFIX = "text:"  # of the words of a text that has a record or a vector beside it


def hash_contents(settings: TaskSettings, contents: Sequence[Any]) -> sp.csr_array:
    """Contents as a matrix, one row per content: hashed features, and then the numbers of vectors.

    RequestError names the first content that is not valid.
    """
    bits, dtype, signed = settings.hashing.bits, settings.dtype, settings.signed
    pairs = settings.hashing.pairs
    if settings.only_texts:
        texts = [one.text for one in contents]
        rows = hash_texts(texts, bits, pairs=pairs, unit=signed, signed=signed, dtype=dtype)
        return _with_guesses(settings, contents, rows)
    rows = sp.csr_array((len(contents), 1 << bits), dtype=dtype)
    if "text" in settings.parts:
        texts = ["" if one.text is UNSET else one.text for one in contents]
        rows += text_rows(texts, bits, pairs=pairs, unit=signed, signed=signed, dtype=dtype, prefix=TEXT_PREFIX)
    if "record" in settings.parts:
        records = _hashed_records(settings, contents)
        rows = records if settings.parts == ("record",) else rows + records
    rows = _with_guesses(settings, contents, rows)
    if settings.takes_vectors:
        rows = sp.hstack([rows, sp.csr_array(_vectors(settings, contents, 0.0).astype(dtype))], format="csr")
    _check_sizes(settings, rows)
    return rows


def rows_of(settings: TaskSettings, contents: Sequence[Any]) -> Sequence[AnyRow]:
    """Contents as single rows, as `ask` and `tell` take them. RequestError names the first that is not valid."""
    if not contents:
        return []
    if settings.only_texts or not settings.is_auto:
        return _split(hash_contents(settings, contents))
    plan = settings.plan()
    if plan is not None:
        return _planned_rows(settings, plan, contents)
    if "record" in settings.parts:
        _check_sizes(settings, _hashed_records(settings, contents))
    return _auto_rows(settings, contents)


def _planned_rows(settings: TaskSettings, plan: TablePlan, contents: Sequence[Any]) -> list[RecordRow]:
    """Rows of records whose columns are known, with words and vectors if there are any."""
    rows = encoded(plan, [{} if one.record is UNSET else one.record for one in contents])
    hashed = rows.sparse
    if "text" in settings.parts:
        texts = ["" if one.text is UNSET else one.text for one in contents]
        pairs = settings.hashing.pairs
        words = [word_checksums(text, TEXT_PREFIX, pairs=pairs) for text in texts]
        counts = count_rows([one for each in words for one in each], list(map(len, words)), settings.hashing.bits)
        hashed = counts + hashed if plan.sparse else counts
    if settings.layout().hashed:
        hashed = _with_guesses(settings, contents, hashed)
    dense = rows.dense
    if settings.takes_vectors:
        dense = np.hstack([_vectors(settings, contents, np.nan), dense])
    return [RecordRow(row, {}, numbers) for row, numbers in zip(_split(hashed), dense, strict=True)]


def encoded(plan: TablePlan, records: Sequence[Mapping[str, Any]]) -> MixedRows:
    """Records as rows. RequestError names the first that has another field or another kind of value."""
    known = {column.name: None for column in plan.columns}
    try:
        batch = record_batch(records, _place, 0.0)
        unknown = [name for name in batch.columns if name not in known]
        if unknown:
            row = next((row for row, value in enumerate(batch.columns[unknown[0]]) if value is not None), 0)
            raise invalid(
                f"{_place(row)}: there is no column {shown(unknown[0])} in this task; there are {listed(known)}"
            )
        return plan.encode(batch.columns, len(records), _place, OTHER_KIND)
    except DataError as error:
        raise invalid(str(error)) from None


def _place(row: int) -> str:
    return f"item {row} (from 0)"


def _auto_rows(settings: TaskSettings, contents: Sequence[Any]) -> list[RecordRow]:
    """Rows in which numbers of records keep their names, so that each can have a scale of its own."""
    bits, pairs = settings.hashing.bits, settings.hashing.pairs
    checksums: list[int] = []
    lengths: list[int] = []
    numbers: list[dict[str, float]] = []
    for one in contents:
        names, values = record_parts({} if one.record is UNSET else one.record)
        words = [] if one.text is UNSET else word_checksums(one.text, TEXT_PREFIX, pairs=pairs)
        found = [*words, *map(name_checksum, names)]
        checksums += found
        lengths.append(len(found))
        numbers.append(values)
    rows = _split(_with_guesses(settings, contents, count_rows(checksums, lengths, bits)))
    if not settings.takes_vectors:
        return [RecordRow(*pair) for pair in zip(rows, numbers, strict=True)]
    dense = _vectors(settings, contents, np.nan)
    return [RecordRow(*each) for each in zip(rows, numbers, dense, strict=True)]


def _with_guesses(settings: TaskSettings, contents: Sequence[Any], rows: sp.csr_array) -> sp.csr_array:
    """Hashed rows with the features of guesses; where there are none, the same rows."""
    names = [guess_features(settings, one) for one in contents]
    if not any(names):
        return rows
    flat = [name for each in names for name in each]
    hashed = name_columns(flat, settings.hashing.bits, settings.dtype, signed=settings.signed)
    starts = np.cumsum([0, *map(len, names)], dtype=rows.indptr.dtype)
    weight = GUESS_COUNT if settings.is_auto else 1.0
    guesses = sp.csr_array((weight * hashed.data, hashed.indices, starts), shape=rows.shape)
    guesses.sum_duplicates()  # sums of rows with sorted columns have sorted columns
    return rows + guesses


def _hashed_records(settings: TaskSettings, contents: Sequence[Any]) -> sp.csr_array:
    records = [{} if one.record is UNSET else one.record for one in contents]
    try:
        return record_rows(records, settings.hashing.bits, settings.dtype, _place)
    except ValueError as error:
        raise invalid(str(error)) from None


def _vectors(
    settings: TaskSettings, contents: Sequence[Any], missing: float
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The vectors as rows; `missing` stands for all numbers of one that is not there."""
    length = settings.vector_length or 0
    found = np.full((len(contents), length), missing)
    for place, one in enumerate(contents):
        vector = vector_of(one)
        if vector is None:
            continue
        if len(vector) != length:
            raise invalid(
                f"item {place} (from 0): the vector has {len(vector)} numbers, but must have {length} in this task"
            )
        if not (np.abs(vector) <= LARGEST).all():  # which NaN is not either
            raise invalid(f"item {place} (from 0): the vector has a number that is infinite or too large: fix it")
        found[place] = vector
    return found


def _check_sizes(settings: TaskSettings, rows: sp.csr_array) -> None:
    with np.errstate(over="ignore"):
        squares = np.bincount(_row_of_value(rows), rows.data.astype(np.float64) ** 2, rows.shape[0])
    too_large = ~(squares < np.finfo(settings.dtype).max)
    if too_large.any():
        place, dtype = np.argmax(too_large), settings.dtype
        raise invalid(f"item {place} (from 0): the values are too large for {dtype}: scale them down")


def _split(rows: sp.csr_array) -> list[Row]:
    starts = rows.indptr.tolist()
    return [Row(rows.indices[start:stop], rows.data[start:stop]) for start, stop in pairwise(starts)]


def own_copy(row: AnyRow) -> AnyRow:
    """The row with arrays of its own: parts of the arrays of a batch would keep all of the batch in memory."""
    if isinstance(row, RecordRow):
        entries, dense = row.categories, None if row.dense is None else row.dense.copy()
        return row._replace(categories=Row(entries.indices.copy(), entries.values.copy()), dense=dense)
    return Row(row.indices.copy(), row.values.copy())


def stored_rows(settings: TaskSettings, contents: Mapping[int, Any]) -> dict[int, AnyRow]:
    """The rows of items in the journal, by number. StoreError if compaction has dropped one."""
    gone = next((item for item, content in contents.items() if not has_content(settings, content)), None)
    if gone is not None:
        raise StoreError(
            f"item {gone} was compacted, and the snapshot after it is missing or damaged: restore a backup"
        )
    return dict(zip(contents, rows_of(settings, list(contents.values())), strict=True))


def has_content(settings: TaskSettings, content: Any) -> bool:
    """Whether a content has the form that the task expects: some of its parts, and no others."""
    given = parts_of(content)
    return bool(given) and given <= set(settings.parts)


def parts_of(content: Any) -> set[str]:
    """Which of text, record and vector a content has."""
    return {part for part in PARTS if getattr(content, part) is not UNSET}


def _row_of_value(rows: sp.csr_array) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
