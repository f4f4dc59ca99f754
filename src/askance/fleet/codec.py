"""A model of a fleet as bytes: small, checked, the same whatever the order in which it was learned.

In front stand the version, the tag of the fleet's kind, how many features there are, and a checksum of all the
rest; then the books, the features in rising order, and what the update rule keeps of each.
"""

import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

VERSION = 1
HEAD = struct.Struct("<IIII")  # version, tag, features, checksum


def to_blobs(
    tag: int, books: NDArray[Any], starts: NDArray[Any], features: NDArray[Any], content: Any
) -> list[bytes]:
    """The models that a yard has gathered, each as bytes."""
    blobs = []
    bounds = starts.tolist()
    for place, book in enumerate(books):
        part = slice(bounds[place], bounds[place + 1])
        body = book.tobytes() + features[part].tobytes() + content[part].tobytes()
        blobs.append(HEAD.pack(VERSION, tag, part.stop - part.start, zlib.crc32(body)) + body)
    return blobs


def from_blobs(tag: int, blobs: Sequence[bytes], books: int, a_slot: int, width: int) -> tuple[Any, ...]:
    """What `to_blobs` was given: `books` numbers of books, `a_slot` bytes a feature, features below `width`.

    ValueError if the bytes are damaged, or are of a fleet of another kind.
    """
    counts = [_checked(blob, tag, books, a_slot) for blob in blobs]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    own = 8 * books
    of_books = b"".join(blob[HEAD.size : HEAD.size + own] for blob in blobs)
    ends = [HEAD.size + own + 4 * count for count in counts]
    of_features = b"".join(blob[HEAD.size + own : end] for blob, end in zip(blobs, ends, strict=True))
    of_content = b"".join(blob[end:] for blob, end in zip(blobs, ends, strict=True))
    features = np.frombuffer(of_features, np.uint32)
    content = np.frombuffer(of_content, np.uint8).reshape(-1, a_slot)
    rising = np.diff(features.astype(np.int64)) > 0
    inner = starts[1:-1]
    rising[inner[(inner > 0) & (inner < len(features))] - 1] = True
    if not rising.all() or (len(features) and features.max() >= width):
        raise ValueError("the model is damaged: its features are out of order")
    return np.frombuffer(of_books, np.uint64).reshape(-1, books), starts, features, content


def _checked(blob: bytes, tag: int, books: int, a_slot: int) -> int:
    """How many features a model has; ValueError unless it is sound."""
    if len(blob) < HEAD.size:
        raise ValueError(f"these {len(blob)} bytes are no model of a fleet")
    version, kind, count, checksum = HEAD.unpack_from(blob)
    if version != VERSION:
        raise ValueError(
            f"the model has version {version}, and this askance reads version {VERSION}: update askance"
        )
    if kind != tag:
        raise ValueError("the model belongs to a fleet with another algorithm, parameters, classes, bits or dtype")
    if len(blob) != HEAD.size + 8 * books + (4 + a_slot) * count or zlib.crc32(blob[HEAD.size :]) != checksum:
        raise ValueError("the model is damaged: its bytes do not agree with their checksum")
    return count
