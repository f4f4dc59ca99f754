"""A file of the command line as a stream, and the classes in it."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.cli.options import Reading
from askance.cli.output.progress import Watched, progress
from askance.data import Stream, read
from askance.data.arrays import read_arrays
from askance.data.stacking import stacked
from askance.data.stream import Chunk, Tell

CHUNK_ROWS = 2048


class Classes(NamedTuple):
    """The classes, and how many rows at the beginning are of one of them, as far as was looked."""

    values: list[Any]
    alone: int = 0


class MoreThanTwo(ValueError):
    """A file has more classes than a method for two can take."""


def open_file(file: Path, reading: Reading, dtype: str, *, labelled: bool = True) -> Stream:
    """The rows of a file, in the order that was asked for."""
    stream = read(
        file,
        format=reading.format,
        label=reading.label if labelled else False,
        text=reading.text,
        drop=reading.drop or (),
        categories=reading.category or (),
        delimiter=reading.delimiter,
        zero_based=reading.zero_based,
        dtype=dtype,
        chunk_rows=CHUNK_ROWS,
    )
    return stream if reading.shuffle is None else _shuffled(stream, reading.shuffle, dtype)


def _shuffled(stream: Stream, seed: int, dtype: str) -> Stream:
    """All rows in memory, in a random order: a stream can only be shuffled as a whole."""
    if seed < 0:
        raise ValueError(f"--shuffle {seed}: give a whole number, 0 or more")
    with progress("loading") as tell:
        chunks = list(Watched(stream, tell))
    labels = None if chunks[0].y is None else np.concatenate([chunk.y for chunk in chunks])
    rows = stacked([chunk.X for chunk in chunks])
    return read_arrays(
        rows, labels, name=stream.name, dtype=dtype, chunk_rows=CHUNK_ROWS, shuffle=True, random_state=seed
    )


def find_classes(stream: Stream, given: str | None, place: str, *, many: bool) -> Classes:
    """The classes that were given, or else those of the first rows that show two; `place` is for messages.

    A stream that begins with one class for long would otherwise leave open which of the two is the larger. If
    there may be `many`, all rows are looked at, so that decisions do not depend on when a class first appears.
    """
    chunks = iter(stream)
    first = next(chunks)
    if given is not None:
        return Classes(_parsed(given, _labels(first, place), many=many))
    with progress("looking for classes" if many else "looking for the second class") as tell:
        return (_all_found if many else _found)(chain([first], chunks), place, tell)


def _all_found(chunks: Iterable[Chunk], place: str, tell: Tell) -> Classes:
    classes: set[Any] = set()
    for chunk in chunks:
        classes.update(np.unique(_labels(chunk, place)).tolist())
        tell(chunk.progress)
    if len(classes) < 2:
        raise ValueError(f"{place} has only the class {classes.pop()!r}: there is nothing to tell apart")
    return Classes(sorted(classes))


def _found(chunks: Iterable[Chunk], place: str, tell: Tell) -> Classes:
    classes: set[Any] = set()
    alone = 0
    for chunk in chunks:
        classes.update(np.unique(_labels(chunk, place)).tolist())
        if len(classes) > 2:
            shown = ", ".join(map(repr, sorted(classes)[:5]))
            raise MoreThanTwo(
                f"{place} has more than two classes ({shown}{', …' if len(classes) > 5 else ''}): "
                "take a multiclass method, as in --algorithm MPAA-II, or keep two of them"
            )
        if len(classes) == 2:
            return Classes(sorted(classes), alone)
        alone += chunk.X.shape[0]
        tell(chunk.progress)
    raise ValueError(f"{place} has only the class {classes.pop()!r}: there is nothing to tell apart")


def _labels(chunk: Chunk, place: str) -> NDArray[Any]:
    if chunk.y is None:
        raise ValueError(f"{place} has no labels, but a simulation needs them")
    return chunk.y


def _parsed(given: str, labels: NDArray[Any], *, many: bool) -> list[Any]:
    """`a,b` as labels of the kind that the file has, two of them unless there may be `many`."""
    names = [name.strip() for name in given.split(",")]
    if len(set(names)) != len(names) or len(names) < 2 or (len(names) > 2 and not many):
        count = "two or more" if many else "two"
        raise ValueError(f"--classes {given}: give {count} different classes, as in --classes ham,spam")
    if labels.dtype.kind == "b":
        return [False, True]
    if labels.dtype.kind not in "iuf":
        return sorted(names)
    try:
        return sorted(float(name) for name in names)
    except ValueError:
        raise ValueError(f"--classes {given}: the labels of the file are numbers, so give numbers") from None
