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


def leaf(x: np.ndarray, found: trees.Trees, tree: int) -> int:
    node = 0
    while found.children[tree, node] != node:
        right = x[found.features[tree, node]] > found.thresholds[tree, node]
        node = found.children[tree, node] + int(right)
    return node


def walk(x: np.ndarray, found: trees.Trees, tree: int) -> int:
    return int(found.classes[tree, leaf(x, found, tree)])


def extended(X: np.ndarray, codes: np.ndarray, classes: int, known: int, steps: int = 1) -> trees.Trees:
    """A forest that was grown on the first rows, and taught the others, `steps` at a time."""
    found = trees.empty(20, len(X))
    trees.grow(X[:known], codes[:known], classes, found, 0)
    for before in range(known, len(X), steps):
        now = min(len(X), before + steps)
        trees.extend(X[:now], codes[:now], before, classes, found, 0)
    return found


def rows_of(found: trees.Trees, tree: int, node: int) -> list[int]:
    rows, row = [], int(found.heads[tree, node])
    while row >= 0:
        rows.append(row)
        row = int(found.following[tree, row])
    return rows


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


@pytest.mark.parametrize("steps", [1, 7])
@pytest.mark.parametrize("classes", [2, 5])
def test_every_tree_knows_the_rows_that_were_added(classes: int, steps: int) -> None:
    rng = np.random.default_rng(4)
    X, codes = rng.normal(size=(120, 6)), rng.integers(0, classes, 120)
    counts = votes(X, extended(X, codes, classes, known=30, steps=steps), classes)
    np.testing.assert_array_equal(counts, 20 * np.eye(classes)[codes])


def test_leaves_list_their_rows_also_after_a_file_was_read() -> None:
    rng = np.random.default_rng(5)
    X, codes = np.round(rng.normal(size=(90, 3)), 1), rng.integers(0, 3, 90)
    found = extended(X, codes, 3, known=20)
    again = found._replace(heads=found.heads.copy(), following=found.following.copy(), used=found.used.copy())
    trees.link(X, again)
    np.testing.assert_array_equal(again.used, found.used)
    for tree in range(20):
        for node in range(found.used[tree]):
            if found.children[tree, node] == node:
                own = [row for row, x in enumerate(X) if leaf(x, found, tree) == node]
                assert sorted(rows_of(found, tree, node)) == sorted(rows_of(again, tree, node)) == own
                assert found.classes[tree, node] == np.bincount(codes[own]).argmax()


def test_a_row_of_the_class_of_its_leaf_changes_no_split() -> None:
    rng = np.random.default_rng(6)
    X, codes = rng.normal(size=(601, 4)), np.zeros(601, np.int64)
    codes[:600] = X[:600, 0] > 0
    X[600], codes[600] = [5.0, 0.0, 0.0, 0.0], 1
    before = forest(X[:600], codes[:600], 2)
    after = extended(X, codes, 2, known=600)
    kept = after.used == before.used  # the others had their turn to grow from scratch, or split a leaf
    assert kept.sum() >= 15
    for tree in np.flatnonzero(kept):
        nodes = slice(0, before.used[tree])
        np.testing.assert_array_equal(before.thresholds[tree, nodes], after.thresholds[tree, nodes])


def test_trees_take_turns_at_growing_from_scratch() -> None:
    due = np.array([[trees.is_due(tree, 20, n, n + 1) for tree in range(20)] for n in range(1, 2000)])
    assert due[0].all()
    assert due[50:].sum(axis=1).max() <= 3  # never many at once
    for first, share in ((50, 1.35), (200, 1.7), (600, 2.3)):  # all of them, while labels grow by this share
        assert due[first : int(first * share)].any(axis=0).all()
        assert due[first : int(first * share)].sum() <= 25


def test_extended_trees_are_about_as_good_as_new_ones() -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(1300, 4))
    codes = (X[:, 0] * X[:, 1] > 0).astype(np.int64)
    shares = []
    for found in (forest(X[:300], codes[:300], 2), extended(X[:300], codes[:300], 2, known=20)):
        counts = votes(X[300:], found, 2)
        shares.append((counts.argmax(axis=1) == codes[300:]).mean())
    assert shares[1] > shares[0] - 0.03
    assert shares[1] > 0.8
