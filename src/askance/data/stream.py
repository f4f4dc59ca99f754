"""What every reader gives: a stream that can be gone through again, as chunks in constant memory."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import scipy.sparse as sp
from numpy.typing import NDArray

Features: TypeAlias = NDArray[Any] | sp.csr_array

Tell = Callable[[float], None]
"""Called with the share of the work that is done."""


class Chunk(NamedTuple):
    """Some consecutive rows of a stream.

    `X` may be wider than in the chunk before (a file need not say how many features it has), never narrower.
    `y` is None where the source has no labels. `progress` is the share of the source that is read after it.
    """

    X: Features
    y: NDArray[Any] | None
    progress: float


@runtime_checkable
class Stream(Protocol):
    """A source of rows. Iterating starts from its beginning, every time."""

    @property
    def name(self) -> str:
        """What to call it in a table."""

    def __iter__(self) -> Iterator[Chunk]:
        """The chunks, in the source's order."""
