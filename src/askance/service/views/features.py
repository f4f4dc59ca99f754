"""The names of the features of an item; the hashed rows of learners have none."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import scipy.sparse as sp

from askance.data.hashing import name_columns, record_features, words_of
from askance.service.settings import TaskSettings

Span = tuple[int, int]


def named(settings: TaskSettings, content: Any) -> dict[str, list[Span]]:
    """The features of a content in order, with their spans in the text."""
    if settings.item == "record":
        return {name: [] for name, _ in record_features(content.record)}
    words = words_of(content.text)
    found: dict[str, list[Span]] = {}
    for word, start, end in words:
        found.setdefault(word, []).append((start, end))
    for (first, start, _), (second, _, end) in pairwise(words) if settings.hashing.pairs else ():
        found.setdefault(f"{first} {second}", []).append((start, end))
    return found


def columns(settings: TaskSettings, names: Sequence[str] | Mapping[str, Any]) -> sp.csr_array:
    """One row per feature, with no other feature in it."""
    return name_columns(names, settings.hashing.bits, settings.dtype, signed=settings.signed)
