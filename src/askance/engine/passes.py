"""The passes: generic over update rule, query rule and kind of rows.

A round is: score the row, decide whether to ask, learn if asked. `run` does all of it, `ask` the first two
for one row, `learn` the last with every label given, `score` the first. The two functions that decide and
learn stand here once; the passes are loops around them.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.engine.choose import sign
from askance.engine.digest import rule_digest
from askance.engine.seam import COMPILING, compiled, expose, inlined, like, type_of
from askance.queries.rule import QueryRule, ScalableRule
from askance.rows import Rows, Seen, State
from askance.updates.rule import UpdateRule

for _protocol in (State, Rows, UpdateRule, QueryRule, ScalableRule):
    expose(_protocol)


class Outcome(NamedTuple):
    """What a pass writes down of each round."""

    guesses: NDArray[np.int8]
    scores: NDArray[Any]
    probabilities: NDArray[np.float64]
    asked: NDArray[np.bool_]
    updated: NDArray[np.bool_]


def blank_outcome(rounds: int, dtype: np.dtype[Any]) -> Outcome:
    """Room for the decisions of `rounds` rounds."""
    return Outcome(
        np.empty(rounds, np.int8),
        np.empty(rounds, dtype),
        np.empty(rounds),
        np.empty(rounds, np.bool_),
        np.empty(rounds, np.bool_),
    )


@inlined
def _look(state: Any, rows: Any, t: int, at_zero: float) -> Any:
    score, spread = rows.sweep(t, state)
    return Seen(score, spread, rows.squared_norms[t], sign(score, at_zero))


# Each pass is made by a function of the sources' digest: what a function closes over is part of the key
# under which its machine code is cached, the methods it calls are not.


def _make_run(digest: str | None) -> Callable[..., Any]:
    def run(update, query, state, memory, rounds, spent, rows, labels, coins, at_zero, outcome):  # type: ignore[no-untyped-def]
        _ = digest
        for t in range(labels.shape[0]):
            seen = _look(state, rows, t, at_zero)
            probability = query.ask(memory, seen, coins[t])
            asked = coins[t] < probability
            fires, step = update.step(seen, labels[t])
            updated = asked & fires
            if updated:
                rows.shift(t, state, like(step, seen.score))
            outcome.guesses[t] = seen.guess
            outcome.scores[t] = seen.score
            outcome.probabilities[t] = probability
            outcome.asked[t] = asked
            outcome.updated[t] = updated
            spent[0] += asked
        rounds[0] += labels.shape[0]

    return run


def _make_ask(digest: str | None) -> Callable[..., Any]:
    def ask(query, state, memory, rounds, spent, rows, coin, at_zero):  # type: ignore[no-untyped-def]
        _ = digest
        seen = _look(state, rows, 0, at_zero)
        probability = query.ask(memory, seen, coin)
        asked = coin < probability
        rounds[0] += 1
        spent[0] += asked
        return seen.guess, seen.score, probability, asked

    return ask


def _make_learn(digest: str | None) -> Callable[..., Any]:
    def learn(update, state, rows, labels, at_zero):  # type: ignore[no-untyped-def]
        _ = digest
        for t in range(labels.shape[0]):
            seen = _look(state, rows, t, at_zero)
            fires, step = update.step(seen, labels[t])
            if fires:
                rows.shift(t, state, like(step, seen.score))

    return learn


def _make_score(digest: str | None) -> Callable[..., Any]:
    def score(state, rows, scores):  # type: ignore[no-untyped-def]
        _ = digest
        for t in range(scores.shape[0]):
            scores[t], _spread = rows.sweep(t, state)

    return score


MAKERS = {"run": _make_run, "ask": _make_ask, "learn": _make_learn, "score": _make_score}


@functools.cache
def _dispatcher(name: str, classes: tuple[type, ...], exact: bool, cache: bool) -> Any:
    digest = rule_digest(classes)
    return compiled(MAKERS[name](digest), exact=exact, cache=cache and digest is not None)


def bind(name: str, arguments: tuple[Any, ...], *, exact: bool) -> Callable[..., Any]:
    """The pass `name` for arguments of these types, ready to be called with arguments of the same types.

    The machine code's own entry is returned: finding it anew for each call would take longer than `ask` does.
    """
    classes = _classes(arguments)
    function = _dispatcher(name, classes, exact, cache=True)
    if not COMPILING:
        return function
    signature = tuple(type_of(argument) for argument in arguments)
    try:
        return function.compile(signature)
    except OSError:
        # The cache cannot be written: a full disk, or a directory that has become read-only.
        return _dispatcher(name, classes, exact, cache=False).compile(signature)


def _classes(value: Any) -> tuple[type, ...]:
    """The named tuples in `value`, at any depth: their methods are what a pass is compiled from."""
    if not isinstance(value, tuple):
        return ()
    own = (type(value),) if hasattr(value, "_fields") else ()
    return own + tuple(found for part in value for found in _classes(part))
