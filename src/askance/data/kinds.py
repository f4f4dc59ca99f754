"""The kind of each column of a table, as a person would guess it from the first rows."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from re import compile as pattern
from typing import Any, NamedTuple

import numpy as np

from askance.data.cells import Moment, RawColumn, is_missing, level_of, moment_of, number_of
from askance.data.notation import (
    DAY_FIRST,
    DECIMAL_COMMA,
    MONTH_FIRST,
    OF_DATES,
    OF_NUMBERS,
    PLAIN,
    notation_of_dates,
    notation_of_numbers,
)
from askance.typing import FloatArray

NUMBER, CATEGORY, TEXT, DATE, GUESS, LEFT_OUT = "number", "category", "text", "date", "guess", "left out"
KINDS = (NUMBER, CATEGORY, TEXT, DATE, GUESS, LEFT_OUT)
TEXT_NAME = "text"
OTHER = "(other)"  # levels of a category that appear later
MOST_LEVELS = 20  # of a category that is dense
WORDS_OF_TEXT = 3  # on average, at least
FEWEST_FOR_ID = 20  # rows: in fewer, values may well differ by chance
BINS = 10  # of the confidence of a guess, equally wide
PER_ANSWER = 2 + BINS  # features of a guess: whether it is this answer, its confidence, and the bin
NO_DATE = (2000.0, 6.0, 3.0)  # the parts of a date, where no row has one
MOST_WORDS = 3  # that may stand for missing numbers in one column
SHOWN = 8  # columns named in a line
REPEATED_ID = "an id, though values repeat"  # such as that of a person with many rows, which may tell much
ALL_DIFFER = "all values differ"
NOTATIONS_OF = {NUMBER: (PLAIN, *OF_NUMBERS), DATE: (PLAIN, *OF_DATES)}
SAID = (DECIMAL_COMMA, DAY_FIRST, MONTH_FIRST)  # notations that could be taken for another

_is_id = pattern(r"(?i:id|uuid|guid|doi|index|row|rowid|row[_ ]id|row[_ ]number|unnamed: ?0)").fullmatch
_like_id = pattern(r"(?i:.*[_\s.-](?:id|uuid|guid))|.*[a-z](?:Id|ID)").fullmatch


class ColumnPlan(NamedTuple):
    """How a column becomes features.

    Attributes
    ----------
    name : str
        The name of the column.
    kind : {"number", "category", "text", "date", "guess", "left out"}
        What it holds.
    levels : tuple of str
        The levels of a category or the answers of a guess, if they are few; others are hashed.
    indicator : bool
        Whether a feature says that the number or date is missing.
    starts : tuple of float
        What a missing number or part of a date counts as before others were seen: the mean of the first rows.
    lenient : bool
        Whether anything that is not a number or date counts as missing.
    reason : str
        Why it is left out.
    notation : {"", "decimal point", "decimal comma", "day first", "month first"}
        How its numbers or dates are written, if not as 1234.5 or 2025-12-31.
    """

    name: str
    kind: str
    levels: tuple[str, ...] = ()
    indicator: bool = False
    starts: tuple[float, ...] = ()
    lenient: bool = False
    reason: str = ""
    notation: str = PLAIN

    @property
    def is_sparse(self) -> bool:
        """Whether it is hashed."""
        return self.kind == TEXT or (self.kind in (CATEGORY, GUESS) and not self.levels)

    @property
    def width(self) -> int:
        """The number of dense features."""
        if self.kind == CATEGORY and self.levels:
            return len(self.levels) + 1
        if self.kind == GUESS and self.levels:
            return len(self.levels) * PER_ANSWER + 1
        return len(self.starts) + self.indicator

    @property
    def feature_names(self) -> list[str]:
        """The names of the dense features."""
        if self.kind == CATEGORY and self.levels:
            return [f"{self.name}={level}" for level in (*self.levels, OTHER)]
        if self.kind == GUESS and self.levels:
            return [*chain.from_iterable(map(self._answer_names, self.levels)), f"{self.name} (missing)"]
        names = [self.name] if self.kind == NUMBER else [f"{self.name}.{part}" for part in Moment._fields]
        return [*names[: len(self.starts)], *([f"{self.name} (missing)"] if self.indicator else [])]

    def _answer_names(self, answer: str) -> list[str]:
        given = f"{self.name}={answer}"
        return [given, f"{given} confidence", *(f"{given} from {place / BINS:g}" for place in range(BINS))]


class NearlyNumbers(NamedTuple):
    """A column of words, most of whose first values are numbers: their share, and the other words."""

    name: str
    share: float
    words: tuple[str, ...]


def infer(
    head: Mapping[str, RawColumn], given: Mapping[str, str], *, complete: bool, features: Collection[str]
) -> tuple[ColumnPlan, ...]:
    """The plan of each column that may be a feature, from its first values.

    `given` has the kinds of columns that the user knows. `complete` says that there are no further rows.
    """
    return tuple(
        _given(name, values, given[name]) if name in given else _guessed(name, values, complete=complete)
        for name, values in head.items()
        if name in features
    )


def _given(name: str, values: RawColumn, kind: str) -> ColumnPlan:
    if kind == NUMBER:
        notation = most_fitting(NUMBER, values)
        return _number(name, _numbers(values, notation), notation)._replace(lenient=True)
    if kind == DATE:
        return _date(name, values, most_fitting(DATE, values))._replace(lenient=True)
    return ColumnPlan(name, TEXT) if kind == TEXT else _category(name, values)


def _guessed(name: str, values: RawColumn, *, complete: bool) -> ColumnPlan:
    known = [value for value in values if not is_missing(value)]
    if not known:
        return _left_out(name, "empty")
    if not name:
        return _left_out(name, "no name")
    if _is_id(name):
        repeats = 2 * len({level_of(value) for value in known}) < len(known)
        return _left_out(name, REPEATED_ID if repeats else "an id")
    if any(isinstance(value, list | tuple) for value in known):
        return ColumnPlan(name, CATEGORY)  # each value may have several levels
    notation = _common_notation(known, number_of, notation_of_numbers)
    if notation is not None:
        return _guessed_number(name, _numbers(values, notation), notation, complete=complete)
    notation = _common_notation(known, moment_of, notation_of_dates)
    if notation is not None:
        return _date(name, values, notation)
    return _guessed_words(name, values, [level_of(value) for value in known], complete=complete)


def nearly_numbers(columns: Sequence[ColumnPlan], head: Mapping[str, RawColumn]) -> tuple[NearlyNumbers, ...]:
    """The columns that a few words, such as `-` for a missing value, have kept from being read as numbers."""
    found = (_nearly_numbers(column.name, head[column.name]) for column in columns if _is_of_words(column))
    return tuple(one for one in found if one is not None)


def _is_of_words(column: ColumnPlan) -> bool:
    return column.kind == CATEGORY or column.reason == ALL_DIFFER


def _nearly_numbers(name: str, values: RawColumn) -> NearlyNumbers | None:
    known = [value for value in values if not is_missing(value)]
    for notation in NOTATIONS_OF[NUMBER]:
        words: Counter[str] = Counter()
        for value in known:
            if number_of(value, notation) is None:
                words[str(value)] += 1
                if len(words) > MOST_WORDS:
                    break
        else:
            if 0 < 2 * words.total() < len(known):
                return NearlyNumbers(name, 1 - words.total() / len(known), tuple(sorted(words)))
    return None


def _common_notation(
    known: Sequence[Any], read: Callable[..., Any], find: Callable[[Sequence[Any]], str | None]
) -> str | None:
    """The notation in which all values can be read; None if there is none."""
    if all(read(value) is not None for value in known):
        return PLAIN
    notation = find(known)
    return notation if notation and all(read(value, notation) is not None for value in known) else None


def has_other_notation(values: RawColumn) -> bool:
    """Whether all values are numbers or dates, but not in the notation that every reader knows."""
    known = [value for value in values if not is_missing(value)]
    if not known or all(number_of(value) is not None for value in known):
        return False
    numbers = _common_notation(known, number_of, notation_of_numbers)
    return numbers is not None or _common_notation(known, moment_of, notation_of_dates) is not None


def most_fitting(kind: str, values: RawColumn) -> str:
    """The notation in which most values of a column can be read as numbers or dates."""
    read = number_of if kind == NUMBER else moment_of
    known = [value for value in values if not is_missing(value)]
    return max(NOTATIONS_OF[kind], key=lambda notation: sum(read(value, notation) is not None for value in known))


def _numbers(values: RawColumn, notation: str) -> FloatArray:
    """The numbers of a column, with NaN for what is none."""
    found = [number_of(value, notation) for value in values]
    return np.array([math.nan if number is None else number for number in found], np.float64)


def _guessed_number(name: str, numbers: FloatArray, notation: str, *, complete: bool) -> ColumnPlan:
    known = numbers[~np.isnan(numbers)]
    different = len(np.unique(known))
    # A number that is the same in the first of many rows may vary later, and costs nothing until then.
    if different == 1 and complete and len(known) == len(numbers):
        return _left_out(name, "one value")
    if different == len(known) == len(numbers):
        if _like_id(name) and different > 1:
            return _left_out(name, ALL_DIFFER)
        whole = bool(np.all(known == np.rint(known)))
        if whole and different >= FEWEST_FOR_ID and np.ptp(known) == different - 1:
            return _left_out(name, "numbers the rows")
    return _number(name, numbers, notation)


def _guessed_words(name: str, values: RawColumn, known: Sequence[str], *, complete: bool) -> ColumnPlan:
    different = len(set(known))
    words = sum(len(value.split()) for value in known) / len(known)
    if name.lower() == TEXT_NAME or (
        words >= WORDS_OF_TEXT and (different > MOST_LEVELS or different > len(known) / 2)
    ):
        return ColumnPlan(name, TEXT)
    if different == 1 and len(known) == len(values):
        return _left_out(name, "one value" if complete else f"one value in the first {len(values):,} rows")
    if different == len(known) == len(values):
        fewest = 2 if _like_id(name) else FEWEST_FOR_ID
        if different >= fewest and not any(" " in value for value in known):
            return _left_out(name, ALL_DIFFER)
    return _category(name, values)


def _number(name: str, numbers: FloatArray, notation: str) -> ColumnPlan:
    known = numbers[np.isfinite(numbers)]
    start = float(known.mean()) if len(known) else 0.0
    return ColumnPlan(name, NUMBER, indicator=len(known) < len(numbers), starts=(start,), notation=notation)


def _category(name: str, values: RawColumn) -> ColumnPlan:
    levels = Counter(map(level_of, values))
    return ColumnPlan(name, CATEGORY, levels=tuple(sorted(levels)) if len(levels) <= MOST_LEVELS else ())


def _date(name: str, values: RawColumn, notation: str) -> ColumnPlan:
    moments = [moment for value in values if (moment := moment_of(value, notation)) is not None]
    parts: list[list[Any]] = [list(part) for part in zip(*moments, strict=True)]
    if parts and all(hour is None for hour in parts[-1]):
        parts.pop()
    starts = tuple(float(np.mean([value for value in part if value is not None])) for part in parts) or NO_DATE
    return ColumnPlan(name, DATE, indicator=len(moments) < len(values), starts=starts, notation=notation)


def _left_out(name: str, reason: str) -> ColumnPlan:
    return ColumnPlan(name, LEFT_OUT, reason=reason)


def described(columns: Sequence[ColumnPlan]) -> str:
    """The kinds of columns in one line: `5 numbers, 1 date; left out: id (an id); day first: born`."""
    counts = Counter(column.kind for column in columns)
    plurals = {NUMBER: "numbers", CATEGORY: "categories", TEXT: "texts", DATE: "dates", GUESS: "guesses"}
    used = [
        f"{counts[kind]} {kind if counts[kind] == 1 else plural}"
        for kind, plural in plurals.items()
        if counts[kind]
    ]
    left = [f"{column.name or 'a column'} ({column.reason})" for column in columns if column.kind == LEFT_OUT]
    lists = {"left out": left} | {
        notation: [column.name for column in columns if column.notation == notation] for notation in SAID
    }
    return ", ".join(used) + "".join(
        f"; {what}: {', '.join(_few(names))}" for what, names in lists.items() if names
    )


def _few(named: list[str]) -> list[str]:
    return named if len(named) <= SHOWN else [*named[:SHOWN], f"{len(named) - SHOWN} more"]
