"""Reading data: files, arrays and data frames as streams; text and records hashed into rows.

Public names are imported when they are first used, so that hashing does not import the readers.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askance.data.guessed_rows import GuessedRows, read_guesses
    from askance.data.hashing import hash_records, hash_texts
    from askance.data.info import Description, describe
    from askance.data.mixed import MixedRows
    from askance.data.model_rows import add_reading, read_for_model
    from askance.data.multilabel import MultiLabelRows, read_multilabel
    from askance.data.rating_files import Pairs, read_pairs, read_ratings
    from askance.data.reading import read
    from askance.data.stream import Chunk, Stream
    from askance.data.table_encoder import TableEncoder
    from askance.data.typed import TypedTable, read_table

_HOMES = {
    "Chunk": "stream",
    "Description": "info",
    "GuessedRows": "guessed_rows",
    "MixedRows": "mixed",
    "MultiLabelRows": "multilabel",
    "Pairs": "rating_files",
    "Stream": "stream",
    "TableEncoder": "table_encoder",
    "TypedTable": "typed",
    "add_reading": "model_rows",
    "describe": "info",
    "hash_records": "hashing",
    "hash_texts": "hashing",
    "read": "reading",
    "read_for_model": "model_rows",
    "read_guesses": "guessed_rows",
    "read_multilabel": "multilabel",
    "read_pairs": "rating_files",
    "read_ratings": "rating_files",
    "read_table": "typed",
}

__all__ = [
    "Chunk",
    "Description",
    "GuessedRows",
    "MixedRows",
    "MultiLabelRows",
    "Pairs",
    "Stream",
    "TableEncoder",
    "TypedTable",
    "add_reading",
    "describe",
    "hash_records",
    "hash_texts",
    "read",
    "read_for_model",
    "read_guesses",
    "read_multilabel",
    "read_pairs",
    "read_ratings",
    "read_table",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'askance.data' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"askance.data.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
