"""Keys of a fleet: a list of text, or an array of integers."""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Key = str | int
Keys = list[str] | NDArray[np.int64]


def as_keys(keys: Any, rows: int) -> Keys:
    """Convert keys to a list of text or an array of integers; ValueError unless there is one per row."""
    if isinstance(keys, str | int):
        raise ValueError(f"keys must hold one key per row, not the single key {keys!r}")
    found = keys if isinstance(keys, np.ndarray) and keys.dtype.kind == "i" else _converted(keys)
    if len(found) != rows:
        raise ValueError(f"X has {rows} rows but there are {len(found)} keys: lengths must match")
    return np.ascontiguousarray(found, np.int64) if isinstance(found, np.ndarray) else found


def _converted(keys: Any) -> Keys:
    values = keys.tolist() if hasattr(keys, "tolist") else list(keys)
    kinds = set(map(type, values))
    if kinds <= {str}:
        return _encodable(values)
    if kinds == {str, int}:
        raise ValueError("keys must be all str or all int: convert the integers to text")
    if kinds != {int}:
        wrong = next(key for key in values if type(key) not in (str, int))
        raise ValueError(f"keys must be str or int, not {wrong!r}")
    try:
        return np.array(values, np.int64)
    except OverflowError:
        raise ValueError(f"the key {max(values, key=abs)} does not fit into 64 bits: use a text key") from None


def _encodable(texts: list[str]) -> list[str]:
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as error:
        broken = error.object[error.start : error.end]
        wrong = next(text for text in texts if broken in text)
        raise ValueError(f"the key {wrong!r} is not valid Unicode: it has a lone surrogate") from None
    return texts


def take(keys: Keys, places: NDArray[np.integer[Any]]) -> Keys:
    """Return the keys at some places."""
    return keys[places] if isinstance(keys, np.ndarray) else [keys[place] for place in places.tolist()]


def distinct(keys: Keys) -> Keys:
    """Return each key once, in order of first appearance."""
    if isinstance(keys, np.ndarray):
        return keys[np.sort(np.unique(keys, return_index=True)[1])]
    return list(dict.fromkeys(keys))


def as_list(keys: Keys) -> Sequence[Key]:
    """Return the keys as Python objects."""
    return keys.tolist() if isinstance(keys, np.ndarray) else keys


def random_states_of(random_state: int, keys: Keys) -> NDArray[np.uint64]:
    """Return the random state of each key's learner, a pure function of the fleet's random state and the key."""
    salt = int(random_state).to_bytes(8, "little")
    digests = (hashlib.blake2b(_as_bytes(key), digest_size=8, salt=salt).digest() for key in as_list(keys))
    return np.frombuffer(b"".join(digests), np.uint64)


def _as_bytes(key: Key) -> bytes:
    return b"s" + key.encode() if isinstance(key, str) else b"i" + key.to_bytes(8, "little", signed=True)
