"""The passes over rows, generic in update rule, query rule and kind of rows.

A round scores the row, decides whether to ask, and learns the label if asked. `run` does all of this, `ask` does
the first two for one row, `learn` learns every given label, and `score` only scores.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.engine.arena_passes import PASSES as OF_FLEETS
from askance.engine.bank_pass import bank
from askance.engine.own_rules import not_compiled
from askance.engine.rounds import decide, look, record_round, take_step
from askance.engine.watching import watch
from askance.jit.interop import CACHE_ERRORS, COMPILE_ERRORS, COMPILING, compiled, expose, type_of
from askance.jit.processor import avoid_slow_gathers
from askance.jit.source_digest import is_ours
from askance.rules.query.rule import QueryRule, RowQueryRule, ScalableRule
from askance.rules.regression.losses import ResidualLoss
from askance.rules.rows import SOUND, Rows, State
from askance.rules.state.coupled import CoupledState
from askance.rules.state.ensemble import EnsembleState, ObservedState
from askance.rules.state.form import Form
from askance.rules.state.matrix import MatrixState
from askance.rules.state.pairwise import PairwiseState
from askance.rules.state.rescaled import SharedNumbers
from askance.rules.state.timed import TimedState
from askance.rules.update.losses import Loss
from askance.rules.update.rule import DualRule, UpdateRule

PROTOCOLS = (
    *(State, MatrixState, CoupledState, EnsembleState, ObservedState, PairwiseState),
    *(SharedNumbers, TimedState, Loss, ResidualLoss),
    *(Rows, Form, UpdateRule, DualRule, QueryRule, RowQueryRule, ScalableRule),
)
for _protocol in PROTOCOLS:
    expose(_protocol)


class Past(NamedTuple):
    """Counters over all rounds.

    They are rows, labels asked for, mistakes that labels have revealed, the largest x·x of these, and in one array
    the number of labels, asked for or not, and of positive labels.
    """

    rounds: NDArray[np.int64]
    asked: NDArray[np.int64]
    mistakes: NDArray[np.int64]
    max_squared_norm: NDArray[np.float64]
    labels: NDArray[np.int64]  # one array for both, because passing each array to machine code takes time


def no_past() -> Past:
    """Return the counters before the first round."""
    rounds, asked, mistakes = (np.zeros(1, np.int64) for _ in range(3))
    return Past(rounds, asked, mistakes, np.zeros(1), np.zeros(2, np.int64))


class Core(NamedTuple):
    """A learner for the passes: two rules, the form and the state, the memory of the query rule, and the past."""

    update: Any
    query: Any
    form: Any
    state: Any
    memory: Any
    past: Past
    at_zero: float  # sgn(0)


class Outcome(NamedTuple):
    """What a pass records about each round."""

    predictions: NDArray[np.int32]  # +1 and -1, or class numbers
    scores: NDArray[Any]
    ask_probabilities: NDArray[np.float64]
    asked: NDArray[np.bool_]
    updated: NDArray[np.bool_]


def blank_outcome(rounds: int, dtype: np.dtype[Any]) -> Outcome:
    """Return an uninitialised outcome for `rounds` rounds."""
    return Outcome(
        np.empty(rounds, np.int32),
        np.empty(rounds, dtype),
        np.empty(rounds),
        np.empty(rounds, np.bool_),
        np.empty(rounds, np.bool_),
    )


# A pass takes only the parts of a core that it uses, so that many learners share its machine code.


def _run(core, rows, width, labels, coins, outcome):  # type: ignore[no-untyped-def]
    avoid_slow_gathers()
    update, query, form, state, memory, past, at_zero = core
    n_labels, n_positives = past.labels[0], past.labels[1]
    for t in range(labels.shape[0]):
        seen, sound = look(form, state, past, rows, t, width, n_labels, n_positives, 1.0, at_zero)
        if not sound:
            return rows.check(t, t + 1, width)
        watch(query, memory, rows, t)
        seen, probability, asked = decide(form, query, state, memory, seen, coins[t], at_zero)
        binary, side = form.as_binary(seen, labels[t], probability)
        fires, step = update.step(binary, side)
        updated = asked & fires
        if updated:
            take_step(form, state, past, rows, t, seen, labels[t], step)
        if asked:
            form.record_label(state, rows, t, labels[t])
        n_labels += asked
        n_positives += asked & (labels[t] > 0)
        record_round(outcome, t, seen, probability, asked, updated)
    past.rounds[0] += labels.shape[0]
    past.asked[0] += n_labels - past.labels[0]
    past.labels[0], past.labels[1] = n_labels, n_positives
    return SOUND, 0


def _check(rows, count, width):  # type: ignore[no-untyped-def]
    return rows.check(0, count, width)


def _ask(core, rows, width, coin, eligible):  # type: ignore[no-untyped-def]
    avoid_slow_gathers()
    past = core.past
    n_labels, n_positives = past.labels[0], past.labels[1]
    seen, sound = look(core.form, core.state, past, rows, 0, width, n_labels, n_positives, eligible, core.at_zero)
    if not sound:
        return rows.check(0, 1, width)[0], 0.0, 0.0, 0.0, False
    query, form, state, memory = core.query, core.form, core.state, core.memory
    watch(query, memory, rows, 0)
    seen, probability, asked = decide(form, query, state, memory, seen, coin, core.at_zero)
    past.rounds[0] += 1
    past.asked[0] += asked & (eligible > 0)
    return SOUND, float(seen.prediction), float(seen.score), probability, asked


def _watch(query, memory, rows, t):  # type: ignore[no-untyped-def]
    watch(query, memory, rows, t)


def _learn(update, form, state, past, rows, width, labels, probability, at_zero):  # type: ignore[no-untyped-def]
    avoid_slow_gathers()
    error, row = rows.check(0, labels.shape[0], width)
    if error == SOUND:
        for t in range(labels.shape[0]):
            n_labels, n_positives = past.labels[0], past.labels[1]
            seen, _sound = look(form, state, past, rows, t, width, n_labels, n_positives, 1.0, at_zero)
            binary, side = form.as_binary(seen, labels[t], probability)
            fires, step = update.step(binary, side)
            if fires:
                take_step(form, state, past, rows, t, seen, labels[t], step)
            form.record_label(state, rows, t, labels[t])
            past.labels[0] += 1
            past.labels[1] += labels[t] > 0
    return error, row


def _score(form, state, rows, width, scores, at_zero):  # type: ignore[no-untyped-def]
    avoid_slow_gathers()
    for t in range(scores.shape[0]):
        score, _spread, _squared_norm, _prediction, sound = form.look(state, rows, t, width, at_zero)
        if not sound:
            return rows.check(t, t + 1, width)
        form.write_score(state, score, scores, t)
    return SOUND, 0


PASSES: dict[str, Callable[..., Any]] = {
    "run": _run,
    "check": _check,
    "ask": _ask,
    "watch": _watch,
    "learn": _learn,
    "score": _score,
    "bank": bank,
    **OF_FLEETS,
}


@functools.cache
def _dispatcher(name: str, classes: tuple[type, ...], exact: bool, cache: bool) -> Any:
    return compiled(PASSES[name], exact=exact, cache=cache and all(map(is_ours, classes)))


_bound: dict[Any, Callable[..., Any]] = {}


def bind(name: str, arguments: tuple[Any, ...], *, exact: bool) -> Callable[..., Any]:
    """Return the pass `name`, compiled for arguments of these types.

    It returns the entry point of the machine code, because dispatching each call would take longer than `ask`.
    """
    key = (name, exact, _kind(arguments))
    if key not in _bound:
        _bound[key] = _bind(name, arguments, exact)
    return _bound[key]


def check_rows(rows: Any, count: int, width: int) -> tuple[int, int]:
    """Return the error code of the first bad row and its number; SOUND and 0 if there is none."""
    arguments = (rows, count, width)
    # Plain Python would warn about the infinities that a check is meant to find.
    with np.errstate(over="ignore", invalid="ignore"):
        found: tuple[int, int] = bind("check", arguments, exact=rows.values.dtype == np.float64)(*arguments)
    return found


def _bind(name: str, arguments: tuple[Any, ...], exact: bool) -> Callable[..., Any]:
    classes = tuple(_classes(arguments))
    function = _dispatcher(name, classes, exact, cache=True)
    if not COMPILING:
        return function
    signature = tuple(type_of(argument) for argument in arguments)
    try:
        return function.compile(signature)
    except CACHE_ERRORS:
        return _dispatcher(name, classes, exact, cache=False).compile(signature)
    except COMPILE_ERRORS as error:
        if all(map(is_ours, classes)):
            raise
        raise not_compiled(error, classes) from error


def _kind(value: Any) -> Any:
    """Return what machine code depends on. Numba's types say the same, but take a millisecond to compute."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim
    return (type(value), *map(_kind, value)) if isinstance(value, tuple) else type(value)


def _classes(value: Any) -> Iterator[type]:
    """Yield the classes of the named tuples in `value`, at any depth. A pass is compiled from their methods."""
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            yield type(value)
        for part in value:
            yield from _classes(part)


def learned(core: Core) -> dict[str, NDArray[Any]]:
    """Return all arrays that a core has learned, by path, as a model file stores them. A form has only scratch."""
    return arrays_of(core._replace(form=None))


def arrays_of(value: Any, path: str = "") -> dict[str, NDArray[Any]]:
    """Return the arrays in nested named tuples, by path."""
    if isinstance(value, np.ndarray):
        return {path: value}
    found: dict[str, NDArray[Any]] = {}
    if isinstance(value, tuple):
        for name, part in zip(value._fields, value, strict=True):  # type: ignore[attr-defined]
            found |= arrays_of(part, f"{path}/{name}" if path else name)
    return found
