"""The answers of a machine for a stream, and rows with those that were bought as features."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.auto.rows import mixed
from askance.data.cells import level_of
from askance.data.guesses import bins_of, set_answer
from askance.data.kinds import PER_ANSWER
from askance.data.mixed import MixedRows
from askance.errors import DataError
from askance.jit.kernels.mixed import Mixed

NO_ANSWER = -1


class Guesses(NamedTuple):
    """The answers of a machine as codes of classes (`NO_ANSWER` without one), their confidences and bins."""

    answers: NDArray[np.int64]
    confidences: NDArray[np.float64]
    bins: NDArray[np.int64]


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


def with_bought(X: Mixed, t: int, guesses: Sequence[Guesses], bought: Sequence[bool], classes: int) -> Mixed:
    """Row `t` with the guesses that were bought as features, as `askance.data.guesses` makes them."""
    width = classes * PER_ANSWER + 1
    extra = np.zeros((1, width * len(guesses)))
    for place, (guess, is_bought) in enumerate(zip(guesses, bought, strict=True)):
        answer, first = int(guess.answers[t]), place * width
        if not is_bought or answer == NO_ANSWER:
            extra[0, first + width - 1] = 1.0
            continue
        set_answer(extra[0, first:], answer, guess.confidences[t], guess.bins[t])
    return X._replace(dense=np.hstack([X.dense, extra]))


def as_mixed(X: Any) -> Mixed:
    """Rows as compiled code takes them."""
    if isinstance(X, MixedRows):
        X.check()
        return mixed(np.asarray(X.dense, np.float64), sp.csr_array(X.sparse, dtype=np.float64))
    if sp.issparse(X):
        return mixed(np.empty((X.shape[0], 0)), sp.csr_array(X, dtype=np.float64))
    dense = np.asarray(X, np.float64)
    return mixed(dense, sp.csr_array((len(dense), 0)))


def by_name(guesses: Mapping[str, Any], name: str) -> Any:
    """The guesses with a name; raises DataError if there are none."""
    if name not in guesses:
        there = ", ".join(map(repr, guesses)) or "none"
        raise DataError(f"no guess {name!r}; there are: {there}")
    return guesses[name]
