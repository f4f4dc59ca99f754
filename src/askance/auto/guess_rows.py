"""The answers of a machine for a stream, and rows with those that were bought as features."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.auto.rows import part
from askance.data.cells import level_of
from askance.data.guesses import bins_of, set_answer
from askance.data.kinds import PER_ANSWER
from askance.errors import DataError
from askance.jit.kernels.mixed import Mixed

NO_ANSWER = -1


class Guesses(NamedTuple):
    """The answers of a machine as codes of classes (`NO_ANSWER` without one), their confidences and bins."""

    answers: NDArray[np.int64]
    confidences: NDArray[np.float64]
    bins: NDArray[np.int64]


class Answer(NamedTuple):
    """The answer of a machine about a row: the code of a class (or `NO_ANSWER`), its confidence and bin."""

    code: int
    confidence: float
    bin: int


class Case:
    """A row of a stream, and what machines say about it. An answer is looked up when it is bought."""

    def __init__(self, row: Mixed, look_up: Callable[[int], Answer]) -> None:
        self.row, self._look_up = row, look_up
        self._known: dict[int, Answer] = {}

    def answer(self, machine: int) -> Answer:
        """The answer of a machine, by its place."""
        if machine not in self._known:
            self._known[machine] = self._look_up(machine)
        return self._known[machine]

    def with_bought(self, bought: Sequence[bool], classes: int) -> Mixed:
        """The row with the answers that were bought as features, as `askance.data.guesses` makes them."""
        width = classes * PER_ANSWER + 1
        extra = np.zeros((1, width * len(bought)))
        for place, is_bought in enumerate(bought):
            found, first = self.answer(place) if is_bought else None, place * width
            if found is None or found.code == NO_ANSWER:
                extra[0, first + width - 1] = 1.0
            else:
                set_answer(extra[0, first:], found.code, found.confidence, found.bin)
        return self.row._replace(dense=np.hstack([self.row.dense, extra]))


def recorded(X: Mixed, guesses: Sequence[Guesses], t: int) -> Case:
    """Row `t` of a stream with recorded answers."""

    def look_up(machine: int) -> Answer:
        found = guesses[machine]
        return Answer(int(found.answers[t]), float(found.confidences[t]), int(found.bins[t]))

    return Case(part(X, t, t + 1), look_up)


def coded_answer(name: str, given: Any, classes: Sequence[Any]) -> Answer:
    """An answer and its confidence, or a function that returns them. What is not a class counts as no answer."""
    found = given() if callable(given) else given
    try:
        answer, confidence = found
        number = np.array([np.nan if confidence is None else confidence], np.float64)
    except (TypeError, ValueError):
        raise DataError(f"guess {name!r}: {found!r} is not an answer with a confidence or None") from None
    code_of = {level_of(value): code for code, value in enumerate(classes)}
    place = int(bins_of(np.where((number >= 0) & (number <= 1), number, np.nan))[0])
    return Answer(code_of.get(level_of(answer), NO_ANSWER), float(number[0]), place)


def coded_guesses(name: str, given: tuple[Any, Any], classes: Sequence[Any], rows: int) -> Guesses:
    """The answers of a machine, and its confidences if there are any. What is not a class counts as no answer."""
    answers, confidences = given
    code_of = {level_of(value): code for code, value in enumerate(classes)}
    codes = np.array(
        [code_of.get(level_of(one), NO_ANSWER) for one in np.asarray(answers, object).tolist()], np.int64
    )
    numbers = np.full(rows, np.nan) if confidences is None else np.asarray(confidences, np.float64)
    for what, found in (("answers", codes), ("confidences", numbers)):
        if found.shape != (rows,):
            raise DataError(f"guess {name!r}: {len(found):,} {what} for {rows:,} rows: give one for each")
    if (codes == NO_ANSWER).all():
        raise DataError(f"guess {name!r}: no answer is one of the classes {', '.join(code_of)}: check the guess")
    return Guesses(codes, numbers, bins_of(np.where((numbers >= 0) & (numbers <= 1), numbers, np.nan)))


def by_name(guesses: Mapping[str, Any], name: str) -> Any:
    """The guesses with a name; raises DataError if there are none."""
    if name not in guesses:
        there = ", ".join(map(repr, guesses)) or "none"
        raise DataError(f"no guess {name!r}; there are: {there}")
    return guesses[name]
