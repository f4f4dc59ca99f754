"""Extremely randomized trees: grown on remembered rows, extended by new ones, and what they vote for.

At a node, √d features are drawn, and a threshold for each, uniformly between its smallest and largest value. The
split with the lowest Gini impurity is taken. Trees grow until leaves are pure (Geurts, Ernst and Wehenkel 2006,
"Extremely randomized trees").

A new row goes to its leaf, which is split if the row is of another class. Splits near the root were chosen when
there were fewer rows, so trees take turns at being grown from scratch.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.splitmix import GOLDEN
from askance.jit.coins import coin_at
from askance.jit.interop import allocating, inlined, persistent, separate
from askance.jit.select import maximum, minimum, where

# Draws of a feature at a node, in relation to the features wanted: some are constant there.
PATIENCE = 3
# While labels grow by a factor of e, every tree is grown from scratch 25/√labels times (early splits matter most,
# and cost little), and half a time more, however many labels there are.
EARLY_TURNS, LATE_TURNS = 50.0, 0.5
ABREAST = 5  # trees that are followed at the same time, so that the processor waits less; divides their number

Places = NDArray[np.int32]


class Trees(NamedTuple):
    """One row of nodes per tree. Arrays have room for more nodes and rows than are in use.

    The children of a node are at `children` (values up to the threshold) and the place after that. A leaf is its
    own child, and its threshold is infinity: a step from a leaf leads to the same leaf. Its rows are a list.
    """

    features: Places
    thresholds: NDArray[np.float64]
    children: Places
    classes: Places  # of leaves
    heads: Places  # of leaves: the row that begins the list, or -1
    following: Places  # the row after each row in the list of its leaf, or -1
    used: Places  # the number of nodes of each tree


class Rows(NamedTuple):
    """Rows to grow on: the value of a feature is at `row * across + feature * down` of `values`."""

    values: NDArray[np.float64]
    across: int
    down: int
    width: int
    codes: NDArray[np.int64]


class Space(NamedTuple):
    """Room for growing: rows and their classes in the order of nodes, values of one feature, counts of classes."""

    order: NDArray[np.int64]
    codes: NDArray[np.int64]
    values: NDArray[np.float64]
    totals: NDArray[np.int64]
    left: NDArray[np.int64]
    stack: NDArray[np.int64]


@inlined
def new_space(rows: int, classes: int) -> Any:
    """Return room for growing trees on this many rows."""
    return Space(
        np.empty(rows, np.int64),
        np.empty(rows, np.int64),
        np.empty(rows),
        np.empty(classes, np.int64),
        np.empty(classes, np.int64),
        np.empty((2 * rows + 2, 3), np.int64),
    )


@inlined
def draw(drawn: Any) -> float:
    """Return the next coin of a seed: `drawn` has the seed, and the number of coins drawn so far."""
    drawn[1] += np.uint64(1)
    return coin_at(drawn[0], drawn[1])


@inlined
def count_left(space: Any, first: int, last: int, threshold: float) -> None:
    """Count the classes of the rows up to a threshold.

    Loops over places that cannot be negative, and sums instead of counts, are compiled to vector instructions.
    """
    values, codes, left = space.values, space.codes, space.left
    if left.shape[0] == 2:
        rows, ones = 0, 0
        for place in range(np.uint64(first), np.uint64(last)):
            is_left = int(values[place] <= threshold)
            rows += is_left
            ones += is_left & codes[place]
        left[0], left[1] = rows - ones, ones
        return
    for k in range(left.shape[0]):
        left[k] = 0
    for place in range(np.uint64(first), np.uint64(last)):
        left[np.uint64(codes[place])] += int(values[place] <= threshold)


@inlined
def impurity(space: Any, first: int, last: int, threshold: float) -> float:
    """Return how impure both sides of a split are: the rows of a side times its Gini impurity, added up."""
    totals, left = space.totals, space.left
    count_left(space, first, last, threshold)
    rows, squares_left, squares_right = 0, 0, 0
    for k in range(left.shape[0]):
        rows += left[k]
        squares_left += left[k] * left[k]
        squares_right += (totals[k] - left[k]) * (totals[k] - left[k])
    others = last - first - rows
    return rows - squares_left / max(rows, 1) + others - squares_right / max(others, 1)


@inlined
def gather(rows: Any, space: Any, first: int, last: int, feature: int) -> tuple[float, float]:
    """Copy the values of a feature of some rows; return the smallest and the largest."""
    values, order, column = rows.values, space.order, feature * rows.down
    low, high = np.inf, -np.inf
    for place in range(np.uint64(first), np.uint64(last)):
        value = values[np.uint64(order[place] * rows.across + column)]
        space.values[place] = value
        low, high = minimum(value, low), maximum(value, high)
    return low, high


@inlined
def best_split(rows: Any, space: Any, first: int, last: int, drawn: Any) -> tuple[int, float]:
    """Return the best of some random splits; feature -1 if all the drawn features are constant."""
    wanted = max(1, int(math.sqrt(rows.width) + 0.5))
    best, chosen, at = np.inf, -1, 0.0
    found = 0
    for _ in range(max(wanted * PATIENCE, rows.width if last - first <= 16 else 0)):
        feature = int(draw(drawn) * rows.width)
        low, high = gather(rows, space, first, last, feature)
        if low == high:
            continue
        threshold = low + draw(drawn) * (high - low)
        if threshold >= high:
            threshold = low
        found += 1
        value = impurity(space, first, last, threshold)
        if value < best:
            best, chosen, at = value, feature, threshold
        if found == wanted:
            break
    return chosen, at


@inlined
def count_classes(space: Any, first: int, last: int) -> tuple[int, bool]:
    """Count the classes of some rows; return the most frequent one, and whether it is the only one."""
    totals = space.totals
    for k in range(totals.shape[0]):
        totals[k] = 0
    for place in range(first, last):
        totals[space.codes[place]] += 1
    best = 0
    for k in range(1, totals.shape[0]):
        if totals[k] > totals[best]:
            best = k
    return best, totals[best] == last - first


@inlined
def divide(rows: Any, space: Any, first: int, last: int, feature: int, threshold: float) -> int:
    """Put rows up to the threshold before the others; return where the others begin."""
    order, codes, middle, column = space.order, space.codes, np.uint64(first), feature * rows.down
    for place in range(np.uint64(first), np.uint64(last)):  # without branches, which would be mispredicted
        row, code, other, its_code = order[place], codes[place], order[middle], codes[middle]
        is_left = rows.values[np.uint64(row * rows.across + column)] <= threshold
        order[place], codes[place] = where(is_left, other, row), where(is_left, its_code, code)
        order[middle], codes[middle] = where(is_left, row, other), where(is_left, code, its_code)
        middle += np.uint64(is_left)
    return int(middle)


@inlined
def make_leaf(trees: Any, tree: int, node: int, code: int, space: Any, first: int, last: int) -> None:
    """Turn a node into a leaf with some rows."""
    trees.children[tree, node], trees.thresholds[tree, node], trees.features[tree, node] = node, np.inf, 0
    head = -1
    for place in range(first, last):
        trees.following[tree, space.order[place]] = head
        head = space.order[place]
    trees.classes[tree, node], trees.heads[tree, node] = code, head


@separate
def grow_from(rows: Any, tree: int, root: int, count: int, trees: Any, space: Any, drawn: Any) -> None:
    """Grow a tree from a node on, whose rows are the first of `space.order`."""
    stack = space.stack
    for place in range(count):
        space.codes[place] = rows.codes[space.order[place]]
    stack[0, 0], stack[0, 1], stack[0, 2] = root, 0, count
    depth = 1
    while depth:
        depth -= 1
        node, first, last = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        code, pure = count_classes(space, first, last)
        feature, threshold = (-1, 0.0) if pure else best_split(rows, space, first, last, drawn)
        if feature < 0:
            make_leaf(trees, tree, node, code, space, first, last)
            continue
        middle = divide(rows, space, first, last, feature, threshold)
        used = trees.used[tree]
        trees.features[tree, node], trees.thresholds[tree, node] = feature, threshold
        trees.children[tree, node] = used
        stack[depth, 0], stack[depth, 1], stack[depth, 2] = used, first, middle
        stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = used + 1, middle, last
        depth += 2
        trees.used[tree] = used + 2


@inlined
def leaf_of(X: Any, t: int, trees: Any, tree: int) -> int:
    """Return the leaf of a tree to which row t belongs."""
    node, found = -1, 0
    while found != node:
        node = found
        found = trees.children[tree, node] + (X[t, trees.features[tree, node]] > trees.thresholds[tree, node])
    return node


@inlined
def add_row(rows: Any, row: int, leaf: int, tree: int, trees: Any, space: Any, drawn: Any) -> None:
    """Add a row to the list of its leaf, which grows on if the row is of another class."""
    trees.following[tree, row], trees.heads[tree, leaf] = trees.heads[tree, leaf], row
    if trees.classes[tree, leaf] != rows.codes[row]:
        count = 0
        while row >= 0:
            space.order[count] = row
            count += 1
            row = trees.following[tree, row]
        grow_from(rows, tree, leaf, count, trees, space, drawn)


@inlined
def turns(labels: int) -> float:
    """Return how often every tree has been grown from scratch until there were this many labels."""
    return EARLY_TURNS * (1.0 - 1.0 / math.sqrt(labels)) + LATE_TURNS * math.log(labels)


@inlined
def is_due(tree: int, trees: int, before: int, now: int) -> bool:
    """Whether it is the turn of a tree, after `before` labels and after `now`."""
    phase = tree / trees
    return before == 0 or int(turns(now) + phase) > int(turns(before) + phase)


@inlined
def by_columns(X: Any, count: int, codes: Any) -> Any:
    """Return the first rows with the values of a column side by side, as growing looks at one after the other."""
    width = X.shape[1]
    values = np.empty(count * width)
    for row in range(count):
        for j in range(width):
            values[j * count + row] = X[row, j]
    return Rows(values, 1, count, width, codes)


@allocating
def grow_trees(X: Any, codes: Any, known: Any, classes: int, trees: Any, random_state: Any) -> None:
    """Teach every tree the newest rows. `known` are rows, labels that the trees know, and labels so far."""
    count, before, now = known
    number = trees.features.shape[0]
    some = False
    for tree in range(number):
        some |= is_due(tree, number, before, now)
    space, drawn = new_space(count, classes), np.zeros(2, np.uint64)
    rows = Rows(X.ravel(), X.shape[1], 1, X.shape[1], codes)
    columns = by_columns(X, count if some else 0, codes)
    for tree in range(number):
        drawn[0], drawn[1] = random_state + np.uint64(now) * GOLDEN, np.uint64(tree) << np.uint64(32)
        if is_due(tree, number, before, now):
            for row in range(count):
                space.order[row] = row
            trees.used[tree] = 1
            grow_from(columns, tree, 0, count, trees, space, drawn)
        else:
            for row in range(count - (now - before), count):
                add_row(rows, row, leaf_of(X, row, trees, tree), tree, trees, space, drawn)


@inlined
def add_votes(X: Any, t: int, trees: Any, nodes: Any, votes: Any) -> None:
    """Add the vote of every tree for row t to `votes`, which has one entry per class."""
    features, thresholds, children = trees.features, trees.thresholds, trees.children
    for first in range(0, nodes.shape[0], ABREAST):
        moved = True
        for tree in range(first, first + ABREAST):
            nodes[tree] = 0
        while moved:
            moved = False
            for tree in range(first, first + ABREAST):
                node = nodes[tree]
                right = X[t, np.uint64(features[tree, node])] > thresholds[tree, node]
                found = np.uint64(children[tree, node]) + np.uint64(right)
                moved |= found != node
                nodes[tree] = found
        for tree in range(first, first + ABREAST):
            votes[trees.classes[tree, nodes[tree]]] += 1.0


def _grow(X: Any, codes: Any, known: Any, classes: int, trees: Any, random_state: Any) -> None:
    grow_trees(X, codes, known, classes, trees, random_state)


def _link(X: Any, trees: Any) -> None:
    """Count the nodes, and put every row into the list of its leaf."""
    for tree in range(trees.features.shape[0]):
        node, used = 0, 1
        while node < used:  # children come after their parents
            trees.heads[tree, node] = -1
            if trees.children[tree, node] != node:
                used = max(used, trees.children[tree, node] + 2)
            node += 1
        trees.used[tree] = used
        for row in range(X.shape[0]):
            leaf = leaf_of(X, row, trees, tree)
            trees.following[tree, row], trees.heads[tree, leaf] = trees.heads[tree, leaf], row


def _votes(X: Any, trees: Any, votes: Any) -> None:
    """Add the votes of every tree to `votes` (rows × classes)."""
    nodes = np.empty(trees.features.shape[0], np.uint64)
    for t in range(X.shape[0]):
        add_votes(X, t, trees, nodes, votes[t])


_grown = persistent(_grow, exact=True)
link = persistent(_link, exact=True)
votes = persistent(_votes, exact=True)


def grow(X: NDArray[np.float64], codes: NDArray[np.int64], classes: int, trees: Trees, random_state: int) -> None:
    """Grow every tree on all rows. Classes are numbered from 0."""
    extend(X, codes, 0, classes, trees, random_state)


def extend(
    X: NDArray[np.float64], codes: NDArray[np.int64], known: int, classes: int, trees: Trees, random_state: int
) -> None:
    """Teach trees that know the first rows the others."""
    with np.errstate(over="ignore"):  # 64-bit arithmetic is meant to wrap
        _grown(X, codes, (len(X), known, len(X)), classes, trees, np.uint64(random_state))


def empty(count: int, rows: int) -> Trees:
    """Return room for `count` trees on this many rows."""
    nodes = 2 * rows
    return Trees(
        features=np.zeros((count, nodes), np.int32),
        thresholds=np.full((count, nodes), np.inf),
        children=np.tile(np.arange(nodes, dtype=np.int32), (count, 1)),
        classes=np.zeros((count, nodes), np.int32),
        heads=np.full((count, nodes), -1, np.int32),
        following=np.full((count, rows), -1, np.int32),
        used=np.ones(count, np.int32),
    )


def with_room(trees: Trees, rows: int) -> Trees:
    """Return the same trees with room for more rows."""
    found = empty(len(trees.features), rows)
    for name in ("features", "thresholds", "children", "classes", "heads", "following"):
        known = getattr(trees, name)
        getattr(found, name)[:, : known.shape[1]] = known
    return found._replace(used=trees.used)
