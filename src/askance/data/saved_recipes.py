"""How a file was read for an algorithm of the catalog, for model files: the next file is read in the same way."""

import json
from typing import Any, NamedTuple

import numpy as np

from askance.data.cells import RawColumn, numbers_of
from askance.data.columns import Column, column_rows
from askance.data.files import reason
from askance.data.hashing import record_rows
from askance.data.jsonl import JsonLinesStream
from askance.data.parquet import ParquetStream
from askance.data.raw_tables import RawBatch
from askance.data.recipe import Fields, Recipe
from askance.data.stream import Features, Stream
from askance.data.tables import TableStream
from askance.errors import ModelFileError

TABLE, OBJECTS, ROWS = "table", "objects", "rows"  # columns of known types, JSON objects, numbered features
OTHER_KIND = ", but the model has learned from numbers in this column: fix it, or empty the cell"


def saved_recipe(stream: Stream) -> dict[str, Any]:
    """What a model file holds of a stream that has been read."""
    if isinstance(stream, TableStream | ParquetStream) and stream.layout is not None:
        layout = stream.layout
        numeric = [name for name in layout.features if name in layout.numeric]
        return _saved(TABLE, stream.recipe, layout.fields, features=layout.features, numeric=numeric)
    if isinstance(stream, JsonLinesStream) and stream.fields is not None:
        return _saved(OBJECTS, stream.recipe, stream.fields)
    return {"from": ROWS, "zero_based": bool(getattr(stream, "zero_based", False))}


def _saved(source: str, recipe: Recipe, fields: Fields, **more: Any) -> dict[str, Any]:
    return {
        "from": source,
        "label": fields.label,
        "text": fields.text,
        "left_out": sorted(fields.left_out),
        "categories": list(recipe.categories),
        "bits": recipe.bits,
        "pairs": recipe.pairs,
        "dtype": recipe.dtype,
        **more,
    }


class RecipeEncoder(NamedTuple):
    """Rows from raw columns, by the recipe of a model."""

    recipe: Recipe
    fields: Fields
    features: list[str] | None  # None means all fields of an object that are not left out
    numeric: frozenset[str]

    @property
    def label(self) -> str | None:
        """The column that had the label."""
        return self.fields.label

    @property
    def needed(self) -> list[str]:
        """The columns that a table must have."""
        return [self.fields.text] if self.fields.text is not None else self.features or []

    @property
    def takes_cells(self) -> bool:
        """Whether rows can come from text without types, as in a CSV file."""
        return self.features is not None or self.fields.text is not None

    def rows(self, batch: RawBatch) -> Features:
        """The rows of a batch."""
        if self.features is None and self.fields.text is None:
            return self._from_objects(batch)
        absent: list[Any] = [None] * batch.rows
        columns = {name: self._column(name, batch.columns.get(name, absent), batch) for name in self.needed}
        return column_rows(columns, self.fields, self.recipe, batch.where)

    def _column(self, name: str, values: RawColumn, batch: RawBatch) -> Column:
        if name in self.numeric and name != self.fields.text:
            return np.nan_to_num(numbers_of(values, name, batch.where, remedy=OTHER_KIND))
        found = values.tolist() if isinstance(values, np.ndarray) else list(values)
        if name in self.recipe.categories:
            found = [None if value is None else str(value) for value in found]
        return [None if value == "" else value for value in found]

    def _from_objects(self, batch: RawBatch) -> Features:
        columns: dict[str, list[Any]] = {}
        for name, values in batch.columns.items():
            if not any(name == left or name.startswith(f"{left}.") for left in self.fields.left_out):
                columns[name] = [self._as_level(name, value) for value in values]
        records = [{name: column[row] for name, column in columns.items()} for row in range(batch.rows)]
        return record_rows(records, self.recipe.bits, self.recipe.dtype, batch.where)

    def _as_level(self, name: str, value: Any) -> Any:
        return json.dumps(value) if name in self.recipe.categories and isinstance(value, int | float) else value


def recipe_encoder(saved: dict[str, Any]) -> RecipeEncoder:
    """What `saved_recipe` described; raises ModelFileError if nothing can be read so."""
    try:
        recipe = Recipe(
            categories=tuple(map(str, saved["categories"])),
            bits=saved["bits"],
            pairs=bool(saved["pairs"]),
            dtype=saved["dtype"],
        )
        fields = Fields(_name(saved["label"]), _name(saved["text"]), frozenset(map(str, saved["left_out"])))
        features = [str(name) for name in saved["features"]] if saved["from"] == TABLE else None
        numeric = frozenset(map(str, saved.get("numeric", ())))
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(f"holds a way of reading that does not exist ({reason(error)[:100]})") from None
    return RecipeEncoder(recipe, fields, features, numeric)


def _name(value: Any) -> str | None:
    return None if value is None else str(value)
