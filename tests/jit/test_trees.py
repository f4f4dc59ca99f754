"""Extremely randomized trees."""

import numpy as np
import pytest

from askance.jit.kernels import trees


def forest(X: np.ndarray, codes: np.ndarray, classes: int, count: int = 20, random_state: int = 0) -> trees.Trees:
    found = trees.empty(count, len(X))
    trees.grow(X, codes, classes, found, random_state)
    return found


def votes(X: np.ndarray, found: trees.Trees, classes: int) -> np.ndarray:
    counts = np.zeros((len(X), classes))
    trees.votes(X, found, counts)
    return counts


def walk(x: np.ndarray, found: trees.Trees, tree: int) -> int:
    node = 0
    while found.features[tree, node] >= 0:
        right = x[found.features[tree, node]] > found.thresholds[tree, node]
        node = found.children[tree, node] + int(right)
    return -1 - int(found.features[tree, node])


@pytest.mark.parametrize("classes", [2, 5])
def test_every_tree_knows_the_rows_that_it_was_grown_on(classes: int) -> None:
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(80, 6)), rng.integers(0, classes, 80)
    counts = votes(X, forest(X, codes, classes), classes)
    np.testing.assert_array_equal(counts, 20 * np.eye(classes)[codes])


def test_votes_are_those_of_a_walk_down_every_tree() -> None:
    rng = np.random.default_rng(1)
    X, codes = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    found, new = forest(X, codes, 3), rng.normal(size=(30, 4))
    expected = [np.bincount([walk(x, found, tree) for tree in range(20)], minlength=3) for x in new]
    np.testing.assert_array_equal(votes(new, found, 3), expected)


def test_rows_that_cannot_be_told_apart_get_the_majority() -> None:
    X, codes = np.ones((7, 3)), np.array([0, 1, 1, 0, 1, 1, 0])
    counts = votes(X, forest(X, codes, 2), 2)
    np.testing.assert_array_equal(counts, np.tile([0.0, 20.0], (7, 1)))


def test_random_states_differ_and_repeat() -> None:
    rng = np.random.default_rng(2)
    X, codes = rng.normal(size=(50, 4)), rng.integers(0, 2, 50)
    one, again, other = (forest(X, codes, 2, random_state=state) for state in (5, 5, 6))
    np.testing.assert_array_equal(one.thresholds, again.thresholds)
    assert (one.thresholds != other.thresholds).any()


def test_it_learns_what_no_line_can_tell() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 4))
    codes = (X[:, 0] * X[:, 1] > 0).astype(np.int64)
    counts = votes(X[300:], forest(X[:300], codes[:300], 2, count=50), 2)
    assert (counts.argmax(axis=1) == codes[300:]).mean() > 0.85
