"""A trace written to Parquet piece by piece, so that it need not fit into memory."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from askance.learners.trace import Trace

# Rows per row group: chunks are too small for Parquet to read fast.
GROUP_ROWS = 1 << 16


class TraceWriter:
    """Collects pieces into row groups, and sums up their metadata at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tables: list[Any] = []
        self._rows = 0
        self._writer: Any = None
        self._about: dict[str, Any] = {}

    def add(self, trace: Trace) -> None:
        """Write a piece, perhaps later."""
        table = trace.to_arrow()
        about = json.loads(table.schema.metadata[b"askance"])
        for name in ("spent", "refused"):
            about[name] += self._about.get(name, 0)
        self._about = about
        self._tables.append(table.replace_schema_metadata(None))
        self._rows += len(trace)
        if self._rows >= GROUP_ROWS:
            self._flush()

    def close(self) -> None:
        """Write the rest and the summary."""
        self._flush()
        if self._writer is not None:
            self._writer.add_key_value_metadata({"askance": json.dumps(self._about)})
            self._writer.close()

    def abandon(self) -> None:
        """Close the file, which will be deleted."""
        if self._writer is not None:
            self._writer.close()

    def _flush(self) -> None:
        import pyarrow
        from pyarrow import parquet

        if not self._tables:
            return
        table = pyarrow.concat_tables(self._tables)
        if self._writer is None:
            # Readers prefer the metadata of the schema, which is fixed now, to those that are added at the end.
            self._writer = parquet.ParquetWriter(self._path, table.schema, store_schema=False)
        self._writer.write_table(table, row_group_size=len(table))
        self._tables, self._rows = [], 0


@contextmanager
def trace_writer(path: Path) -> Iterator[TraceWriter]:
    """A writer whose file is complete afterwards."""
    writer = TraceWriter(path)
    try:
        yield writer
    except BaseException:
        writer.abandon()
        raise
    writer.close()
