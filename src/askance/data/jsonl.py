"""JSON lines: one object per line, with a text or as a record.

The first object decides which key holds the label and whether there is a text.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from askance.data.files import TextLines, Where, batches, listed, reason, shown, stem
from askance.data.hashing import hash_texts, record_rows
from askance.data.labels import label_array, label_kind
from askance.data.recipe import Fields, Recipe
from askance.data.stream import Chunk, Features
from askance.errors import DataError


class JsonRecord(NamedTuple):
    """An object and its line number."""

    line: int
    record: dict[str, Any]


@dataclass
class JsonLinesStream:
    """A file of JSON lines; `askance.data.read` documents the recipe. `fields` are known from the first chunk."""

    path: Path
    recipe: Recipe
    chunk_rows: int
    file: BufferedReader | None = None
    fields: Fields | None = field(default=None, init=False, compare=False)

    @property
    def name(self) -> str:
        """The name of the file without its extensions."""
        return stem(self.path)

    def __iter__(self) -> Iterator[Chunk]:
        with TextLines(self.path, self.file) as lines:
            entries = json_entries(lines)
            first = next(entries, None)
            if first is None:
                raise DataError(f"{self.path}: has only blank lines: check how it was created")
            place = f"{self.path}, line {first.line}"
            fields = self.recipe.fields(first.record, lambda key: isinstance(first.record[key], str), place)
            self.fields = fields
            kind = label_kind(first.record[fields.label], place) if fields.label is not None else ""
            for batch in batches(chain([first], entries), self.chunk_rows):
                yield self._chunk(batch, fields, kind, lines.progress)

    def _chunk(self, batch: list[JsonRecord], fields: Fields, kind: str, progress: float) -> Chunk:
        def where(row: int) -> str:
            return f"{self.path}, line {batch[row].line}"

        records = [entry.record for entry in batch]
        X = self._features(records, fields, where)
        if fields.label is None:
            return Chunk(X, None, progress)
        labels = [value_of(record, fields.label, where(row)) for row, record in enumerate(records)]
        return Chunk(X, label_array(labels, kind, where), progress)

    def _features(self, records: list[dict[str, Any]], fields: Fields, where: Where) -> Features:
        if fields.text is None:
            named = [self._named(record, fields) for record in records]
            return record_rows(named, self.recipe.bits, self.recipe.dtype, where)
        texts = [
            text_of(value_of(record, fields.text, where(row)), where(row)) for row, record in enumerate(records)
        ]
        return hash_texts(texts, self.recipe.bits, pairs=self.recipe.pairs, dtype=self.recipe.dtype)

    def _named(self, record: dict[str, Any], fields: Fields) -> dict[str, Any]:
        named = {key: value for key, value in record.items() if key not in fields.left_out}
        for key in self.recipe.categories:
            if isinstance(named.get(key), int | float):
                named[key] = json.dumps(named[key])
        return named


def json_entries(lines: TextLines) -> Iterator[JsonRecord]:
    """The objects of the lines that are not blank."""
    for line in lines:
        if line.isspace():
            continue
        place = f"{lines.path}, line {lines.number}"
        try:
            record = _decode(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{place}: is not JSON ({reason(error)}): write one object per line") from error
        if not isinstance(record, dict):
            raise DataError(f"{place}: is {shown(record)}, not an object: write one object per line")
        yield JsonRecord(lines.number, record)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode


def value_of(record: dict[str, Any], key: str, place: str) -> Any:
    """The value of a key that every record must have."""
    if key not in record:
        raise DataError(f"{place}: there is no key {shown(key)} among {listed(record)}: add it or drop the line")
    return record[key]


def text_of(value: Any, place: str) -> str:
    """A value as a text; null is an empty text."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DataError(f"{place}: the text is {shown(value)}: give a string")
    return value
