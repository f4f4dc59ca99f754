"""Files of results: a Parquet table with the curve of each run as lists, and a second file with the times.

The same plan gives the same results on any machine, byte for byte, but never the same times. So they have a file
of their own.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.optional import require

Columns = dict[str, NDArray[Any]]

RUN = ("data", "algorithm", "rate", "permutation")  # these columns identify a run
FORMAT = 1
BLANK = b"0" * 64
DIGEST = re.compile(rb'(?<="sha256": ")[0-9a-f]{64}(?=")')


class ResultsContent(NamedTuple):
    """The content of a file of results, as plain data."""

    columns: Columns
    metrics: tuple[str, ...]
    main: str
    curves: Columns | None


def times_path(path: Path) -> Path:
    """Return the path of the times: results.parquet has results.times.parquet."""
    return path.with_suffix(f".times{path.suffix}")


def to_bytes(given: ResultsContent) -> bytes:
    """Encode results without their times: a Parquet table with a digest of all bytes in its metadata."""
    table = arrow_table(given.columns).drop_columns(["seconds"])
    if given.curves is not None:
        for name, column in _curve_lists(given.columns, given.curves).items():
            table = table.append_column(name, column)
    return _sealed(table, {"metrics": given.metrics, "main": given.main, "columns": list(given.columns)})


def times_to_bytes(columns: Columns, content: bytes) -> bytes:
    """Encode the times of the results in `content`."""
    return _sealed(arrow_table(columns).select([*RUN, "seconds"]), {"of": _digest_of(content)})


def arrow_table(columns: Columns) -> Any:
    """Convert columns to an Arrow table."""
    arrow = require("pyarrow", "parquet", "Parquet")
    return arrow.table({name: arrow.array(column) for name, column in columns.items()})


def rows_by_run(columns: Columns) -> dict[tuple[Any, ...], int]:
    """Return the row of each run; ValueError if a run has several rows."""
    rows: dict[tuple[Any, ...], int] = {}
    for row, run in enumerate(zip(*(columns[name].tolist() for name in RUN), strict=True)):
        if rows.setdefault(run, row) != row:
            which = ", ".join(f"{name} {value}" for name, value in zip(RUN, run, strict=True))
            raise ValueError(f"a run has several rows ({which}): give each run one row")
    return rows


def _sealed(table: Any, facts: dict[str, Any]) -> bytes:
    import pyarrow
    from pyarrow import parquet

    about = {"format": FORMAT, "sha256": BLANK.decode(), **facts}
    buffer = pyarrow.BufferOutputStream()
    parquet.write_table(table.replace_schema_metadata({"askance": json.dumps(about)}), buffer)
    content = buffer.getvalue().to_pybytes()
    return _with_digest(content, _digest_of(content).encode())


def from_bytes(content: bytes, times: bytes | None = None) -> ResultsContent:
    """Decode results; ValueError if they are damaged. Without the times that belong to them, seconds are nan."""
    arrow = require("pyarrow", "parquet", "Parquet")
    try:
        seconds = None if times is None else _seconds(times, content)
        return _from_table(*_unsealed(content), seconds)
    except (arrow.ArrowException, KeyError, TypeError) as error:
        # The digest matches, so the file was made like this on purpose.
        raise ValueError(f"is not a valid file of results ({' '.join(str(error).split())[:100]})") from None


def _unsealed(content: bytes) -> tuple[Any, dict[str, Any]]:
    """Return the table in a file and its metadata."""
    import pyarrow
    from pyarrow import parquet

    *_, digest = [b"", *DIGEST.findall(content)]
    # Checked first, because reading damaged Parquet may do worse than raise.
    if not digest or _digest_of(_with_digest(content, BLANK)).encode() != digest:
        raise ValueError("is damaged, or not a file of results")
    file = parquet.ParquetFile(pyarrow.BufferReader(content))
    # The metadata of the file: those of the table are a copy that was made before the digest was known.
    about = json.loads(file.metadata.metadata[b"askance"])
    if about["format"] != FORMAT:
        raise ValueError(f"has format {about['format']}, but this version of askance reads format {FORMAT}")
    return file.read(), about


def _seconds(times: bytes, content: bytes) -> NDArray[Any] | None:
    """Return the times of these results, or None if their file is damaged or belongs to other results."""
    try:
        table, about = _unsealed(times)
    except ValueError:
        return None
    return _from_arrow(table.column("seconds")) if about["of"] == _digest_of(content) else None


def _from_table(table: Any, about: dict[str, Any], seconds: NDArray[Any] | None) -> ResultsContent:
    names = [name for name in table.column_names if not name.startswith("curve ")]
    columns = {name: _from_arrow(table.column(name)) for name in names}
    unknown = np.full(table.num_rows, np.nan)
    columns["seconds"] = unknown if seconds is None else seconds
    columns = {name: columns[name] for name in about["columns"]}
    curves = _curves_from_lists(columns, table) if "curve round" in table.column_names else None
    return ResultsContent(columns, tuple(about["metrics"]), about["main"], curves)


def _digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _with_digest(content: bytes, digest: bytes) -> bytes:
    """Replace the last digest in the content; a parameter could look like a digest."""
    *_, place = DIGEST.finditer(content)
    return content[: place.start()] + digest + content[place.end() :]


def _curve_lists(columns: Columns, curves: Columns) -> dict[str, Any]:
    """Return the curve of each run as columns of lists."""
    import pyarrow

    rows = rows_by_run(columns)
    keys = [curves[name] for name in RUN]
    # A lookup is needed only where another run begins.
    begins = np.flatnonzero(np.any([np.r_[True, key[1:] != key[:-1]] for key in keys], axis=0)[: len(keys[0])])
    found = [rows.get(run) for run in zip(*(key[begins].tolist() for key in keys), strict=True)]
    if None in found:
        lost = ", ".join(str(key[begins[found.index(None)]]) for key in keys)
        raise ValueError(f"a curve belongs to a run that has no row: {lost}")
    run_of = np.repeat(np.array(found, dtype=np.int64), np.diff(np.r_[begins, len(keys[0])]))
    order = np.argsort(run_of, kind="stable")
    ends = np.r_[0, np.cumsum(np.bincount(run_of, minlength=len(rows)))].astype(np.int32)
    return {
        f"curve {name}": pyarrow.ListArray.from_arrays(ends, pyarrow.array(curves[name][order]))
        for name in ("round", "mistakes")
    }


def _curves_from_lists(columns: Columns, table: Any) -> Columns:
    lists = {name: table.column(f"curve {name}").combine_chunks() for name in ("round", "mistakes")}
    lengths = np.diff(lists["round"].offsets.to_numpy())
    runs = {name: np.repeat(columns[name], lengths) for name in RUN}
    return runs | {name: _from_arrow(parts.flatten()) for name, parts in lists.items()}


def _from_arrow(column: Any) -> NDArray[Any]:
    values = column.to_numpy(zero_copy_only=False) if hasattr(column, "offset") else column.to_numpy()
    return values.astype(str) if values.dtype == object else values
