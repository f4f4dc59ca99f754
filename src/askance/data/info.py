"""Describe a stream, in one pass and in constant memory."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.mixed import as_matrix
from askance.data.stream import Features, Stream
from askance.typing import FloatArray

MOST_CLASSES = 10_000
UNIT_TOLERANCE = 1e-3


class Description(NamedTuple):
    """The description of a stream.

    Attributes
    ----------
    name : str
        Name of the stream.
    rows, features, nonzeros : int
        Numbers of rows, of features, and of values other than 0.
    classes : dict or None
        Number of rows per label; empty without labels, None if there are more than 10,000 different ones.
    sorted_by_class : bool
        Whether equal labels come in far longer runs than in a random order. Shuffle such a stream.
    unit_length : bool
        Whether all rows have length 1.
    smallest, largest : float
        The range of the values, including the zeros that sparse rows leave out.
    """

    name: str
    rows: int
    features: int
    nonzeros: int
    classes: dict[Any, int] | None
    sorted_by_class: bool
    unit_length: bool
    smallest: float
    largest: float

    @property
    def nonzeros_per_row(self) -> float:
        """The mean number of values other than 0 per row."""
        return self.nonzeros / self.rows if self.rows else 0.0


def describe(stream: Stream) -> Description:
    """Describe a stream, in one pass.

    Parameters
    ----------
    stream : Stream
        A stream, as returned by `read`.

    Returns
    -------
    description : Description

    Examples
    --------
    >>> import numpy as np
    >>> from askance.data import describe, read
    >>> about = describe(read(np.eye(4), y=[0, 1, 0, 1]))
    >>> about.rows, about.features, about.classes
    (4, 4, {0: 2, 1: 2})
    """
    values = _Values()
    labels = _Labels()
    for chunk in stream:
        values.add(as_matrix(chunk.X))
        if chunk.y is not None:
            labels.add(chunk.y)
    smallest, largest = values.extremes()
    return Description(
        stream.name,
        values.rows,
        values.features,
        values.nonzeros,
        dict(sorted(labels.counts.items())) if labels.countable else None,
        labels.sorted_by_class(),
        values.unit_length and values.nonzeros > 0,
        smallest,
        largest,
    )


@dataclass
class _Values:
    rows: int = 0
    features: int = 0
    nonzeros: int = 0
    unit_length: bool = True
    smallest: float = np.inf
    largest: float = -np.inf

    def add(self, X: Features) -> None:
        values = X if isinstance(X, np.ndarray) else X.data
        self.rows += X.shape[0]
        self.features = max(self.features, X.shape[1])
        self.nonzeros += int(np.count_nonzero(values))
        if values.size:
            self.smallest = min(self.smallest, float(values.min()))
            self.largest = max(self.largest, float(values.max()))
        lengths = np.sqrt(_squared_lengths(X))
        self.unit_length &= bool((np.abs(lengths[lengths > 0] - 1) <= UNIT_TOLERANCE).all())

    def extremes(self) -> tuple[float, float]:
        if self.nonzeros < self.rows * self.features:
            return min(self.smallest, 0.0), max(self.largest, 0.0)
        return self.smallest, self.largest


@dataclass
class _Labels:
    counts: Counter[Any] = field(default_factory=Counter)
    changes: int = 0
    last: Any = None
    countable: bool = True

    def add(self, y: NDArray[Any]) -> None:
        if not self.countable or not len(y):
            return
        if self.last is not None:
            self.changes += int(y[0] != self.last)
        self.changes += int(np.count_nonzero(y[1:] != y[:-1]))
        self.last = y[-1]
        classes, counts = np.unique(y, return_counts=True)
        self.counts.update(dict(zip(classes.tolist(), counts.tolist(), strict=True)))
        self.countable = len(self.counts) <= MOST_CLASSES

    def sorted_by_class(self) -> bool:
        """Whether each class is in one run, or labels change less than a tenth as often as in a random order."""
        rows = self.counts.total()
        if not self.countable or not 1 < len(self.counts) < rows:
            return False
        expected_changes = rows - sum(count * count for count in self.counts.values()) / rows
        return self.changes == len(self.counts) - 1 or self.changes < expected_changes / 10


def _squared_lengths(X: Features) -> FloatArray:
    with np.errstate(over="ignore"):  # an infinite length is not a unit length either
        squares = np.square(X, dtype=np.float64) if isinstance(X, np.ndarray) else X.astype(np.float64).power(2)
        squared_lengths: FloatArray = squares.sum(axis=1)
    return squared_lengths
