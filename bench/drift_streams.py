"""Streams that change: three in the order of time, six with a planted change, and the same without a change."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.league.tasks import IN_TIME, folder, load

MOST_ROWS = 12_000
GRADUAL = 2000  # rows from the first change to the last
NOISE = 0.3
PERIOD = 4  # a change that recurs does so at every fourth of the stream

Codes = NDArray[np.int64]


class Stream(NamedTuple):
    """Rows, their classes, and the rows at which a change is planted."""

    X: Any
    y: Codes
    changes: tuple[int, ...] = ()


def _swapped(X: Any, y: Codes, random: np.random.Generator) -> Stream:  # noqa: ARG001
    """Every class takes the place of another half-way."""
    half = len(y) // 2
    return Stream(X, np.where(np.arange(len(y)) < half, y, _next_class(y)), (half,))


def _shifted(X: Any, y: Codes, random: np.random.Generator) -> Stream:
    """The columns change places half-way."""
    half = len(y) // 2
    later = X[half:][:, random.permutation(X.shape[1])]
    return Stream(np.vstack([X[:half], later]), y, (half,))


def _gradual(X: Any, y: Codes, random: np.random.Generator) -> Stream:
    """More and more rows have the class of another, from half-way on."""
    half = len(y) // 2
    moved = random.random(len(y)) < (np.arange(len(y)) - half) / GRADUAL
    return Stream(X, np.where(moved, _next_class(y), y), (half,))


def _recurring(X: Any, y: Codes, random: np.random.Generator) -> Stream:  # noqa: ARG001
    """Classes change places and back."""
    part = len(y) // PERIOD
    return Stream(
        X,
        np.where(np.arange(len(y)) // part % 2 == 1, _next_class(y), y),
        tuple(part * k for k in range(1, PERIOD)),
    )


def _noisy(X: Any, y: Codes, random: np.random.Generator) -> Stream:
    """From half-way on, labels are often wrong."""
    half = len(y) // 2
    wrong = (np.arange(len(y)) >= half) & (random.random(len(y)) < NOISE)
    return Stream(X, np.where(wrong, _next_class(y), y), (half,))


def _new_classes(X: Any, y: Codes, random: np.random.Generator) -> Stream:
    """Half of the classes come from half-way on only."""
    old = random.permutation(np.flatnonzero(y <= y.max() // 2))
    new = random.permutation(np.flatnonzero(y > y.max() // 2))
    half = len(old) // 2
    later = random.permutation(np.concatenate([old[half:], new]))
    order = np.concatenate([old[:half], later])
    return Stream(X[order], y[order], (half,))


def _next_class(y: Codes) -> Codes:
    return (y + 1) % (y.max() + 1)


PLANTED: dict[str, tuple[str, Callable[[Any, Codes, np.random.Generator], Stream]]] = {
    "classes swapped": ("magic04", _swapped),
    "columns moved": ("spambase", _shifted),
    "gradual": ("letter", _gradual),
    "recurring": ("satimage", _recurring),
    "noisy labels": ("a9a", _noisy),
    "new classes": ("usps", _new_classes),
}
NAMES = (*sorted(IN_TIME), *PLANTED)


def stream(name: str, order: int, most: int | None = MOST_ROWS) -> Stream:
    """One of the nine streams, with at most this many rows. Those with a planted change have several orders."""
    if name in IN_TIME:
        X, y = load(folder(), name)
        return Stream(X[:most], y[:most])
    source, plant = PLANTED[name]
    random = np.random.default_rng(order)
    X, y = _shuffled(source, random, most)
    return plant(X, y, random)


def steady(name: str, order: int) -> Stream:
    """The rows of one of the nine streams at random: nothing changes."""
    source = name if name in IN_TIME else PLANTED[name][0]
    return Stream(*_shuffled(source, np.random.default_rng(order), None))


def _shuffled(source: str, random: np.random.Generator, most: int | None) -> tuple[Any, Codes]:
    X, y = load(folder(), source)
    order = random.permutation(len(y))[:most]
    return X[order], y[order]
