"""The names of the features of an item; the hashed rows of learners have none."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from msgspec import UNSET

from askance.data.cells import is_missing
from askance.data.encoding import TablePlan, several_levels
from askance.data.hashing import name_columns, record_features, words_of
from askance.data.kinds import LEFT_OUT, TEXT
from askance.data.raw_tables import record_batch
from askance.service.columns import vector_name
from askance.service.settings import TaskSettings
from askance.service.state.guesses import guess_features
from askance.service.state.rows import TEXT_PREFIX

Span = tuple[int, int]


def named(settings: TaskSettings, content: Any) -> dict[str, list[Span]]:
    """The features of a content in order, with their spans in the text."""
    found: dict[str, list[Span]] = {}
    if content.text is not UNSET:
        found |= _words(settings, content.text)
    plan = settings.plan()
    if content.record is not UNSET and plan is not None:
        found |= {name: [] for name in _planned(plan, content.record)}
    elif content.record is not UNSET:
        found |= {name: [] for name, _ in record_features(content.record)}
    if content.vector is not UNSET:
        found[vector_name(settings.vector_length or 0)] = []
    return found | {name: [] for name in guess_features(settings, content)}


def _planned(plan: TablePlan, record: Mapping[str, Any]) -> Iterator[str]:
    """The features of a record whose columns are known. A dense column is one feature, whatever its width."""
    values = record_batch([record], lambda _row: "", 0.0).columns
    for column in plan.columns:
        value = values.get(column.name, [None])[0]
        if column.kind == LEFT_OUT or is_missing(value):
            continue
        if column.width:
            yield column.name
        elif column.kind == TEXT:
            words = [word for word, _, _ in words_of(str(value))]
            pairs = [f"{one} {two}" for one, two in pairwise(words)] if plan.pairs else []
            yield from (f"{column.name}:{word}" for word in [*words, *pairs])
        else:
            yield from (f"{column.name}={level}" for level in several_levels(value))


def _words(settings: TaskSettings, text: str) -> dict[str, list[Span]]:
    words, prefix = words_of(text), "" if settings.only_texts else TEXT_PREFIX
    found: dict[str, list[Span]] = {}
    for word, start, end in words:
        found.setdefault(f"{prefix}{word}", []).append((start, end))
    for (first, start, _), (second, _, end) in pairwise(words) if settings.hashing.pairs else ():
        found.setdefault(f"{prefix}{first} {second}", []).append((start, end))
    return found


def columns(settings: TaskSettings, names: Sequence[str] | Mapping[str, Any]) -> sp.csr_array:
    """One row per feature, with no other feature in it; that of a vector has all of its columns."""
    rows = name_columns(names, settings.hashing.bits, settings.dtype, signed=settings.signed)
    length = settings.vector_length or 0
    if not length or settings.is_auto:
        return rows
    vector = vector_name(length)
    is_vector = sp.csr_array(np.array([[name == vector] for name in names], settings.dtype).reshape(-1, 1))
    hashed = sp.diags_array(1.0 - is_vector.toarray()[:, 0]) @ rows
    whole = sp.hstack([hashed, is_vector @ np.ones((1, length), settings.dtype)], format="csr")
    whole.eliminate_zeros()
    return whole
