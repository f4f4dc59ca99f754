"""Data in: files, arrays and data frames as streams; text and records hashed into rows; data sets by name."""

from askance.data.faults import DataFault, DataNotice
from askance.data.hashing import hash_records, hash_texts
from askance.data.info import Description, describe
from askance.data.named import fetch, find, load
from askance.data.rating_files import Pairs, read_pairs, read_ratings
from askance.data.reading import read
from askance.data.stream import Chunk, Stream

__all__ = [
    "Chunk",
    "DataFault",
    "DataNotice",
    "Description",
    "Pairs",
    "Stream",
    "describe",
    "fetch",
    "find",
    "hash_records",
    "hash_texts",
    "load",
    "read",
    "read_pairs",
    "read_ratings",
]
