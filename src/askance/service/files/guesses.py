"""Guesses in files: an object `guesses`, or the columns guesses.NAME and guesses.NAME.confidence."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from askance._util.class_names import shown_class
from askance.data.cells import is_missing, number_of
from askance.data.guesses import CONFIDENCE, PREFIX
from askance.service.settings import TaskSettings

GUESSES = PREFIX.removesuffix(".")


def guess_columns(settings: TaskSettings, record: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns of a file that hold guesses, by its first row, unless they are columns of the task's records."""
    names = [name for name in record if name.startswith(PREFIX) or (name == GUESSES and _is_object(record[name]))]
    return tuple(name for name in names if name not in settings.columns)


def guesses_of(record: Mapping[str, Any], columns: Collection[str]) -> dict[str, Any]:
    """The guesses in a row, as messages have them."""
    found = dict(_object(record.get(GUESSES))) if GUESSES in columns else {}
    for column in columns:
        is_confidence = column.endswith(CONFIDENCE) and column.removesuffix(CONFIDENCE) in columns
        label = record.get(column)
        if column == GUESSES or is_confidence or is_missing(label):
            continue
        guess: dict[str, Any] = {"label": label.strip() if isinstance(label, str) else shown_class(label)}
        confidence = record.get(f"{column}{CONFIDENCE}")
        if not is_missing(confidence):
            number = number_of(confidence)
            guess["confidence"] = confidence if number is None else number
        found[column.removeprefix(PREFIX)] = guess
    return found


def _is_object(value: Any) -> bool:
    return is_missing(value) or isinstance(value, dict) or (isinstance(value, str) and value.startswith("{"))


def _object(value: Any) -> Mapping[str, Any]:
    """The object in a cell, which may be JSON, as in exported tables. What is not one is refused later."""
    if is_missing(value):
        return {}
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {value: None}
    return value if isinstance(value, dict) else {str(value): None}
