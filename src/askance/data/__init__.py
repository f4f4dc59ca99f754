"""Reading data: files, arrays and data frames as streams; text and records hashed into rows.

Public names are imported when they are first used, so that hashing does not import the readers.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askance.data.hashing import hash_records, hash_texts
    from askance.data.info import Description, describe
    from askance.data.rating_files import Pairs, read_pairs, read_ratings
    from askance.data.reading import read
    from askance.data.stream import Chunk, Stream

_HOMES = {
    "Chunk": "stream",
    "Description": "info",
    "Pairs": "rating_files",
    "Stream": "stream",
    "describe": "info",
    "hash_records": "hashing",
    "hash_texts": "hashing",
    "read": "reading",
    "read_pairs": "rating_files",
    "read_ratings": "rating_files",
}

__all__ = [
    "Chunk",
    "Description",
    "Pairs",
    "Stream",
    "describe",
    "hash_records",
    "hash_texts",
    "read",
    "read_pairs",
    "read_ratings",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'askance.data' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"askance.data.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
