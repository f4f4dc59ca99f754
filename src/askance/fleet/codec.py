"""One model of a fleet as bytes: compact, checksummed, independent of the order of learning.

The header holds the format version, a tag of the fleet's settings, the number of features and a checksum of the
rest. Then come the counters, the features in ascending order, and the content of each feature's slot.
"""

import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.errors import ModelFileError

VERSION = 1
HEAD = struct.Struct("<IIII")  # version, tag, features, checksum


def to_blobs(
    tag: int, counters: NDArray[Any], starts: NDArray[Any], features: NDArray[Any], content: Any
) -> list[bytes]:
    """Encode each of the models that a shard has gathered."""
    blobs = []
    bounds = starts.tolist()
    for place, counter_row in enumerate(counters):
        part = slice(bounds[place], bounds[place + 1])
        body = counter_row.tobytes() + features[part].tobytes() + content[part].tobytes()
        blobs.append(HEAD.pack(VERSION, tag, part.stop - part.start, zlib.crc32(body)) + body)
    return blobs


def from_blobs(tag: int, blobs: Sequence[bytes], n_counters: int, slot_bytes: int, width: int) -> tuple[Any, ...]:
    """Decode models into the counters, starts, features and content that `to_blobs` was given.

    A model has `n_counters` counters, `slot_bytes` bytes per feature, and features below `width`. ModelFileError
    if the bytes are damaged or belong to a fleet with other settings.
    """
    counts = [_checked_count(blob, tag, n_counters, slot_bytes) for blob in blobs]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    own = 8 * n_counters
    counter_bytes = b"".join(blob[HEAD.size : HEAD.size + own] for blob in blobs)
    ends = [HEAD.size + own + 4 * count for count in counts]
    feature_bytes = b"".join(blob[HEAD.size + own : end] for blob, end in zip(blobs, ends, strict=True))
    content_bytes = b"".join(blob[end:] for blob, end in zip(blobs, ends, strict=True))
    features = np.frombuffer(feature_bytes, np.uint32)
    content = np.frombuffer(content_bytes, np.uint8).reshape(-1, slot_bytes)
    ascending = np.diff(features.astype(np.int64)) > 0
    inner = starts[1:-1]
    ascending[inner[(inner > 0) & (inner < len(features))] - 1] = True
    if not ascending.all() or (len(features) and features.max() >= width):
        raise ModelFileError("the model is damaged: its features are out of order")
    return np.frombuffer(counter_bytes, np.uint64).reshape(-1, n_counters), starts, features, content


def _checked_count(blob: bytes, tag: int, n_counters: int, slot_bytes: int) -> int:
    """Return the number of features of a model; ModelFileError unless its bytes are valid."""
    if len(blob) < HEAD.size:
        raise ModelFileError(f"{len(blob)} bytes are not a model of a fleet")
    version, kind, count, checksum = HEAD.unpack_from(blob)
    if version != VERSION:
        raise ModelFileError(
            f"the model has version {version}, but this version of askance reads version {VERSION}: update askance"
        )
    if kind != tag:
        raise ModelFileError(
            "the model belongs to a fleet with another algorithm, parameters, classes, bits or dtype"
        )
    size = HEAD.size + 8 * n_counters + (4 + slot_bytes) * count
    if len(blob) != size or zlib.crc32(blob[HEAD.size :]) != checksum:
        raise ModelFileError("the model is damaged: its checksum does not match")
    return count
