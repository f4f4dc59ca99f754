"""The files of a sweep's results: a Parquet table with each run's curve as lists, and one of the times beside it.

The same plan gives the same results on any machine, byte by byte, but never the same times: so they stand apart.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.experiments.sweep.results import RUN, Columns, Results, package

FORMAT = 1
BLANK = b"0" * 64
DIGEST = re.compile(rb'(?<="sha256": ")[0-9a-f]{64}(?=")')


def times_beside(path: Path) -> Path:
    """Where the times of the results in this file are: results.parquet has results.times.parquet."""
    return path.with_suffix(f".times{path.suffix}")


def to_bytes(results: Results) -> bytes:
    """The content of a file: a Parquet table, each run's curve as lists, a digest of all bytes in the metadata."""
    table = results.to_arrow().drop_columns(["seconds"])
    if results.curves is not None:
        for name, column in _curve_lists(results, results.curves).items():
            table = table.append_column(name, column)
    return _sealed(table, {"metrics": results.metrics, "main": results.main, "columns": list(results.columns)})


def times_to_bytes(results: Results, content: bytes) -> bytes:
    """The content of the file of times, which says to which content of results it belongs."""
    return _sealed(results.to_arrow().select([*RUN, "seconds"]), {"of": _digest_of(content)})


def _sealed(table: Any, facts: dict[str, Any]) -> bytes:
    import pyarrow
    from pyarrow import parquet

    about = {"format": FORMAT, "sha256": BLANK.decode(), **facts}
    buffer = pyarrow.BufferOutputStream()
    parquet.write_table(table.replace_schema_metadata({"askance": json.dumps(about)}), buffer)
    content = buffer.getvalue().to_pybytes()
    return _with_digest(content, _digest_of(content).encode())


def from_bytes(content: bytes, times: bytes | None = None) -> Results:
    """The results in such a file; ValueError if it is damaged.

    Without the times that belong to them, the seconds are not a number.
    """
    arrow = package("Parquet", "pyarrow", "pip install 'askance[parquet]'")
    try:
        seconds = None if times is None else _seconds(times, content)
        return _from_table(*_unsealed(content), seconds)
    except (arrow.ArrowException, KeyError, TypeError) as error:
        # The digest fits, so somebody made it so.
        raise ValueError(f"holds what no results can hold ({' '.join(str(error).split())[:100]})") from None


def _unsealed(content: bytes) -> tuple[Any, dict[str, Any]]:
    """The table in a file and what it says of itself."""
    import pyarrow
    from pyarrow import parquet

    *_, digest = [b"", *DIGEST.findall(content)]
    # Checked before anything is made of the rest: a reader of damaged Parquet may do worse than raise.
    if not digest or _digest_of(_with_digest(content, BLANK)).encode() != digest:
        raise ValueError("is damaged, or holds no results of askance")
    file = parquet.ParquetFile(pyarrow.BufferReader(content))
    # The file's own metadata: those of the table are an encoded copy, made before the digest was known.
    about = json.loads(file.metadata.metadata[b"askance"])
    if about["format"] != FORMAT:
        raise ValueError(f"has format {about['format']}, and this askance reads format {FORMAT}")
    return file.read(), about


def _seconds(times: bytes, content: bytes) -> NDArray[Any] | None:
    """The times of these results; none if the file beside them is damaged or of other results."""
    try:
        table, about = _unsealed(times)
    except ValueError:
        return None
    return _from_arrow(table.column("seconds")) if about["of"] == _digest_of(content) else None


def _from_table(table: Any, about: dict[str, Any], seconds: NDArray[Any] | None) -> Results:
    names = [name for name in table.column_names if not name.startswith("curve ")]
    columns = {name: _from_arrow(table.column(name)) for name in names}
    unknown = np.full(table.num_rows, np.nan)
    columns.setdefault("seconds", unknown if seconds is None else seconds)  # older files have them inside
    columns = {name: columns[name] for name in about.get("columns", columns)}
    curves = _curves_from_lists(columns, table) if "curve round" in table.column_names else None
    return Results(columns, tuple(about["metrics"]), about["main"], curves)


def _digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _with_digest(content: bytes, digest: bytes) -> bytes:
    """The content with another digest in the place of its last one; a parameter might look like one."""
    *_, place = DIGEST.finditer(content)
    return content[: place.start()] + digest + content[place.end() :]


def _curve_lists(results: Results, curves: Columns) -> dict[str, Any]:
    """Each run's part of the curves, as columns of lists."""
    import pyarrow

    rows = results.rows_by_run()
    keys = [curves[name] for name in RUN]
    # Only where another run begins is there something to look up.
    begins = np.flatnonzero(np.any([np.r_[True, key[1:] != key[:-1]] for key in keys], axis=0)[: len(keys[0])])
    found = [rows.get(run) for run in zip(*(key[begins].tolist() for key in keys), strict=True)]
    if None in found:
        lost = ", ".join(str(key[begins[found.index(None)]]) for key in keys)
        raise ValueError(f"there is a curve of a run that has no row: {lost}")
    run_of = np.repeat(np.array(found, dtype=np.int64), np.diff(np.r_[begins, len(keys[0])]))
    order = np.argsort(run_of, kind="stable")
    ends = np.r_[0, np.cumsum(np.bincount(run_of, minlength=len(results)))].astype(np.int32)
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
