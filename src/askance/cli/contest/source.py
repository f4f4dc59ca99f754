"""A file as a stream, and its classes."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.cli.options import Reading
from askance.cli.output.progress import Watched, progress
from askance.data import Stream, read
from askance.data.arrays import read_arrays
from askance.data.stacking import stacked
from askance.data.stream import Chunk

CHUNK_ROWS = 2048


class Classes(NamedTuple):
    """The classes, and the number of rows at the beginning that are all of one class."""

    values: list[Any]
    alone: int = 0


class TooManyClassesError(ValueError):
    """A file has more than two classes, but the method is binary."""


def open_file(file: Path, reading: Reading, dtype: str, *, labelled: bool = True) -> Stream:
    """Open a file for reading, with its rows in the requested order."""
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
    """Load all rows and shuffle them: a stream can only be shuffled as a whole."""
    if seed < 0:
        raise ValueError(f"--shuffle {seed}: give a whole number, 0 or more")
    with progress("loading") as report:
        chunks = list(Watched(stream, report))
    labels = None if chunks[0].y is None else np.concatenate([chunk.y for chunk in chunks])
    rows = stacked([chunk.X for chunk in chunks])
    return read_arrays(
        rows, labels, name=stream.name, dtype=dtype, chunk_rows=CHUNK_ROWS, shuffle=True, random_state=seed
    )


def find_classes(stream: Stream, given: str | None, place: str, *, many: bool) -> Classes:
    """The given classes, or else those in the file; `place` is for messages.

    A binary method needs both classes before the first row, to know which is the positive one. If there may be
    `many`, all rows are read, so that decisions do not depend on when a class first appears.
    """
    if given is not None:
        return Classes(_parsed(given, _labels(next(iter(stream)), place), many=many))
    with progress("looking for classes" if many else "looking for the second class") as report:
        return (_all_found if many else _found)(Watched(stream, report), place)


def _all_found(chunks: Iterable[Chunk], place: str) -> Classes:
    classes: set[Any] = set()
    for chunk in chunks:
        classes.update(np.unique(_labels(chunk, place)).tolist())
    if len(classes) < 2:
        raise ValueError(f"{place} has only one class, {classes.pop()!r}: there is nothing to learn")
    return Classes(sorted(classes))


def _found(chunks: Iterable[Chunk], place: str) -> Classes:
    classes: set[Any] = set()
    alone = 0
    for chunk in chunks:
        classes.update(np.unique(_labels(chunk, place)).tolist())
        if len(classes) > 2:
            shown = ", ".join(map(repr, sorted(classes)[:5]))
            raise TooManyClassesError(
                f"{place} has more than two classes ({shown}{', …' if len(classes) > 5 else ''}): "
                "use a multiclass method, for example --algorithm MPAA-II, or keep two classes"
            )
        if len(classes) == 2:
            return Classes(sorted(classes), alone)
        alone += chunk.X.shape[0]
    raise ValueError(f"{place} has only one class, {classes.pop()!r}: there is nothing to learn")


def _labels(chunk: Chunk, place: str) -> NDArray[Any]:
    if chunk.y is None:
        raise ValueError(f"{place} has no labels, but a simulation needs them")
    return chunk.y


def _parsed(given: str, labels: NDArray[Any], *, many: bool) -> list[Any]:
    """Parse `a,b` to labels of the type in the file: two of them, or more if there may be `many`."""
    names = [name.strip() for name in given.split(",")]
    if len(set(names)) != len(names) or len(names) < 2 or (len(names) > 2 and not many):
        count = "two or more" if many else "two"
        raise ValueError(f"--classes {given}: give {count} different classes, for example --classes ham,spam")
    if labels.dtype.kind == "b":
        return [False, True]
    if labels.dtype.kind not in "iuf":
        return sorted(names)
    try:
        return sorted(float(name) for name in names)
    except ValueError:
        raise ValueError(f"--classes {given}: the labels in the file are numbers: give numbers") from None
