"""Extremely randomized trees: grown on remembered rows, and what they vote for.

At a node, √d features are drawn, and a threshold for each, uniformly between its smallest and largest value. The
split with the lowest Gini impurity is taken. Trees grow until leaves are pure (Geurts, Ernst and Wehenkel 2006,
"Extremely randomized trees").
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.coins import coin_at
from askance.jit.interop import inlined, persistent

# Draws of a feature at a node, in relation to the features wanted: some are constant there.
PATIENCE = 3


class Trees(NamedTuple):
    """One row of nodes per tree. A node has a feature and a threshold, or -1 - class if it is a leaf.

    Its children are at `children` (values up to the threshold) and the place after that.
    """

    features: NDArray[np.int32]
    thresholds: NDArray[np.float64]
    children: NDArray[np.int32]


@inlined
def draw(drawn: Any) -> float:
    """Return the next coin of a seed: `drawn` has the seed, and the number of coins drawn so far."""
    drawn[1] += np.uint64(1)
    return coin_at(drawn[0], drawn[1])


@inlined
def impurity(
    X: Any, codes: Any, order: Any, first: int, last: int, feature: int, threshold: float, counts: Any
) -> float:
    """Return how impure both sides of a split are: the rows of a side times its Gini impurity, added up."""
    counts[:] = 0.0
    left = 0.0
    for place in range(first, last):
        row = order[place]
        if X[row, feature] <= threshold:
            counts[0, codes[row]] += 1.0
            left += 1.0
        else:
            counts[1, codes[row]] += 1.0
    right, squares_left, squares_right = last - first - left, 0.0, 0.0
    for k in range(counts.shape[1]):
        squares_left += counts[0, k] * counts[0, k]
        squares_right += counts[1, k] * counts[1, k]
    return left - squares_left / max(left, 1.0) + right - squares_right / max(right, 1.0)


@inlined
def best_split(
    X: Any, codes: Any, order: Any, first: int, last: int, counts: Any, drawn: Any
) -> tuple[int, float]:
    """Return the best of some random splits; feature -1 if all the drawn features are constant."""
    width = X.shape[1]
    wanted = max(1, int(np.sqrt(width) + 0.5))
    best, chosen, at = np.inf, -1, 0.0
    found = 0
    for _ in range(max(wanted * PATIENCE, width if last - first <= 16 else 0)):
        feature = int(draw(drawn) * width)
        low, high = X[order[first], feature], X[order[first], feature]
        for place in range(first + 1, last):
            low, high = min(low, X[order[place], feature]), max(high, X[order[place], feature])
        if low == high:
            continue
        threshold = low + draw(drawn) * (high - low)
        if threshold >= high:
            threshold = low
        found += 1
        value = impurity(X, codes, order, first, last, feature, threshold, counts)
        if value < best:
            best, chosen, at = value, feature, threshold
        if found == wanted:
            break
    return chosen, at


@inlined
def majority(codes: Any, order: Any, first: int, last: int, counts: Any) -> tuple[Any, bool]:
    """Return the most frequent class of some rows, and whether it is the only one."""
    counts[0] = 0.0
    for place in range(first, last):
        counts[0, codes[order[place]]] += 1.0
    best = np.argmax(counts[0])
    return best, counts[0, best] == last - first


def _grow(X: Any, codes: Any, classes: int, trees: Any, random_state: Any) -> None:
    rows = X.shape[0]
    order = np.empty(rows, np.int64)
    counts = np.empty((2, classes))
    stack = np.empty((2 * rows + 2, 3), np.int64)
    drawn = np.zeros(2, np.uint64)
    for tree in range(trees.features.shape[0]):
        drawn[0], drawn[1] = random_state, np.uint64(tree) << np.uint64(32)
        order[:] = np.arange(rows)
        stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, rows
        depth, used = 1, 1
        while depth:
            depth -= 1
            node, first, last = stack[depth, 0], stack[depth, 1], stack[depth, 2]
            winner, pure = majority(codes, order, first, last, counts)
            feature, threshold = (-1, 0.0) if pure else best_split(X, codes, order, first, last, counts, drawn)
            if feature < 0:
                trees.features[tree, node] = -1 - winner
                continue
            middle = first
            for place in range(first, last):
                row = order[place]
                if X[row, feature] <= threshold:
                    order[place], order[middle] = order[middle], row
                    middle += 1
            trees.features[tree, node], trees.thresholds[tree, node] = feature, threshold
            trees.children[tree, node] = used
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = used, first, middle
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = used + 1, middle, last
            depth, used = depth + 2, used + 2


def _votes(X: Any, trees: Any, votes: Any) -> None:
    """Add the votes of every tree to `votes` (rows × classes)."""
    for t in range(X.shape[0]):
        for tree in range(trees.features.shape[0]):
            node = 0
            feature = trees.features[tree, node]
            while feature >= 0:
                node = trees.children[tree, node] + (X[t, feature] > trees.thresholds[tree, node])
                feature = trees.features[tree, node]
            votes[t, -1 - feature] += 1.0


_grown = persistent(_grow, exact=True)
votes = persistent(_votes, exact=True)


def grow(X: NDArray[np.float64], codes: NDArray[np.int64], classes: int, trees: Trees, random_state: int) -> None:
    """Grow every tree on all rows. Classes are numbered from 0."""
    with np.errstate(over="ignore"):  # 64-bit arithmetic is meant to wrap
        _grown(X, codes, classes, trees, np.uint64(random_state))


def empty(count: int, rows: int) -> Trees:
    """Return room for `count` trees on this many rows."""
    nodes = max(1, 2 * rows - 1)
    features, children = np.full((count, nodes), -1, np.int32), np.zeros((count, nodes), np.int32)
    return Trees(features, np.zeros((count, nodes)), children)
