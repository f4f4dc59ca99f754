"""Input events: rows and labels in one common form."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import Column, DataFrame

ROW, LABEL = "row", "label"

# The columns of files. Numbers and objects are read as their text; `order` is an integer or a time.
ROW_FILES = (
    "key STRING, id STRING, `order` STRING, text STRING, record STRING, "
    "indices ARRAY<BIGINT>, values ARRAY<DOUBLE>"
)
LABEL_FILES = "key STRING, id STRING, label STRING"

FEATURES = ("text", "record", "indices", "values")
WITHOUT_ORDER = -(2**63)


class Event(NamedTuple):
    """A row or a label as it arrived; features that a row does not have are None."""

    kind: str
    key: str | None
    id: str | None
    order: int
    text: str | None
    record: str | None
    indices: Any
    values: Any
    label: str | None

    @property
    def content(self) -> tuple[Any, ...]:
        """The content, to order events of the same id; any order works if it is always the same."""
        numbers = [b"" if part is None else np.asarray(part).tobytes() for part in (self.indices, self.values)]
        return (self.text or "", self.record or "", *numbers, self.label or "")


def events_of(frame: "pd.DataFrame") -> list[Event]:
    """Convert a data frame of Spark to events."""
    columns = [frame[name].tolist() for name in Event._fields]
    return [Event(*map(_present, event)) for event in zip(*columns, strict=True)]


def _present(value: Any) -> Any:
    """Return None for NaN: data frames use it for missing text and in columns without any value."""
    return None if isinstance(value, float) else value


def unioned(rows: "DataFrame", labels: "DataFrame") -> "DataFrame":
    """Return rows and labels in one data frame with the same columns."""
    from pyspark.sql import functions as sf

    absent = sf.lit(None)
    of_rows = [sf.lit(ROW).alias("kind"), *_keys(rows), _order(rows).alias("order")]
    of_labels = [sf.lit(LABEL).alias("kind"), *_keys(labels), sf.lit(WITHOUT_ORDER).cast("bigint").alias("order")]
    for name, type_ in zip(FEATURES, ("string", "string", "array<bigint>", "array<double>"), strict=True):
        given = _feature(rows, name) if name in rows.columns else absent
        of_rows.append(given.cast(type_).alias(name))
        of_labels.append(absent.cast(type_).alias(name))
    of_rows.append(absent.cast("string").alias("label"))
    of_labels.append(labels["label"].cast("string").alias("label"))
    return rows.select(*of_rows).unionByName(labels.select(*of_labels))


def check_columns(rows: "DataFrame", labels: "DataFrame") -> None:
    """Raise ValueError if a stream lacks a column."""
    for frame, kind, needed in ((rows, "rows", ("key", "id")), (labels, "labels", ("key", "id", "label"))):
        for name in needed:
            if name not in frame.columns:
                raise ValueError(f"the stream of {kind} has no column {name!r}: it has {', '.join(frame.columns)}")
    if not {"text", "record", "indices"} & set(rows.columns):
        raise ValueError("the stream of rows has no features: give text, record, or indices and values")


def _keys(frame: "DataFrame") -> "list[Column]":
    return [frame["key"].cast("string").alias("key"), frame["id"].cast("string").alias("id")]


def _order(rows: "DataFrame") -> "Column":
    """Return the order as an integer: a number, a time in microseconds, or text with either."""
    from pyspark.sql import functions as sf

    if "order" not in rows.columns:
        return sf.lit(WITHOUT_ORDER).cast("bigint")
    kind, given = dict(rows.dtypes)["order"], rows["order"]
    if kind in ("timestamp", "timestamp_ntz", "date"):
        number = sf.unix_micros(given.cast("timestamp"))
    elif kind == "string":
        number = sf.coalesce(given.try_cast("bigint"), sf.unix_micros(given.try_cast("timestamp")))
    elif kind in ("tinyint", "smallint", "int", "bigint"):
        number = given.cast("bigint")
    else:
        raise ValueError(f"order has type {kind}: convert it to an integer or a time")
    return sf.coalesce(number, sf.lit(WITHOUT_ORDER).cast("bigint"))


def _feature(rows: "DataFrame", name: str) -> "Column":
    from pyspark.sql import functions as sf

    structured = name == "record" and dict(rows.dtypes)[name] != "string"
    return sf.to_json(rows[name]) if structured else rows[name]
