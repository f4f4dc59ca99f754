"""Extremely randomized trees: grown on remembered rows, and what they vote for.

At a node, √d features are drawn, and a threshold for each, uniformly between its smallest and largest value. The
split with the lowest Gini impurity is taken. Trees grow until leaves are pure (Geurts, Ernst and Wehenkel 2006,
"Extremely randomized trees").
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.coins import coin_at
from askance.jit.interop import inlined, persistent, separate

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
    for k in range(counts.shape[1]):
        counts[0, k] = counts[1, k] = 0.0
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
    for k in range(counts.shape[1]):
        counts[0, k] = 0.0
    for place in range(first, last):
        counts[0, codes[order[place]]] += 1.0
    best = 0
    for k in range(1, counts.shape[1]):
        if counts[0, k] > counts[0, best]:
            best = k
    return best, counts[0, best] == last - first


@separate
def grow_trees(X: Any, codes: Any, rows: int, classes: int, trees: Any, random_state: Any) -> None:
    """Grow every tree on the first `rows` rows. Classes are numbered from 0."""
    order = np.empty(rows, np.int64)
    counts = np.empty((2, classes))
    stack = np.empty((2 * rows + 2, 3), np.int64)
    drawn = np.zeros(2, np.uint64)
    for tree in range(trees.features.shape[0]):
        drawn[0], drawn[1] = random_state, np.uint64(tree) << np.uint64(32)
        for row in range(rows):
            order[row] = row
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


@inlined
def add_votes(X: Any, t: int, trees: Any, votes: Any) -> None:
    """Add the vote of every tree for row t to `votes`, which has one entry per class."""
    for tree in range(trees.features.shape[0]):
        node = 0
        feature = trees.features[tree, node]
        while feature >= 0:
            node = trees.children[tree, node] + (X[t, feature] > trees.thresholds[tree, node])
            feature = trees.features[tree, node]
        votes[-1 - feature] += 1.0


def _grow(X: Any, codes: Any, classes: int, trees: Any, random_state: Any) -> None:
    grow_trees(X, codes, X.shape[0], classes, trees, random_state)


def _votes(X: Any, trees: Any, votes: Any) -> None:
    """Add the votes of every tree to `votes` (rows × classes)."""
    for t in range(X.shape[0]):
        add_votes(X, t, trees, votes[t])


_grown = persistent(_grow, exact=True)
votes = persistent(_votes, exact=True)


def grow(X: NDArray[np.float64], codes: NDArray[np.int64], classes: int, trees: Trees, random_state: int) -> None:
    """Grow every tree on all rows. Classes are numbered from 0."""
    with np.errstate(over="ignore"):  # 64-bit arithmetic is meant to wrap
        _grown(X, codes, classes, trees, np.uint64(random_state))


def empty(count: int, rows: int) -> Trees:
    """Return room for `count` trees on this many rows."""
    nodes = 2 * rows
    features, children = np.full((count, nodes), -1, np.int32), np.zeros((count, nodes), np.int32)
    return Trees(features, np.zeros((count, nodes)), children)


def with_room(trees: Trees, rows: int) -> Trees:
    """Return the same trees with room for more rows."""
    found = empty(len(trees.features), rows)
    for name in Trees._fields:
        known = getattr(trees, name)
        getattr(found, name)[:, : known.shape[1]] = known
    return found
