"""The vectors of items, as the journal keeps them: numbers of four bytes where that loses nothing, else of eight.

The first byte says which of the two.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

SINGLE, DOUBLE = np.dtype("<f4"), np.dtype("<f8")


def packed(vector: Sequence[float] | UnsetType) -> Any:
    """The bytes of a vector; embeddings usually have numbers of four bytes."""
    if vector is UNSET:
        return UNSET
    numbers = np.array(vector, DOUBLE)
    with np.errstate(over="ignore"):
        short = numbers.astype(SINGLE)
    kept = short if np.array_equal(short, numbers) else numbers
    return bytes([kept.itemsize]) + kept.tobytes()


def unpacked(content: bytes) -> NDArray[np.float64]:
    """The numbers in the bytes of a vector."""
    return np.frombuffer(content, SINGLE if content[0] == SINGLE.itemsize else DOUBLE, offset=1).astype(DOUBLE)


def vector_of(content: Any) -> NDArray[np.float64] | None:
    """The vector of an item, or of the content of one in the journal; None if it has none."""
    vector = content.vector
    if vector is UNSET:
        return None
    return unpacked(vector) if isinstance(vector, bytes) else np.array(vector, np.float64)


def length_of(content: Any) -> int | None:
    """How many numbers are in the vector of an item; None if it has none."""
    vector = vector_of(content)
    return None if vector is None else len(vector)
