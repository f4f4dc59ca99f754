"""One door for every source: `read` finds the reader from the file's ending or the object's type."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from askance.data.arrays import read_arrays
from askance.data.files import existing_file, listed, shown
from askance.data.frames import is_frame, read_frame
from askance.data.jsonl import JsonLinesStream
from askance.data.npz import read_npz
from askance.data.parquet import ParquetStream
from askance.data.recipe import Recipe, several_names
from askance.data.stream import Chunk, Stream
from askance.data.tables import TableStream
from askance.errors import DataError

_FORMAT_OF_ENDING = {
    "svm": "svmlight",
    "svmlight": "svmlight",
    "libsvm": "svmlight",
    "txt": "svmlight",
    "csv": "csv",
    "tsv": "tsv",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "parquet": "parquet",
    "npz": "npz",
}
STANDARD_INPUT = "-"
_RECIPE = {"label", "text", "categories", "drop", "bits", "pairs"}
_OPTIONS = {
    "svmlight": {"zero_based"},
    "csv": _RECIPE | {"delimiter"},
    "tsv": _RECIPE | {"delimiter"},
    "jsonl": _RECIPE,
    "parquet": _RECIPE,
    "npz": {"label", "shuffle"},
    "data frame": _RECIPE | {"y", "shuffle"},
    "array": {"y", "shuffle"},
}


@dataclass(frozen=True)
class Unlabelled:
    """A stream whose labels are passed over."""

    stream: Stream

    @property
    def name(self) -> str:
        """The name of the stream."""
        return self.stream.name

    def __iter__(self) -> Iterator[Chunk]:
        return (chunk._replace(y=None) for chunk in self.stream)


def read(
    source: Any,
    *,
    format: str | None = None,  # noqa: A002 - the word that users expect
    y: Any = None,
    label: str | Literal[False] | None = None,
    text: str | Literal[False] | None = None,
    categories: Iterable[str] = (),
    drop: Iterable[str] = (),
    bits: int = 20,
    pairs: bool = False,
    delimiter: str | None = None,
    zero_based: bool = False,
    dtype: str = "float32",
    chunk_rows: int = 2048,
    shuffle: int | None = None,
) -> Stream:
    """Any source of labelled rows as a stream, which can be gone through again and again.

    `source` is the path of a file (svmlight, CSV, TSV, JSON lines, Parquet or npz; text also with gzip), a NumPy
    array or SciPy matrix, or a data frame of pandas, polars or pyarrow. Files are read chunk by chunk, except npz,
    which is loaded whole; svmlight may also come from "-", standard input, or from an open file. Whatever is wrong
    with a source or an option raises `DataError`: one sentence.

    Args:
        format: one of svmlight, csv, tsv, jsonl, parquet, npz where the file's ending does not say it.
        y: the labels of an array or a data frame.
        label: the field that holds the label (in npz the array, "y" unless said). Unless said, it is the first
            there is of label, y, class, target, in upper or lower case. False gives rows without labels, in
            which that field is still left out.
        text: the field to hash as text; no other field is then used. Unless said, it is a field "text" that holds
            strings, if there is one. False takes every field as part of a record.
        categories, drop: fields to take as categories although they hold numbers; fields to leave out.
        bits, pairs: text and records are hashed into 2**bits columns; pairs adds neighbouring words to the words.
        delimiter: what separates the cells of a CSV file.
        zero_based: whether the first column of a svmlight file is 0, not 1.
        dtype: float32 or float64.
        chunk_rows: the number of rows in a chunk; svmlight files are cut by bytes instead.
        shuffle: a random_state for a random order, for sources in memory and npz.

    A table whose feature columns are all numeric gives dense rows, in the order of its columns. Any other table
    and JSON lines give hashed rows, as `hash_texts` and `hash_records` make them. Empty cells and nulls
    are absent: 0.
    """
    given = {
        "y": y is not None,
        "label": bool(label),
        "text": text is not None,
        "categories": bool(categories),
        "drop": bool(drop),
        "bits": bits != 20,
        "pairs": pairs,
        "delimiter": delimiter is not None,
        "zero_based": zero_based,
        "shuffle": shuffle is not None,
    }
    if not isinstance(chunk_rows, int) or chunk_rows < 1:
        raise DataError(f"chunk_rows={shown(chunk_rows)}: give a whole number from 1 on")
    kind = _kind(source, format)
    _refuse_meaningless([option for option, was_given in given.items() if was_given], kind)
    recipe = Recipe(
        label, text, several_names("categories", categories), several_names("drop", drop), bits, pairs, dtype
    )
    if kind in ("array", "data frame"):
        return _read_memory(source, y, kind, recipe, chunk_rows, shuffle)
    if kind == "svmlight":
        from askance.data.svmlight import read_svmlight  # loads the compiler, which no other format needs

        stream = read_svmlight(source, dtype=dtype, zero_based=zero_based)
        return stream if label is None else Unlabelled(stream)
    return _read_file(Path(source), kind, recipe, chunk_rows, shuffle, delimiter)


def _read_file(
    path: Path, kind: str, recipe: Recipe, chunk_rows: int, shuffle: int | None, delimiter: str | None
) -> Stream:
    match kind:
        case "npz":
            return read_npz(path, label=recipe.label, dtype=recipe.dtype, chunk_rows=chunk_rows, shuffle=shuffle)
        case "jsonl":
            return JsonLinesStream(path, recipe, chunk_rows)
        case "parquet":
            return ParquetStream(path, recipe, chunk_rows)
        case _:
            return TableStream(path, recipe, chunk_rows, delimiter or ("\t" if kind == "tsv" else ","))


def _read_memory(source: Any, y: Any, kind: str, recipe: Recipe, chunk_rows: int, shuffle: int | None) -> Stream:
    if y is not None and recipe.label is not None:
        raise DataError("both y and label are given: leave one out")
    if kind == "data frame":
        if y is not None:
            recipe = replace(recipe, label=False)
        return read_frame(source, y, name=kind, recipe=recipe, chunk_rows=chunk_rows, shuffle=shuffle)
    if y is None and recipe.label is not False:
        raise DataError("an array has no labels of its own: give y, or set label=False for rows without labels")
    return read_arrays(source, y, name=kind, dtype=recipe.dtype, chunk_rows=chunk_rows, shuffle=shuffle)


def _kind(source: Any, named: str | None) -> str:
    """What a source is: a file's format, an array or a data frame."""
    if hasattr(source, "readinto") or (isinstance(source, str) and source == STANDARD_INPUT):
        if named != "svmlight":
            raise DataError(
                "only svmlight is read from a pipe or an open file: pass format='svmlight', or give a path",
                parameter="format",
            )
        return named
    if isinstance(source, str | PathLike):
        return format_of(existing_file(source), named)
    if named is not None:
        raise DataError(f"format={shown(named)}: only a file has a format, and this is a {type(source).__name__}")
    if is_frame(source):
        return "data frame"
    if isinstance(source, np.ndarray) or sp.issparse(source):
        return "array"
    raise DataError(
        f"a {type(source).__name__} cannot be read: give a path, a NumPy array, a SciPy matrix or a data frame"
    )


def format_of(path: Path, named: str | None) -> str:
    """A file's format: what is named, or else what its ending says."""
    formats = sorted(set(_FORMAT_OF_ENDING.values()))
    if named is not None:
        if named not in formats:
            raise DataError(f"format={shown(named)}: give one of {listed(formats)}", parameter="format")
        return named
    ending = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    if ending not in _FORMAT_OF_ENDING:
        raise DataError(
            f"{path}: unrecognised file extension: pass format= one of {listed(formats)}", parameter="format"
        )
    return _FORMAT_OF_ENDING[ending]


def _refuse_meaningless(given: list[str], kind: str) -> None:
    """An option that would be passed over in silence is most likely a mistake."""
    for option in given:
        if option in _OPTIONS[kind]:
            continue
        if option == "shuffle":
            raise DataError(
                f"shuffle needs all rows in memory and {kind} is read as a stream: shuffle the file itself, "
                "or load it and give arrays"
            )
        raise DataError(f"{option} has no meaning for {kind}: leave it out")
