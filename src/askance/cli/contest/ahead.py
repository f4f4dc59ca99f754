"""Reading ahead: a thread reads the next rows of a file while learners are busy with these."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from askance.cli.contest.source import Derived
from askance.data.stream import Chunk


@dataclass(frozen=True)
class Ahead(Derived):
    """The same chunks as of another stream. Each but the first two is read while the one before is in use.

    By then, reader and learners have imported what they need: before Python 3.11.8, two threads could load a
    rarely used module at the same time (see `quick_start`).
    """

    def __iter__(self) -> Iterator[Chunk]:
        chunks = iter(self.stream)
        first = next(chunks, None)
        if first is None:
            return
        yield first
        with ThreadPoolExecutor(1, "askance-ahead") as thread:
            coming = thread.submit(next, chunks, None)
            while (chunk := coming.result()) is not None:
                coming = thread.submit(next, chunks, None)
                yield chunk
