"""Streams that the tests make for themselves; the same random_state gives the same stream everywhere."""

from typing import Any, NamedTuple

import numpy as np


class Made(NamedTuple):
    """Rows, labels of -1 and +1, and a coin for each round."""

    X: Any
    y: Any
    coins: Any


def noisy(rows: int = 120, width: int = 12, random_state: int = 1) -> Made:
    """Dense rows of unequal length; a tenth of the labels are wrong."""
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(rows, width)) * rng.uniform(0.2, 1.5, (rows, 1))
    y = np.where(X @ rng.normal(size=width) > 0, 1, -1)
    wrong = rng.random(rows) < 0.1
    return Made(X, np.where(wrong, -y, y), rng.random(rows))


def sparse_units(rows: int = 150, width: int = 40, random_state: int = 2) -> Made:
    """Rows of length 1 with a fifth of their entries, few of them positive, and one row of zeros."""
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(rows, width)) * (rng.random((rows, width)) < 0.2)
    score = X @ rng.normal(size=width)
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)
    X[rows // 3] = 0.0
    return Made(X, np.where(score > np.quantile(score, 0.75), 1, -1), rng.random(rows))


def several(rows: int = 150, width: int = 10, classes: int = 4, random_state: int = 6) -> Made:
    """Rows of several classes, numbered from 0; a tenth of the labels are wrong, and one row is of zeros."""
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(rows, width)) * (rng.random((rows, width)) < 0.6)
    y = np.argmax(X @ rng.normal(size=(width, classes)), axis=1)
    wrong = rng.random(rows) < 0.1
    X[rows // 3] = 0.0
    return Made(X, np.where(wrong, rng.integers(0, classes, rows), y), rng.random(rows))


def separable(rows: int = 200, width: int = 8, random_state: int = 3) -> tuple[Made, Any]:
    """Rows that a vector of weights, returned too, separates with a margin of 1."""
    rng = np.random.default_rng(random_state)
    w = rng.normal(size=width)
    X = rng.normal(size=(4 * rows, width))
    X = X[np.abs(X @ w) >= 1][:rows]
    return Made(X, np.where(X @ w > 0, 1, -1), rng.random(len(X))), w
