"""Guesses in tables: the answer of a language model or another machine, and how confident it says it is.

A guess is a column such as `guesses.gpt-4o.label` with a column `guesses.gpt-4o.confidence`, as JSON lines have
them for `{"guesses": {"gpt-4o": {"label": "polite", "confidence": 0.85}}}`. A CSV file may call the first
`guesses.gpt-4o`.
"""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from askance.data.cells import RawColumn, is_missing, level_of, number_of
from askance.data.kinds import BINS, CATEGORY, GUESS, MOST_LEVELS, NUMBER, PER_ANSWER, ColumnPlan
from askance.typing import FloatArray, IntArray

PREFIX, ANSWER, CONFIDENCE = "guesses.", ".label", ".confidence"
UNKNOWN = BINS  # the bin of a confidence that is missing


def confidence_name(name: str) -> str:
    """The column of the confidence that belongs to a column of answers."""
    return f"{name.removesuffix(ANSWER)}{CONFIDENCE}"


def with_guesses(
    columns: tuple[ColumnPlan, ...], head: Mapping[str, RawColumn], given: Collection[str]
) -> tuple[ColumnPlan, ...]:
    """The same plan with guesses: each column of answers that has a column of confidences takes it over.

    Columns whose kind is `given` stay as they are, and so do confidences that are not shares from 0 to 1.
    """
    kinds = {column.name: column.kind for column in columns}
    pairs = {
        name: confidence_name(name)
        for name in kinds
        if name.startswith(PREFIX)
        and not name.endswith(CONFIDENCE)
        and kinds.get(confidence_name(name)) is not None
    }
    pairs = {
        answer: confidence
        for answer, confidence in pairs.items()
        if not {answer, confidence} & set(given) and _are_answers(head[answer]) and _are_shares(head[confidence])
    }
    return tuple(
        _guess(column.name, head[column.name]) if column.name in pairs else column
        for column in columns
        if column.name not in pairs.values()
    )


def _are_answers(values: RawColumn) -> bool:
    """Whether there are answers, each of them one."""
    known = [value for value in values if not is_missing(value)]
    return bool(known) and not any(isinstance(value, list | tuple) for value in known)


def _are_shares(values: RawColumn) -> bool:
    known = [number_of(value) for value in values if not is_missing(value)]
    return all(number is not None and 0 <= number <= 1 for number in known)


def _guess(name: str, values: RawColumn) -> ColumnPlan:
    answers = sorted({level_of(value) for value in values if not is_missing(value)})
    return ColumnPlan(name, GUESS, levels=tuple(answers) if len(answers) <= MOST_LEVELS else ())


def confidences(columns: Mapping[str, RawColumn], name: str, rows: int) -> FloatArray:
    """The confidences of a column of answers; NaN for what is missing, or is not a number from 0 to 1."""
    found = [number_of(value) for value in columns.get(confidence_name(name), [None] * rows)]
    numbers = np.array([np.nan if number is None else number for number in found])
    return np.where((numbers >= 0) & (numbers <= 1), numbers, np.nan)


def bins_of(confidence: FloatArray) -> IntArray:
    """The bin of each confidence, from 0; `UNKNOWN` for one that is missing."""
    # Decimals such as 0.3 are a little less than they say, and belong to the bin that begins with them.
    places = np.minimum(np.floor(np.nan_to_num(confidence) * BINS + 1e-9), BINS - 1).astype(np.int64)
    return np.where(np.isnan(confidence), UNKNOWN, places)


def guess_features(column: ColumnPlan, columns: Mapping[str, RawColumn], rows: int) -> FloatArray:
    """For each answer, whether it was given, with which confidence and in which bin; last, whether there was none.

    Answers that appear later are as good as none.
    """
    place = {answer: position for position, answer in enumerate(column.levels)}
    answers = [level_of(value) for value in columns.get(column.name, [None] * rows)]
    confidence = confidences(columns, column.name, rows)
    bins, found = bins_of(confidence), np.zeros((rows, column.width))
    for row, answer in enumerate(answers):
        if answer not in place:
            found[row, -1] = 1.0
            continue
        set_answer(found[row], place[answer], confidence[row], bins[row])
    return found


def set_answer(features: FloatArray, place: int, confidence: float, confidence_bin: int) -> None:
    """Write an answer into the features of a row: that it was given, with which confidence and in which bin."""
    first = place * PER_ANSWER
    features[first] = 1.0
    if confidence_bin != UNKNOWN:
        features[first + 1] = confidence
        features[first + 2 + confidence_bin] = 1.0


def guess_levels(column: ColumnPlan, columns: Mapping[str, RawColumn], rows: int) -> list[Any]:
    """The guesses as levels to hash, where there are many answers: the answer, and the answer with the bin."""
    answers = columns.get(column.name, [None] * rows)
    bins = bins_of(confidences(columns, column.name, rows))
    return [
        None if is_missing(answer) else [level_of(answer), f"{level_of(answer)} {place}"]
        for answer, place in zip(answers, bins, strict=True)
    ]


def without_guesses(columns: tuple[ColumnPlan, ...]) -> tuple[ColumnPlan, ...]:
    """The same plan for readers that do not know guesses: a category and a number each."""
    found: list[ColumnPlan] = []
    for column in columns:
        if column.kind == GUESS:
            number = ColumnPlan(confidence_name(column.name), NUMBER, indicator=True, starts=(0.5,), lenient=True)
            found += [column._replace(kind=CATEGORY), number]
        else:
            found.append(column)
    return tuple(found)
