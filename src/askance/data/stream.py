"""Streams: what every reader returns. They can be iterated more than once, in chunks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import scipy.sparse as sp
from numpy.typing import NDArray

Features: TypeAlias = NDArray[Any] | sp.csr_array


class Chunk(NamedTuple):
    """Some consecutive rows of a stream.

    Attributes
    ----------
    X : ndarray, csr_array or MixedRows
        The rows; `MixedRows` only from `read_table`. They may be wider than those of the chunk before, but never
        narrower.
    y : ndarray or None
        The labels; None if the source has none.
    progress : float
        The fraction of the source that has been read.
    ids : ndarray or None
        What identifies each row in its source: the value of a column, or its number from 0. None means that rows
        come in the order of the source, all of them.
    """

    X: Features
    y: NDArray[Any] | None
    progress: float
    ids: NDArray[Any] | None = None


def is_stream(X: Any) -> bool:
    """Whether an object is a stream; a data frame is none, though it may have a column `name`."""
    return isinstance(X, Stream) and not hasattr(X, "shape")


@runtime_checkable
class Stream(Protocol):
    """A source of rows. Each iteration starts from the beginning."""

    @property
    def name(self) -> str:
        """The name of the stream."""

    def __iter__(self) -> Iterator[Chunk]:
        """The chunks, in the order of the source."""


@dataclass(frozen=True)
class NamedStream:
    """A stream under another name."""

    name: str
    stream: Stream

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self.stream)
