"""Reading ahead: the same chunks in the same order, and no thread that outlives its use."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from askance.cli.contest import contest
from askance.cli.contest.ahead import Ahead
from askance.data.stream import Chunk
from askance.errors import DataError
from command_line import answer, write_csv


class Numbered:
    """Chunks of one row; after the last, an error if `broken`."""

    name = "numbered"

    def __init__(self, count: int, *, broken: bool = False) -> None:
        self.count, self.broken, self.readers = count, broken, list[str]()

    def __iter__(self) -> Iterator[Chunk]:
        for number in range(self.count):
            self.readers.append(threading.current_thread().name)
            yield Chunk(np.full((1, 1), number), np.zeros(1), number / self.count)
        if self.broken:
            raise DataError("cannot go on")


def readers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("askance-ahead")]


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_chunks_come_in_order(count: int) -> None:
    given = Numbered(count)
    assert [chunk.X[0, 0] for chunk in Ahead(given)] == list(range(count))
    assert [name.startswith("askance-ahead") for name in given.readers] == [place > 0 for place in range(count)]
    assert not readers()


def test_the_next_chunk_is_read_while_one_is_in_use() -> None:
    given = Numbered(5)
    chunks = iter(Ahead(given))
    assert [next(chunks).X[0, 0] for _ in range(2)] == [0, 1]
    chunks.close()  # type: ignore[attr-defined] - waits for what is being read
    assert len(given.readers) == 3
    assert not readers()


def test_an_error_comes_after_the_chunks_before_it() -> None:
    chunks = iter(Ahead(Numbered(3, broken=True)))
    assert [next(chunks).X[0, 0] for _ in range(3)] == [0, 1, 2]
    with pytest.raises(DataError, match="cannot go on"):
        next(chunks)
    assert not readers()


def test_a_run_finds_the_same_without_reading_ahead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(9000, 2))
    path = write_csv(tmp_path / "numbers.csv", X, np.where(X[:, 0] > 0, "yes", "no"))

    def found(trace: Path) -> tuple[object, bytes]:
        told = answer("run", path, "-a", "PAA-II", "--against", "random", "--trace", trace)
        return [{**one, "seconds": 0} for one in told["methods"]], trace.read_bytes()

    ahead = found(tmp_path / "ahead.parquet")
    monkeypatch.setattr(contest, "Ahead", lambda stream: stream)
    assert found(tmp_path / "plain.parquet") == ahead
