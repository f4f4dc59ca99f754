"""From an item's content to the row that the learner sees."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from askance.data.hashing import hash_texts, record_rows
from askance.rules.rows import Row
from askance.service.settings import TaskSettings


def hashed(settings: TaskSettings, contents: Sequence[object]) -> sp.csr_array:
    """The rows of some contents; ValueError names the first that cannot become one."""
    bits, dtype = settings.hashing.bits, settings.dtype
    if settings.item == "text":
        texts = [content.text for content in contents]  # type: ignore[attr-defined]
        return hash_texts(texts, bits, pairs=settings.hashing.pairs, dtype=dtype)
    records = [content.record for content in contents]  # type: ignore[attr-defined]
    rows = record_rows(records, bits, dtype, lambda place: f"item {place} (from 0)")
    with np.errstate(over="ignore"):
        squares = np.bincount(_row_of_value(rows), rows.data.astype(np.float64) ** 2, rows.shape[0])
    if not (squares < np.finfo(dtype).max).all():
        worst = int(np.argmax(~(squares < np.finfo(dtype).max)))
        raise ValueError(f"item {worst} (from 0): its values are too large for {dtype}: scale them down")
    return rows


def single(rows: sp.csr_array) -> list[Row]:
    """Each row by itself, as `ask` and `tell` take it."""
    starts = rows.indptr.tolist()
    return [Row(rows.indices[start:stop], rows.data[start:stop]) for start, stop in pairwise(starts)]


def _row_of_value(rows: sp.csr_array) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
