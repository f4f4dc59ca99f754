"""`read`: a stream from any source, by the extension of the file or the type of the object."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from askance.data.arrays import read_arrays
from askance.data.files import INPUT_NAME, existing_file, is_pipe, listed, opened_pipe, shown
from askance.data.frames import is_frame, read_frame
from askance.data.guessing import ENOUGH, guessed_format
from askance.data.jsonl import JsonLinesStream
from askance.data.npz import read_npz
from askance.data.parquet import ParquetStream
from askance.data.recipe import Recipe, several_names
from askance.data.stream import Stream
from askance.data.tables import TableStream, header_delimiter
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
    "xlsx": "xlsx",
    "ris": "ris",
    "nbib": "nbib",
}
FORMATS = sorted(set(_FORMAT_OF_ENDING.values()))
IN_PIPES = ("csv", "jsonl", "nbib", "ris", "svmlight", "tsv")
_RECIPE = {"label", "text", "categories", "drop", "bits", "pairs"}
_OPTIONS = {
    "svmlight": {"zero_based"},
    "csv": _RECIPE | {"delimiter"},
    "tsv": _RECIPE | {"delimiter"},
    "jsonl": _RECIPE,
    "parquet": _RECIPE,
    "npz": {"label", "shuffle", "random_state"},
    "xlsx": _RECIPE,
    "ris": _RECIPE,
    "nbib": _RECIPE,
    "data frame": _RECIPE | {"y", "shuffle", "random_state"},
    "array": {"y", "shuffle", "random_state"},
}


def check_chunk_rows(chunk_rows: Any) -> None:
    """Raise DataError unless it is a number of rows."""
    if not isinstance(chunk_rows, int) or chunk_rows < 1:
        raise DataError(f"chunk_rows={shown(chunk_rows)}: give a whole number, 1 or more")


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
    shuffle: bool = False,
    random_state: int | None = None,
) -> Stream:
    """Read labelled rows from any source as a stream, which can be iterated more than once.

    A table whose feature columns are all numeric has dense rows, in the order of its columns. All other tables and
    JSON lines have hashed rows, as from `hash_texts` and `hash_records`. Empty cells, nulls, words
    such as NA and ? among numbers, and NaN of pandas become 0. `read_table` has a better way for missing values.

    Parameters
    ----------
    source : str, os.PathLike, file, array-like, sparse matrix or data frame
        The path of a file (svmlight, CSV, TSV, JSON lines, Parquet or npz; text also with gzip), a NumPy array or
        SciPy matrix, or a data frame of pandas, polars or pyarrow. Files are read in chunks, except npz, which is
        loaded as a whole. "-" is standard input, for text formats; svmlight is also read from an open file. A
        pipe can be read only once.
    format : {"svmlight", "csv", "tsv", "jsonl", "parquet", "npz"} or None, default: None
        Format of the file. None means that the extension decides, or else the first bytes.
    y : array-like or None, default: None
        The labels of an array or a data frame.
    label : str, False or None, default: None
        The field with the label; in npz, the name of the array (default: "y"). None means the first field with the
        name label, y, class or target, in upper or lower case. False means rows without labels; the field of the
        label is still not a feature.
    text : str, False or None, default: None
        The field to hash as text; then no other field is used. None means a field "text" that holds strings, if
        there is one. False means that all fields are part of a record.
    categories : iterable of str, default: ()
        Numeric fields to treat as categorical, such as a postcode.
    drop : iterable of str, default: ()
        Fields to leave out.
    bits : int, default: 20
        Text and records are hashed into 2**bits columns.
    pairs : bool, default: False
        Whether each two neighbouring words of a text are also a feature.
    delimiter : str or None, default: None
        What separates the cells of a CSV file. None means a tab for TSV, and for CSV that the header decides: a
        comma, or else a semicolon, tab or vertical bar.
    zero_based : bool, default: False
        Whether the first column of a svmlight file is 0 instead of 1.
    dtype : {"float32", "float64"}, default: "float32"
        Type of the values.
    chunk_rows : int, default: 2048
        Number of rows per chunk. svmlight files are cut by bytes instead.
    shuffle : bool, default: False
        Whether rows come in random order, for sources in memory and npz.
    random_state : int or None, default: None
        Decides the order if `shuffle` is True. None means a different order each time that `read` is called.

    Returns
    -------
    stream : Stream

    Raises
    ------
    askance.errors.DataError
        If the source or an option cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.data import read
    >>> stream = read(np.eye(3), y=["a", "b", "a"], shuffle=True, random_state=0)
    >>> [chunk.X.shape for chunk in stream]
    [(3, 3)]
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
        "shuffle": shuffle is not False,
        "random_state": random_state is not None,
    }
    check_chunk_rows(chunk_rows)
    kind = _kind(source, format)
    _refuse_meaningless([option for option, was_given in given.items() if was_given], kind)
    recipe = Recipe(
        label, text, several_names("categories", categories), several_names("drop", drop), bits, pairs, dtype
    )
    order: dict[str, Any] = {"shuffle": shuffle, "random_state": random_state}
    if kind in ("array", "data frame"):
        return _read_memory(source, y, kind, recipe, order | {"chunk_rows": chunk_rows})
    file = opened_pipe(source) if is_pipe(source) else None
    if kind == "svmlight":
        from askance.data.svmlight import read_svmlight  # imports the compiler, which no other format needs

        return read_svmlight(file or source, dtype=dtype, zero_based=zero_based, labels=label is None)
    path = Path(source) if file is None else INPUT_NAME
    match kind:
        case "npz":
            return read_npz(path, label=recipe.label, dtype=recipe.dtype, chunk_rows=chunk_rows, **order)
        case "jsonl":
            return JsonLinesStream(path, recipe, chunk_rows, file)
        case "parquet":
            return ParquetStream(path, recipe, chunk_rows)
        case "xlsx" | "ris" | "nbib":
            what = "workbooks" if kind == "xlsx" else "references"
            raise DataError(f"{path}: only the automatic learner and read_table read {what}: save it as CSV")
        case _:
            delimiter = delimiter or ("\t" if kind == "tsv" else header_delimiter(path, file))
            return TableStream(path, recipe, chunk_rows, delimiter, file)


def _read_memory(source: Any, y: Any, kind: str, recipe: Recipe, how: dict[str, Any]) -> Stream:
    if y is not None and recipe.label is not None:
        raise DataError("both y and label are given: leave one out")
    if kind == "data frame":
        if y is not None:
            recipe = replace(recipe, label=False)
        return read_frame(source, y, name=kind, recipe=recipe, **how)
    if y is None and recipe.label is not False:
        raise DataError("an array has no labels: give y, or set label=False for rows without labels")
    return read_arrays(source, y, name=kind, dtype=recipe.dtype, **how)


def _kind(source: Any, named: str | None) -> str:
    """The kind of a source: the format of a file, "array" or "data frame"."""
    if is_pipe(source):
        return pipe_format(source, named)
    if hasattr(source, "readinto"):
        if named != "svmlight":
            raise DataError(
                "only svmlight is read from an open file: pass format='svmlight', or give a path",
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


def format_of(path: Path, named: str | None, formats: Collection[str] = FORMATS) -> str:
    """The format of a file: as named, or by its extension or first bytes. `formats` are what may be named."""
    if named is not None:
        if named not in formats:
            raise DataError(f"format={shown(named)}: give one of {listed(sorted(formats))}", parameter="format")
        return named
    ending = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    if ending not in _FORMAT_OF_ENDING or ending == "txt":
        with path.open("rb") as file:
            guessed = guessed_format(file.read(ENOUGH), str(path))
        if guessed is not None:
            return guessed
    # A text is not called svmlight where that would be refused: it may be anything.
    if ending not in _FORMAT_OF_ENDING or (ending == "txt" and "svmlight" not in formats):
        raise DataError(
            f"{path}: unrecognised file extension: pass format= one of {listed(sorted(formats))}",
            parameter="format",
        )
    return _FORMAT_OF_ENDING[ending]


def pipe_format(source: str | PathLike[str], named: str | None) -> str:
    """The format of a pipe: as named, or by its first bytes."""
    kind = named or guessed_format(opened_pipe(source).peek(ENOUGH), str(INPUT_NAME))
    if kind is None:
        raise DataError(
            f"{INPUT_NAME}: the first bytes do not show the format: pass format= one of {listed(IN_PIPES)}",
            parameter="format",
        )
    if kind not in IN_PIPES:
        raise DataError(
            f"{INPUT_NAME}: {kind} is not read from a pipe: save it to a file, or use {listed(IN_PIPES)}"
        )
    return kind


def _refuse_meaningless(given: list[str], kind: str) -> None:
    """Raise DataError for an option that would have no effect: it is probably a mistake."""
    for option in given:
        if option in _OPTIONS[kind]:
            continue
        if option == "shuffle":
            raise DataError(
                f"shuffle needs all rows in memory, but {kind} is read as a stream: shuffle the file itself, "
                "or load it and give arrays"
            )
        raise DataError(f"{option} has no effect for {kind}: leave it out")
