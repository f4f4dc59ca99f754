"""Data in: files, arrays and data frames as streams of rows; text and records hashed into rows."""

from askance.data.faults import DataFault
from askance.data.hashing import hash_records, hash_texts
from askance.data.info import Description, describe
from askance.data.reading import read
from askance.data.stream import Chunk, Stream

__all__ = ["Chunk", "DataFault", "Description", "Stream", "describe", "hash_records", "hash_texts", "read"]
