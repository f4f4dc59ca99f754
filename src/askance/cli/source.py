"""A file of the command line as a stream, and the two classes in it."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.cli.options import Reading
from askance.cli.progress import Tell, Watched, progress
from askance.data import Stream, read
from askance.data.arrays import read_arrays
from askance.data.stream import Chunk, Features

CHUNK_ROWS = 2048


class Classes(NamedTuple):
    """The two classes, and how many rows at the beginning are of one of them, as far as was looked."""

    values: list[Any]
    alone: int = 0


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
    """All rows in memory, in a random order: a stream can only be shuffled whole."""
    with progress("loading") as tell:
        chunks = list(Watched(stream, tell))
    labels = None if chunks[0].y is None else np.concatenate([chunk.y for chunk in chunks])
    rows = _stacked([chunk.X for chunk in chunks])
    return read_arrays(rows, labels, name=stream.name, dtype=dtype, chunk_rows=CHUNK_ROWS, shuffle=seed)


def _stacked(parts: list[Features]) -> Features:
    if not sp.issparse(parts[-1]):
        return np.concatenate(parts)
    width = parts[-1].shape[1]  # never narrower than one before it
    return sp.vstack([_widened(part, width) for part in parts], format="csr")


def _widened(part: Any, width: int) -> sp.csr_array:
    return sp.csr_array((part.data, part.indices, part.indptr), shape=(part.shape[0], width))


def two_classes(stream: Stream, given: str | None, place: str) -> Classes:
    """The classes that were given, or else those of the first rows that show two; `place` is for messages.

    A stream that begins with one class for long would otherwise leave open which of the two is the larger.
    """
    chunks = iter(stream)
    first = next(chunks)
    if given is not None:
        return Classes(_parsed(given, _labels(first, place)))
    with progress("looking for the second class") as tell:
        return _found(chain([first], chunks), place, tell)


def _found(chunks: Iterable[Chunk], place: str, tell: Tell) -> Classes:
    classes: set[Any] = set()
    alone = 0
    for chunk in chunks:
        classes.update(np.unique(_labels(chunk, place)).tolist())
        if len(classes) > 2:
            shown = ", ".join(map(repr, sorted(classes)[:5]))
            raise ValueError(
                f"{place} has more than two classes ({shown}{', …' if len(classes) > 5 else ''}): "
                "keep two of them, or make a column that says whether it is one of them"
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


def _parsed(given: str, labels: NDArray[Any]) -> list[Any]:
    """`a,b` as two labels of the kind that the file has."""
    names = [name.strip() for name in given.split(",")]
    if len(set(names)) != 2:
        raise ValueError(f"--classes {given}: give two different classes, as in --classes ham,spam")
    if labels.dtype.kind == "b":
        return [False, True]
    if labels.dtype.kind not in "iuf":
        return sorted(names)
    try:
        return sorted(float(name) for name in names)
    except ValueError:
        raise ValueError(f"--classes {given}: the labels of the file are numbers, so give two numbers") from None
