"""Keys of a fleet: text in a list, or whole numbers in an array."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Key = str | int
Keys = list[str] | NDArray[np.int64]


def as_keys(keys: Any, rows: int) -> Keys:
    """Keys of one kind; ValueError if they are neither text nor whole numbers, or not one a row."""
    if isinstance(keys, str | int):
        raise ValueError(f"keys must be one a row, not {keys!r} alone")
    found = keys if isinstance(keys, np.ndarray) and keys.dtype.kind == "i" else _plain(keys)
    if len(found) != rows:
        raise ValueError(f"there are {rows} rows but {len(found)} keys: they must be as many")
    return np.ascontiguousarray(found, np.int64) if isinstance(found, np.ndarray) else found


def _plain(keys: Any) -> Keys:
    values = keys.tolist() if hasattr(keys, "tolist") else list(keys)
    kinds = set(map(type, values))
    if kinds <= {str}:
        return _proper(values)
    if kinds == {str, int}:
        raise ValueError("keys are all text or all whole numbers: make text of the numbers")
    if kinds != {int}:
        wrong = next(key for key in values if type(key) not in (str, int))
        raise ValueError(f"keys are text or whole numbers, not such as {wrong!r}")
    try:
        return np.array(values, np.int64)
    except OverflowError:
        raise ValueError(f"the key {max(values, key=abs)} is too large: numbers have at most 64 bits") from None


def _proper(texts: list[str]) -> list[str]:
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as error:
        broken = error.object[error.start : error.end]
        wrong = next(text for text in texts if broken in text)
        raise ValueError(f"the key {wrong!r} is no proper text: it has half of a character") from None
    return texts


def taken(keys: Keys, places: NDArray[np.integer[Any]]) -> Keys:
    """Those at some places."""
    return keys[places] if isinstance(keys, np.ndarray) else [keys[place] for place in places.tolist()]


def distinct(keys: Keys) -> Keys:
    """Each key once, in the order in which they come."""
    if isinstance(keys, np.ndarray):
        return keys[np.sort(np.unique(keys, return_index=True)[1])]
    return list(dict.fromkeys(keys))


def listed(keys: Keys) -> Sequence[Key]:
    """The keys as Python's own."""
    return keys.tolist() if isinstance(keys, np.ndarray) else keys


def seeds_of(random_state: int, keys: Keys) -> NDArray[np.uint64]:
    """The random_state of each key's learner: a pure function of the fleet's random_state and the key."""
    salt = int(random_state).to_bytes(8, "little")
    digests = (hashlib.blake2b(_as_bytes(key), digest_size=8, salt=salt).digest() for key in listed(keys))
    return np.frombuffer(b"".join(digests), np.uint64)


def _as_bytes(key: Key) -> bytes:
    return b"s" + key.encode() if isinstance(key, str) else b"i" + key.to_bytes(8, "little", signed=True)
