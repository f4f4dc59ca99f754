"""Many small models by key: a plain stand-in, a learner a key."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.learner import Learner
from askance.made import make
from askance.model_file import from_bytes, to_bytes
from askance.rows import Row


class FleetTrace(NamedTuple):
    """The decisions about some rows, as arrays."""

    labels: NDArray[Any]
    scores: NDArray[np.floating[Any]]
    probabilities: NDArray[np.floating[Any]]
    asked: NDArray[np.bool_]


class Fleet:
    """A learner a key."""

    def __init__(
        self,
        algorithm: str,
        parameters: dict[str, Any],
        *,
        classes: Sequence[Any],
        seed: int = 0,
        dtype: str = "float32",
        bits: int = 18,
    ) -> None:
        self._new = partial(make, algorithm, seed=seed, dtype=dtype, classes=classes, **parameters)
        self._new()
        self._bits = bits
        self._learners: dict[str | int, Learner] = {}

    def decide(self, keys: Sequence[str | int], X: sp.csr_array) -> FleetTrace:
        """Decide about rows, each with the model of its key."""
        found = [self._learner(key).ask(row) for key, row in zip(keys, _single(X), strict=True)]
        columns = list(zip(*found, strict=True)) or [(), (), (), ()]
        return FleetTrace(*map(np.array, columns))

    def learn(
        self,
        keys: Sequence[str | int],
        X: sp.csr_array,
        y: Sequence[Any],
        probabilities: Sequence[float] | None = None,
    ) -> None:
        """Learn labels, in this order."""
        shares = [1.0] * len(keys) if probabilities is None else probabilities
        for key, row, label, share in zip(keys, _single(X), y, shares, strict=True):
            self._learner(key).tell(row, label, share)

    def pack(self, key: str | int) -> bytes:
        """The model of a key."""
        return to_bytes(self._learners[key])

    def unpack(self, key: str | int, blob: bytes) -> None:
        """Have it again."""
        self._learners[key] = from_bytes(blob)

    def drop(self, key: str | int) -> None:
        """Have it no more."""
        del self._learners[key]

    def _learner(self, key: str | int) -> Learner:
        if key not in self._learners:
            self._learners[key] = self._new().widen(1 << self._bits)
        return self._learners[key]


def _single(X: sp.csr_array) -> list[Row]:
    starts = X.indptr.tolist()
    return [Row(X.indices[start:stop], X.data[start:stop]) for start, stop in pairwise(starts)]
