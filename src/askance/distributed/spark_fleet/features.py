"""Convert the features of rows, in any form, to sparse rows. An invalid row does not affect the others."""

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from askance.data.hashing import hash_texts, record_rows
from askance.distributed.spark_fleet.events import Event
from askance.distributed.spark_fleet.settings import StreamSettings
from askance.rules.rows import Row

Makes = Callable[[Sequence[Event], StreamSettings], sp.csr_array]


def rows_of(events: Sequence[Event], settings: StreamSettings) -> list[Row | str]:
    """Return for each event its row, or a message that says why it has none."""
    found: list[Row | str] = ["has no features: give text, record, or indices and values"] * len(events)
    for form, make in FORMS.items():
        places = [place for place, event in enumerate(events) if _form(event) == form]
        for place, row in zip(places, _made([events[place] for place in places], make, settings), strict=True):
            found[place] = row
    return found


def stacked(rows: Iterable[Row], settings: StreamSettings) -> sp.csr_array:
    """Stack rows into one CSR matrix."""
    rows = list(rows)
    starts = np.concatenate([[0], np.cumsum([len(row.indices) for row in rows], dtype=np.int64)]).astype(np.int32)
    indices = np.concatenate([np.empty(0, np.int32), *(row.indices for row in rows)])
    values = np.concatenate([np.empty(0, settings.fleet.dtype), *(row.values for row in rows)])
    return sp.csr_array((values, indices, starts), shape=(len(rows), settings.fleet.width))


def _form(event: Event) -> str | None:
    return next((form for form in FORMS if getattr(event, form) is not None), None)


def _made(events: Sequence[Event], make: Makes, settings: StreamSettings) -> list[Row | str]:
    """Convert all events at once or, if one is invalid, one by one."""
    try:
        made = make(events, settings)
        _check_lengths(made)
    except (ValueError, RecursionError) as fault:
        if len(events) == 1:
            return [" ".join(str(fault).split())]
        return [row for event in events for row in _made([event], make, settings)]
    return [Row(made.indices[start:stop], made.data[start:stop]) for start, stop in pairwise(made.indptr.tolist())]


def _check_lengths(rows: sp.csr_array) -> None:
    with np.errstate(over="ignore"):
        squares = sp.csr_array((rows.data**2, rows.indices, rows.indptr), rows.shape).sum(axis=1)
    if not np.isfinite(squares).all():
        raise ValueError(f"has values too large for {rows.dtype}: scale them down")


def _of_texts(events: Sequence[Event], settings: StreamSettings) -> sp.csr_array:
    texts = [event.text or "" for event in events]
    return hash_texts(texts, settings.fleet.bits, pairs=settings.pairs, dtype=settings.fleet.dtype)


def _of_records(events: Sequence[Event], settings: StreamSettings) -> sp.csr_array:
    try:
        records = [json.loads(event.record or "") for event in events]
    except json.JSONDecodeError as fault:
        raise ValueError(f"record is not JSON: {fault}") from fault
    return record_rows(records, settings.fleet.bits, settings.fleet.dtype, lambda _place: "record")


def _of_columns(events: Sequence[Event], settings: StreamSettings) -> sp.csr_array:
    """Return given indices and values, sorted by index."""
    lengths = [len(event.indices) for event in events]
    if lengths != [_length(event.values) for event in events]:
        raise ValueError("has different numbers of indices and values")
    columns = _joined([event.indices for event in events], np.int64)
    values = _joined([event.values for event in events], settings.fleet.dtype)
    row = np.repeat(np.arange(len(events)), lengths)
    order = np.lexsort((columns, row))
    columns, values = columns[order], values[order]
    if len(columns) and not (columns.min() >= 0 and columns.max() < settings.fleet.width):
        raise ValueError(f"has indices outside 0 to 2**{settings.fleet.bits} - 1")
    if ((np.diff(columns) == 0) & (np.diff(row) == 0)).any():
        raise ValueError("has an index twice")
    if not np.isfinite(values).all():
        raise ValueError("has values that are not finite")
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return sp.csr_array((values, columns.astype(np.int32), starts), (len(events), settings.fleet.width))


def _length(values: Any) -> int:
    return 0 if values is None else len(values)


def _joined(parts: Sequence[Any], dtype: Any) -> Any:
    with np.errstate(over="ignore", invalid="ignore"):  # overflow is detected in the result
        return np.concatenate([np.empty(0, dtype), *(np.asarray(part, dtype) for part in parts)])


# In order of precedence: the text of a row is used before its record.
FORMS: dict[str, Makes] = {"text": _of_texts, "record": _of_records, "indices": _of_columns}
