"""A file as a stream, and its classes."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.cli.options import Reading
from askance.cli.output.progress import Watched, progress
from askance.data import Stream, read
from askance.data.arrays import read_arrays
from askance.data.files import listed
from askance.data.kinds import SHOWN, ColumnPlan, has_other_notation
from askance.data.mixed import take_rows
from askance.data.raw_tables import CsvTable, first_rows
from askance.data.saved_plans import read_as_saved
from askance.data.stacking import of_width, stacked, widened
from askance.data.stream import Chunk
from askance.data.tables import HEAD_ROWS, TableStream, header_delimiter
from askance.data.typed import TypedTable, is_table, read_table
from askance.errors import DataError

CHUNK_ROWS = 2048
# More classes than this are most likely numbers to be predicted, or ids.
MOST_CLASSES, MOST_FRACTIONS = 1000, 100
FEW_FRACTIONS, ROWS_PER_FRACTION = 10, 4
FEW_CLASSES, ROWS_PER_CLASS = 100, 2
LOOKED_AT = 1000  # rows of a pipe, to find the classes
PIPE_WIDTH = 1 << 20  # columns of sparse rows of a pipe


class Classes(NamedTuple):
    """The classes, the number of rows at the beginning that are all of one class, and which is positive.

    `new` are those that a model which goes on does not know.
    """

    values: list[Any]
    alone: int = 0
    positive: int = 1
    new: Sequence[Any] = ()

    @property
    def pair(self) -> list[Any]:
        """The negative and the positive of two classes."""
        return [self.values[1 - self.positive], self.values[self.positive]]


def open_file(file: Path, reading: Reading, dtype: str, *, labelled: bool = True) -> Stream:
    """Open a file for reading, with its rows in the requested order."""
    stream = read(
        file,
        format=reading.format,
        label=reading.label if labelled else False,
        text=one_text(reading),
        drop=reading.drop or (),
        categories=reading.category or (),
        pairs=reading.pairs,
        delimiter=reading.delimiter,
        zero_based=reading.zero_based,
        dtype=dtype,
        chunk_rows=CHUNK_ROWS,
    )
    return stream if reading.shuffle is None else _shuffled(stream, reading.shuffle, dtype)


def one_text(reading: Reading) -> str | None:
    """The column with the text, for readers that take only one."""
    if reading.text is not None and len(reading.text) > 1:
        raise ValueError("only the automatic learner reads several columns of text: give --text once")
    return reading.text[0] if reading.text else None


def open_typed(
    file: Path, reading: Reading, saved: dict[str, Any] | None = None, *, labelled: bool = True
) -> Stream:
    """Open a file for the automatic learner: tables by the kinds of their columns, others as they are.

    `saved` is how a model has read its table before.
    """
    if not is_table(file, reading.format):
        for name in ("number", "date", "labels", "id"):
            if getattr(reading, name):
                raise ValueError(f"--{name} is for tables: csv, tsv, jsonl, parquet, xlsx, ris and nbib")
        return open_file(file, reading, "float64")
    if reading.zero_based:
        raise ValueError("--zero-based is for svmlight files")
    if reading.shuffle is not None and reading.shuffle < 0:
        raise ValueError(f"--shuffle {reading.shuffle}: give a whole number, 0 or more")
    common: dict[str, Any] = {
        "format": reading.format,
        "label": reading.label if labelled else False,
        "delimiter": reading.delimiter,
        "chunk_rows": CHUNK_ROWS,
        "shuffle": reading.shuffle is not None,
        "random_state": reading.shuffle,
        "labels": reading.labels,
        "id": reading.id,
    }
    if saved is not None:
        return read_as_saved(file, saved, **common)
    return read_table(
        file,
        text=reading.text or (),
        categories=reading.category or (),
        numbers=reading.number or (),
        dates=reading.date or (),
        pairs=reading.pairs,
        drop=reading.drop or (),
        **common,
    )


@dataclass(frozen=True)
class Derived:
    """A stream that is made of another one."""

    stream: Stream

    @property
    def name(self) -> str:
        """The name of the stream."""
        return self.stream.name


@dataclass(frozen=True)
class Widened(Derived):
    """A stream whose sparse rows are all as wide as the widest."""

    width: int

    def __iter__(self) -> Iterator[Chunk]:
        for chunk in self.stream:
            narrow = not isinstance(chunk.X, np.ndarray) and chunk.X.shape[1] < self.width
            yield chunk._replace(X=widened(chunk.X, self.width)) if narrow else chunk


@dataclass(frozen=True)
class AsLearned(Derived):
    """A stream whose sparse rows are as wide as those that a model has learned. It has room for no others."""

    width: int

    def __iter__(self) -> Iterator[Chunk]:
        return (chunk._replace(X=of_width(chunk.X, self.width)) for chunk in self.stream)


@dataclass(frozen=True)
class InParts(Derived):
    """A stream in chunks of few rows, so that a run can stop soon."""

    rows: int

    def __iter__(self) -> Iterator[Chunk]:
        for chunk in self.stream:
            for start in range(0, chunk.X.shape[0], self.rows):
                yield rows_of(chunk, start, start + self.rows)


@dataclass(frozen=True)
class FirstRows(Derived):
    """The beginning of a stream."""

    rows: int

    def __iter__(self) -> Iterator[Chunk]:
        left = self.rows
        for chunk in self.stream:
            yield rows_of(chunk, 0, left)
            left -= chunk.X.shape[0]
            if left <= 0:
                return


def rows_of(chunk: Chunk, start: int, stop: int) -> Chunk:
    """Some rows of a chunk."""
    rows = slice(start, stop)
    return chunk._replace(
        X=take_rows(chunk.X, rows),
        y=None if chunk.y is None else chunk.y[rows],
        ids=None if chunk.ids is None else chunk.ids[rows],
    )


@dataclass(frozen=True)
class Shuffled(Derived):
    """A stream whose rows were loaded and shuffled."""

    rows: Stream

    def __iter__(self) -> Iterator[Chunk]:
        return iter(self.rows)


@dataclass(eq=False)
class Once:
    """A pipe, which can be read only once. Its first rows are looked at before, to find the classes.

    `classes` are those that rows may have, and `width` is the number of columns of sparse rows, if that is fixed.
    `goes_on` says whether a model has these classes already, so that they cannot be named.
    """

    stream: Stream
    place: str
    classes: list[Any] = field(default_factory=list)
    width: int | None = None
    goes_on: bool = False

    def __post_init__(self) -> None:
        self._chunks = iter(self.stream)
        self._waiting: list[Chunk] = []

    @property
    def name(self) -> str:
        """The name of the stream."""
        return self.stream.name

    def look(self) -> Iterator[Chunk]:
        """The first chunks, which stay to be read."""
        for chunk in self._chunks:
            self._waiting.append(chunk)
            yield chunk

    def __iter__(self) -> Iterator[Chunk]:
        waiting, self._waiting = self._waiting, []
        for chunk in chain(waiting, self._chunks):
            self._check_classes(chunk)
            if self.width is None or isinstance(chunk.X, np.ndarray) or not hasattr(chunk.X, "indptr"):
                yield chunk
                continue
            if chunk.X.shape[1] > self.width:
                raise DataError(
                    f"{self.place}: has a feature {chunk.X.shape[1]:,}, but in a pipe there is room for "
                    f"{self.width:,}: save it to a file first"
                )
            yield chunk._replace(X=widened(chunk.X, self.width))

    def _check_classes(self, chunk: Chunk) -> None:
        new = set(np.unique(_labels(chunk, self.place)).tolist()).difference(self.classes)
        if new:
            raise DataError(f"{self.place}: {self._refusal(min(new))}")

    def _refusal(self, new: Any) -> str:
        """Why rows of a class that comes too late are refused, and what helps."""
        if self.goes_on:
            known = ", ".join(map(repr, self.classes[:10]))
            return (
                f"unknown class {new!r}: the model knows {known}, and in a pipe it cannot learn of others: "
                "save the pipe to a file"
            )
        example = ",".join(str(value) for value in (*self.classes[:10], new))
        return (
            "a class did not appear in the first rows of the pipe: name all classes, for example "
            f"--classes {example}"
        )


def origin_of(stream: Stream) -> Stream:
    """The stream that was read from a file, whatever became of its rows."""
    while isinstance(stream, Derived | Once):
        stream = stream.stream
    return stream


@dataclass(frozen=True)
class _LabelsOnly:
    """A table without its features, which is faster to read."""

    table: TypedTable

    @property
    def name(self) -> str:
        return self.table.name

    def __iter__(self) -> Iterator[Chunk]:
        return self.table.labels_only()


def _labels_only(stream: Stream) -> Stream:
    return _LabelsOnly(stream) if isinstance(stream, TypedTable) else stream


def survey(stream: Stream, given: str | None, place: str) -> tuple[Stream, Classes]:
    """The stream with rows of one width, and its classes, from one pass over all labels."""
    classes: set[Any] = set()
    width = alone = rows = 0
    labels = np.empty(0)
    with progress("looking for classes") as report:
        for chunk in Watched(_labels_only(stream), report):
            labels = _labels(chunk, place)
            classes.update(np.unique(labels).tolist())
            _check_are_classes(classes, place)
            rows += len(labels)
            width = max(width, chunk.X.shape[1])
            alone += chunk.X.shape[0] if len(classes) == 1 else 0
    _check_are_classes(classes, place, rows)
    if not isinstance(stream, TypedTable):
        stream = Widened(stream, width)
    if given is not None:
        return stream, Classes(_known(classes, _parsed(given, labels, many=True), place))
    if len(classes) < 2:
        raise _only_one(classes, place)
    shuffled = isinstance(stream, TypedTable) and stream.shuffle
    return stream, Classes(sorted(classes), 0 if shuffled else alone)


def survey_further(stream: Stream, known: list[Any], place: str) -> Classes:
    """The classes of a model, and those that are new in a stream, from one pass over all labels."""
    new: set[Any] = set()
    rows = 0
    with progress("looking for new classes") as report:
        for chunk in Watched(_labels_only(stream), report):
            labels = _labels(chunk, place)
            check_are_like(labels, known, place)
            new.update(np.unique(labels).tolist())
            new.difference_update(known)
            _check_are_classes(new, place)
            rows += len(labels)
    _check_are_classes(new, place, rows)
    both = new.union(known)
    if len(both) < 2:
        raise _only_one(both, place)
    return Classes(sorted(both), new=sorted(new))


def survey_pipe(stream: Stream, given: str | None, place: str, *, automatic: bool) -> tuple[Stream, Classes]:
    """The stream, to be read once, and the classes of its first rows, or those given.

    An automatic learner has a fixed number of columns, so that sparse rows get room for many.
    """
    once = Once(stream, place)
    found: set[Any] = set()
    rows, width, labels = 0, 0, np.empty(0)
    for chunk in once.look():
        labels = _labels(chunk, place)
        found.update(np.unique(labels).tolist())
        _check_are_classes(found, place)
        rows, width = rows + len(labels), chunk.X.shape[1]
        if rows >= LOOKED_AT and (len(found) > 1 or given is not None):
            break
    _check_are_classes(found, place, rows)
    if given is not None:
        once.classes = _known(found, _parsed(given, labels, many=True), place)
    elif len(found) < 2:
        raise _only_one(found, place)
    else:
        once.classes = sorted(found)
    once.width = max(PIPE_WIDTH, 2 * width) if automatic else None
    return once, Classes(once.classes)


def _known(found: set[Any], classes: list[Any], place: str) -> list[Any]:
    """The given classes, if the file has no others."""
    if unknown := sorted(found.difference(classes)):
        listed = ", ".join(map(repr, classes))
        raise ValueError(f"{place}: unknown class {unknown[0]!r}: the classes are {listed}")
    return classes


def columns_of(stream: Stream) -> tuple[ColumnPlan, ...] | None:
    """The columns of a table with their kinds; None for other streams."""
    stream = origin_of(stream)
    return stream.columns if isinstance(stream, TypedTable) else None


def nearly_numbers_note(stream: Stream) -> list[str]:
    """What to say about columns that would be numbers but for a few words, such as `-` for missing ones."""
    stream = origin_of(stream)
    found = stream.nearly[:SHOWN] if isinstance(stream, TypedTable) else ()
    if not found:
        return []
    columns = "; ".join(
        f"{one.name} ({min(round(100 * one.share), 99)} %, but also {listed(one.words)})" for one in found
    )
    return [
        f"Not read as numbers, though most of their first values are: {columns}. With --number {found[0].name}, "
        "others count as missing."
    ]


def notation_note(stream: Stream) -> list[str]:
    """What to say about columns that only the automatic learner reads as numbers or dates, such as `$23.35`."""
    stream = origin_of(stream)
    if not isinstance(stream, TableStream) or stream.layout is None or stream.file is not None:
        return []
    layout = stream.layout
    head = first_rows(CsvTable(stream.path, stream.delimiter), HEAD_ROWS).columns
    words = [name for name in layout.features if name not in layout.numeric and name != layout.fields.text]
    found = [name for name in words if has_other_notation(head[name])][:SHOWN]
    if not found:
        return []
    return [
        f"Read as categories, though they are numbers or dates: {listed(found)}. The automatic learner reads them "
        "as such: leave out -a. Or write plain numbers into the file."
    ]


def unmatched_note(stream: Stream, labels: Path | None) -> list[str]:
    """What to say about rows and labels in another table that did not find each other."""
    found = getattr(origin_of(stream), "unmatched", None)
    if found is None or not (found.rows or found.labels):
        return []
    return [
        f"Rows without a label in {Path(str(labels)).name}, which were left out: {found.rows:,}. Labels there "
        f"without a row: {found.labels:,}."
    ]


def delimiter_of(stream: Stream) -> str | None:
    """What separates the cells of a table of text, if that was guessed and is not a comma or a tab."""
    found = getattr(origin_of(stream), "table", origin_of(stream))
    delimiter = getattr(found, "delimiter", None)
    if isinstance(found, CsvTable) and delimiter is None and found.file is None:
        delimiter = header_delimiter(found.path, None)
    return None if delimiter in (",", "\t") else delimiter


def check_are_like(labels: NDArray[Any], known: Sequence[Any], place: str) -> None:
    """Raise ValueError if labels are numbers and the classes of a model are not, or the other way round."""
    if (labels.dtype.kind == "U") != isinstance(known[0], str):
        raise ValueError(
            f"{place}: the labels are like {labels[0].item()!r}, but the classes of the model are like "
            f"{known[0]!r}: name the column of the label with --label"
        )


def _check_are_classes(classes: set[Any], place: str, rows: int | None = None) -> None:
    """Raise ValueError if labels are numbers to be predicted rather than classes.

    `rows` is the number of labels, once all were seen: of a short table, few different ones are many.
    """
    fractions = any(isinstance(value, float) and value % 1 for value in classes)
    most = MOST_FRACTIONS if fractions else MOST_CLASSES
    if rows is not None:
        few, per_label = (FEW_FRACTIONS, ROWS_PER_FRACTION) if fractions else (FEW_CLASSES, ROWS_PER_CLASS)
        most = min(most, max(few, rows // per_label))
    if len(classes) > most:
        shown = ", ".join(f"{value!r}" for value in sorted(classes)[:3])
        kind = "number to predict (regression)" if fractions else "number or an id"
        raise ValueError(
            f"{place} has more than {most:,} different labels ({shown}, …), as if the label was a {kind}: "
            "pass --regression to predict a number, or name the column of a class with --label"
        )


def _only_one(classes: set[Any], place: str) -> ValueError:
    return ValueError(f"{place} has only one class, {classes.pop()!r}: there is nothing to learn")


def _shuffled(stream: Stream, seed: int, dtype: str) -> Stream:
    """Load all rows and shuffle them: a stream can only be shuffled as a whole."""
    if seed < 0:
        raise ValueError(f"--shuffle {seed}: give a whole number, 0 or more")
    with progress("loading") as report:
        chunks = list(Watched(stream, report))
    labels = None if chunks[0].y is None else np.concatenate([chunk.y for chunk in chunks])
    rows = stacked([chunk.X for chunk in chunks])
    return Shuffled(
        stream,
        read_arrays(
            rows, labels, name=stream.name, dtype=dtype, chunk_rows=CHUNK_ROWS, shuffle=True, random_state=seed
        ),
    )


def find_classes(stream: Stream, given: str | None, place: str, *, many: bool) -> Classes:
    """The given classes, or else those in the file; `place` is for messages.

    A binary method needs both classes before the first row, to know which is the positive one. If there may be
    `many`, all rows are read, so that decisions do not depend on when a class first appears.
    """
    if given is not None:
        classes = _parsed(given, _labels(next(iter(stream)), place), many=many)
        if many:  # a method for two refuses others itself
            with progress("looking for other classes") as report:
                for chunk in Watched(stream, report):
                    _known(set(np.unique(_labels(chunk, place)).tolist()), classes, place)
        return Classes(classes)
    with progress("looking for classes" if many else "looking for the second class") as report:
        return (_all_found if many else _found)(Watched(stream, report), place)


def count_rows(stream: Stream, classes: Sequence[Any], place: str) -> list[int]:
    """The number of rows of each class."""
    counts: Counter[Any] = Counter()
    with progress("counting the classes") as report:
        for chunk in Watched(stream, report):
            counts.update(_labels(chunk, place).tolist())
    return [counts[value] for value in classes]


def _all_found(chunks: Iterable[Chunk], place: str) -> Classes:
    classes: set[Any] = set()
    rows = 0
    for chunk in chunks:
        labels = _labels(chunk, place)
        classes.update(np.unique(labels).tolist())
        rows += len(labels)
        _check_are_classes(classes, place)
    _check_are_classes(classes, place, rows)
    if len(classes) < 2:
        raise _only_one(classes, place)
    return Classes(sorted(classes))


def _found(chunks: Iterable[Chunk], place: str) -> Classes:
    classes: set[Any] = set()
    alone = 0
    for chunk in chunks:
        classes.update(np.unique(_labels(chunk, place)).tolist())
        _check_are_classes(classes, place, chunk.X.shape[0])
        check_are_two(classes, place)
        if len(classes) == 2:
            return Classes(sorted(classes), alone)
        alone += chunk.X.shape[0]
    raise _only_one(classes, place)


def check_are_two(classes: Collection[Any], place: str) -> None:
    """Raise ValueError if there are more than two classes."""
    if len(classes) > 2:
        shown = ", ".join(map(repr, sorted(classes)[:5]))
        raise ValueError(
            f"{place} has more than two classes ({shown}{', …' if len(classes) > 5 else ''}): "
            "use a multiclass method, for example --algorithm MPAA-II, or keep two classes"
        )


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
