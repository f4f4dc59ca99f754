"""From an item's content to the row that the learner sees."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from msgspec import UNSET

from askance.data.hashing import count_rows, hash_texts, name_checksum, record_parts, record_rows
from askance.errors import StoreError
from askance.rules.rows import Row
from askance.service.errors import invalid
from askance.service.settings import TaskSettings
from askance.service.state.auto_model import RecordRow

AnyRow = Row | RecordRow


def hash_contents(settings: TaskSettings, contents: Sequence[Any]) -> sp.csr_array:
    """Hash contents into a matrix, one row per content. RequestError names the first one that is not valid."""
    bits, dtype = settings.hashing.bits, settings.dtype
    if settings.item == "text":
        texts, pairs = [one.text for one in contents], settings.hashing.pairs
        return hash_texts(texts, bits, pairs=pairs, unit=settings.signed, signed=settings.signed, dtype=dtype)
    try:
        rows = record_rows([one.record for one in contents], bits, dtype, lambda place: f"item {place} (from 0)")
    except ValueError as error:
        raise invalid(str(error)) from None
    with np.errstate(over="ignore"):
        squares = np.bincount(_row_of_value(rows), rows.data.astype(np.float64) ** 2, rows.shape[0])
    too_large = ~(squares < np.finfo(dtype).max)
    if too_large.any():
        raise invalid(
            f"item {np.argmax(too_large)} (from 0): the values are too large for {dtype}: scale them down"
        )
    return rows


def rows_of(settings: TaskSettings, contents: Sequence[Any]) -> Sequence[AnyRow]:
    """Hash contents into single rows, as `ask` and `tell` take them."""
    if not contents:
        return []
    rows = hash_contents(settings, contents)
    if settings.is_auto and settings.item == "record":
        return _record_rows(settings, contents)
    return _split(rows)


def _record_rows(settings: TaskSettings, contents: Sequence[Any]) -> list[RecordRow]:
    """Records whose numbers keep their names, so that each can have a scale of its own."""
    parts = [record_parts(one.record) for one in contents]
    checksums = [name_checksum(name) for names, _ in parts for name in names]
    rows = _split(count_rows(checksums, [len(names) for names, _ in parts], settings.hashing.bits))
    return [RecordRow(row, numbers) for row, (_, numbers) in zip(rows, parts, strict=True)]


def _split(rows: sp.csr_array) -> list[Row]:
    starts = rows.indptr.tolist()
    return [Row(rows.indices[start:stop], rows.data[start:stop]) for start, stop in pairwise(starts)]


def stored_rows(settings: TaskSettings, contents: Mapping[int, Any]) -> dict[int, AnyRow]:
    """Hash the contents of items in the journal, by number. StoreError if compaction has dropped one."""
    gone = next((item for item, content in contents.items() if not has_content(settings, content)), None)
    if gone is not None:
        raise StoreError(
            f"item {gone} was compacted, and the snapshot after it is missing or damaged: restore a backup"
        )
    return dict(zip(contents, rows_of(settings, list(contents.values())), strict=True))


def has_content(settings: TaskSettings, content: Any) -> bool:
    """Whether a content has the form that the task expects."""
    expected, other = (content.text, content.record) if settings.item == "text" else (content.record, content.text)
    return expected is not UNSET and other is UNSET


def _row_of_value(rows: sp.csr_array) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
