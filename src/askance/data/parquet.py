"""Parquet files, as a stream of record batches through pyarrow."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from askance._util.optional import require
from askance.data.files import reason, stem
from askance.data.frames import FrameLayout, Piece, as_frame, frame_chunks, frame_layout, row_namer
from askance.data.recipe import Recipe
from askance.data.stream import Chunk
from askance.errors import DataError


@dataclass
class ParquetStream:
    """A Parquet file; `askance.data.read` documents the recipe. `layout` is known from the first chunk."""

    path: Path
    recipe: Recipe
    chunk_rows: int
    layout: FrameLayout | None = field(default=None, init=False, compare=False)

    def __post_init__(self) -> None:
        pyarrow_parquet()  # fail now, not at the first chunk

    @property
    def name(self) -> str:
        """The name of the file without its extensions."""
        return stem(self.path)

    def __iter__(self) -> Iterator[Chunk]:
        pyarrow = pyarrow_parquet()
        with naming_damage(self.path), pyarrow.parquet.ParquetFile(self.path) as file:
            if not file.metadata.num_rows:
                raise DataError(f"{self.path}: has no rows: check how it was created")
            layout = frame_layout(as_frame(file.schema_arrow.empty_table()), self.recipe, str(self.path))
            self.layout = layout
            yield from frame_chunks(self._pieces(file, layout), layout, self.recipe)

    def _pieces(self, file: Any, layout: FrameLayout) -> Iterator[Piece]:
        """The batches of the file, with the columns that are needed."""
        needed = [*layout.features, *([layout.fields.label] if layout.fields.label else [])]
        rows = file.metadata.num_rows
        given = 0
        for batch in file.iter_batches(batch_size=self.chunk_rows, columns=needed):
            first, given = given, given + batch.num_rows
            if batch.num_rows:
                yield Piece(as_frame(batch), row_namer(str(self.path), range(first, given)), given / rows)


def parquet_types(path: Path) -> dict[str, Any]:
    """The types of the columns of a Parquet file, by name."""
    with naming_damage(path):
        schema = pyarrow_parquet().parquet.read_schema(path)
    return dict(zip(schema.names, schema.types, strict=True))


@contextmanager
def naming_damage(path: Path) -> Iterator[None]:
    """Name the file if it is damaged, or is none of Parquet."""
    pyarrow = pyarrow_parquet()
    try:
        yield
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{path}: is not a Parquet file, or is damaged ({reason(error)[:200]}): create or download it again"
        ) from error


def pyarrow_parquet() -> Any:
    """pyarrow with its Parquet reader; raises DataError if it is not installed."""
    try:
        pyarrow = require("pyarrow", "parquet", "Parquet")
        require("pyarrow.parquet", "parquet", "Parquet")
    except ImportError as error:
        raise DataError(str(error)) from error
    return pyarrow
