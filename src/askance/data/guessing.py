"""The format of a file or pipe, guessed from its first bytes."""

import zlib
from re import IGNORECASE
from re import compile as pattern

from askance.errors import DataError

ENOUGH = 1 << 13  # bytes to look at
DELIMITERS = ",;\t|"
GZIP = b"\x1f\x8b"
FIRST_NAME = 30  # where a zip archive has the name of its first file
NOT_READ = {
    b"PK\x03\x04": "is a zip archive: unpack it, or save it as CSV if it is a spreadsheet",
    b"\xd0\xcf\x11\xe0": "is a file of an old office program: save it as XLSX or CSV",
    b"%PDF": "is a PDF: write its texts into a CSV file, one per row",
    b"SQLite format 3\0": "is an SQLite database: export the table as CSV",
    b"ARROW1": "is an Arrow file: save it as Parquet",
}
IN_WORKBOOKS = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"xl/")

_is_ris = pattern(rb"TY {1,2}- ?[A-Za-z]*\s*").fullmatch
_is_nbib = pattern(rb"PMID- ?\d*\s*").fullmatch
_is_svmlight = pattern(rb"[-+]?[\d.][\d.eE+-]*([ \t]+(qid|\d+):\S+)+[ \t]*(#.*)?\r?").fullmatch
_names_delimiter = pattern(r'"?sep=([^"])"?', IGNORECASE).fullmatch


def guessed_format(start: bytes, place: str) -> str | None:
    """The format of data that start so: svmlight, csv, tsv, jsonl, parquet, xlsx, ris or nbib; None otherwise.

    Raises DataError for formats that are recognised but cannot be read.
    """
    start = unpacked(start)
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"PK") and start[FIRST_NAME:].startswith(IN_WORKBOOKS):
        return "xlsx"
    found = next((what for first, what in NOT_READ.items() if start.startswith(first)), None)
    if found is not None:
        raise DataError(f"{place}: {found}")
    line = next((line for line in start.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()), b"")
    if line.lstrip().startswith(b"["):
        raise DataError(f"{place}: is an array of JSON: write one object per line, for example with jq -c '.[]'")
    if line.lstrip().startswith(b"{"):
        return "jsonl"
    if _is_svmlight(line):
        return "svmlight"
    if _is_ris(line):
        return "ris"
    if _is_nbib(line):
        return "nbib"
    header = line.decode("utf-8", "replace")
    if "\0" in header or not any(delimiter in header for delimiter in DELIMITERS):
        return None
    return "tsv" if guessed_delimiter(header) == "\t" else "csv"


def guessed_delimiter(header: str) -> str:
    """The delimiter of a header: a comma, unless it has none but others, or is a line that names another."""
    return named_delimiter(header) or ("," if "," in header else max(DELIMITERS, key=header.count))


def named_delimiter(line: str) -> str | None:
    """The delimiter that a line only names, as Excel takes it from a first line `sep=;`; None of others."""
    found = _names_delimiter(line.removeprefix("\ufeff").rstrip("\r\n"))
    return found and found[1]


def unpacked(start: bytes) -> bytes:
    """The first bytes of what was compressed; other bytes as they are."""
    if not start.startswith(GZIP):
        return start
    try:
        return zlib.decompressobj(wbits=31).decompress(start, ENOUGH)
    except zlib.error:
        return b""
