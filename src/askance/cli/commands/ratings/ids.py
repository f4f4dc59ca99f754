"""Convert ids from a file or the command line to the type that a model has: numbers or text."""

from re import ASCII
from re import compile as pattern
from typing import Any

import numpy as np
from numpy.typing import NDArray

_is_whole = pattern(r"[-+]?\d{1,1000}", ASCII).fullmatch


def as_known(given: NDArray[Any], known: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers if the ids of the model are numbers, otherwise text."""
    texts = known.dtype.kind not in "iu"
    if texts != (given.dtype.kind in "iu"):
        return given
    ids = np.empty(len(given), object)
    ids[:] = [str(one) if texts else _number(one) for one in given.tolist()]
    return ids


def _number(text: str) -> int | str:
    return int(text) if _is_whole(text) else text


def unknown(given: NDArray[Any], known: NDArray[Any]) -> set[Any]:
    """The ids that a model does not have."""
    return set(given.tolist()) - set(known.tolist())
