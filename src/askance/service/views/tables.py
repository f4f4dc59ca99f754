"""Flat rows as files, piece by piece: CSV, Parquet, and a folder for Hugging Face in a zip archive."""

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from askance._util.optional import require

Rows = list[dict[str, Any]]

# What a spreadsheet takes for the beginning of a formula, also in the wide forms of East Asian keyboards.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Column(NamedTuple):
    """A column of an exported table: its name, its type in Parquet, and its meaning."""

    name: str
    type: str
    meaning: str


PROBABILITY = Column(
    "ask_probability", "float64", "the probability with which the label was asked for; empty if it is not known"
)
CONTENT = (
    Column("item", "int64", "the number of the item"),
    Column("id", "string", "the sender's own id"),
    Column("at", "float64", "when it arrived, in seconds since 1970"),
    Column("text", "string", "the text, of a task of texts"),
    Column("record", "string", "the record as JSON, of a task of records"),
    Column("note", "string", "the note for labellers"),
    Column("image", "string", "the address of the image for labellers"),
    Column("guesses", "string", "the guesses of programs as JSON, by name"),
)
DECISION = (
    Column("ask", "bool_", "whether its label was asked for"),
    Column("prediction", "string", "what the model predicted when it arrived"),
    Column("score", "float64", "the score of this prediction"),
    Column("version", "int64", "the version of the model that made it"),
)
WEIGHT = Column("weight", "float64", "1 / ask_probability; empty if no coin asked for the label")

ITEMS = (
    *CONTENT,
    Column("state", "string", "not asked, open, learned, given up or imported"),
    Column("label", "string", "the label, after corrections"),
    Column("label_probability", "float64", "how probable it was when several votes settled it"),
    PROBABILITY,
    WEIGHT,
    Column("reason", "string", "why it was asked about, if questions are chosen on lease"),
    *DECISION,
    Column("votes", "int64", "how many people labelled it"),
    Column("agreement", "float64", "the share of equal pairs of their labels"),
    Column("corrected", "bool_", "whether the label was corrected"),
    Column("labeller", "string", "who gave the label"),
    Column("labelled_at", "float64", "when, in seconds since 1970"),
    Column("source", "string", "where an imported label comes from"),
)
DECISIONS = (
    *CONTENT,
    *DECISION,
    PROBABILITY,
    WEIGHT,
    Column("coin", "float64", "asked if it was below the probability"),
    Column("rule_probability", "float64", "the probability without the limits of the budget"),
)


class Sink:
    """A file to write to whose content is taken out in pieces, so that memory stays small."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self.closed = False

    def write(self, content: Any) -> int:
        """Append."""
        part = bytes(content)
        self._parts.append(part)
        self._size += len(part)
        return len(part)

    def tell(self) -> int:
        """The number of bytes so far."""
        return self._size

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing follows."""
        self.closed = True

    def taken(self) -> bytes:
        """What was written since the last time."""
        content = b"".join(self._parts)
        self._parts.clear()
        return content


def csv_file(columns: Iterable[Column], batches: Iterable[Rows]) -> Iterator[bytes]:
    """Rows as CSV with a header and the line ends of RFC 4180: with others, Python leaves some cells unquoted."""
    names = [column.name for column in columns]
    yield (",".join(names) + "\r\n").encode()
    for rows in batches:
        text = io.StringIO(newline="")
        csv.writer(text).writerows([_cell(row.get(name)) for name in names] for row in rows)
        yield text.getvalue().encode()


def parquet_file(columns: Iterable[Column], batches: Iterable[Rows]) -> Iterator[bytes]:
    """Rows as Parquet; ImportError, before the first row, if pyarrow is missing."""
    pyarrow, parquet = require("pyarrow", "parquet", "Parquet"), require("pyarrow.parquet", "parquet", "Parquet")
    schema = pyarrow.schema([(column.name, getattr(pyarrow, column.type)()) for column in columns])
    return _parquet_pieces(pyarrow, parquet, schema, batches)


def _parquet_pieces(pyarrow: Any, parquet: Any, schema: Any, batches: Iterable[Rows]) -> Iterator[bytes]:
    sink = Sink()
    with parquet.ParquetWriter(sink, schema) as writer:
        for rows in batches:
            if rows:
                writer.write_table(pyarrow.Table.from_pylist(rows, schema))
                yield sink.taken()
    yield sink.taken()


def zip_file(pieces: Iterator[bytes], name: str, card: Callable[[], str]) -> Iterator[bytes]:
    """An archive with a file and README.md, which is made when the file is complete."""
    sink = Sink()
    with zipfile.ZipFile(sink, "w") as archive:
        with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as file:
            for piece in pieces:
                file.write(piece)
                yield sink.taken()
        archive.writestr(zipfile.ZipInfo("README.md"), card())
    yield sink.taken()


def _cell(value: Any) -> str:
    """A value for CSV. A text that a spreadsheet would run as a formula gets an apostrophe in front."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    return f"'{value}" if value.startswith(FORMULA) and not NUMBER.fullmatch(value) else value
