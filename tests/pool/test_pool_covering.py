"""Core-set, ProbCover and TypiClust: as their algorithms say, on lists, and without labels."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from askance.pool import CoreSet, PoolLoop, PrivilegedSelector, ProbCover, TypiClust, distances, typical
from askance.pool.covering import pure_radius
from askance.pool.distances import SquaredDistances
from askance.pool.spread import clusters
from examples import examples

STRATEGIES = [CoreSet(), ProbCover(), ProbCover(1.5), TypiClust(), TypiClust(3, max_clusters=4)]
every_strategy = pytest.mark.parametrize("strategy", STRATEGIES, ids=map(repr, STRATEGIES))


def rows_of(seed: int, count: int = 40) -> Any:
    """Rows in four groups, far from 0."""
    random = np.random.default_rng(seed)
    return (
        100 + 3 * random.standard_normal((4, 2))[random.integers(0, 4, count)] + random.standard_normal((count, 2))
    )


def apart(x: Any, z: Any) -> float:
    return math.dist(x.tolist(), z.tolist())


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Distances are computed for a few rows at a time."""
    monkeypatch.setattr(distances, "BLOCK_NUMBERS", 100)


def naive_centres(labelled: Any, pool: Any, n: int) -> list[int]:
    """Greedy k-centre on lists."""
    chosen: list[int] = []
    for _ in range(n):
        centres = [*labelled, *(pool[row] for row in chosen)]
        free = [row for row in range(len(pool)) if row not in chosen]
        chosen.append(max(free, key=lambda row: min(apart(pool[row], centre) for centre in centres)))
    return chosen


@examples(25)
@given(st.integers(0, 10_000), st.integers(1, 12))
def test_core_set_is_as_its_twin(seed: int, n: int) -> None:
    X = rows_of(seed)
    selection = CoreSet().fit(X[:5], np.zeros(5)).select(X[5:], n)
    assert selection.rows.tolist() == naive_centres(X[:5], X[5:], n)
    assert (np.diff(selection.scores) <= 0).all()
    first = selection.rows[0]
    assert selection.scores[0] == pytest.approx(min(apart(X[5:][first], x) for x in X[:5]))


def test_core_set_is_within_twice_the_best_radius() -> None:
    X = rows_of(1, 12)
    everything = range(12)

    def radius(centres: Any) -> float:
        return max(min(apart(X[row], X[centre]) for centre in centres) for row in everything)

    best = min(radius((a, b, c)) for a in everything for b in range(a) for c in range(b))
    for seed in range(10):
        assert radius(CoreSet(random_state=seed).select(X, 3).rows) <= 2 * best


def naive_cover(labelled: Any, pool: Any, n: int, delta: float) -> tuple[list[int], list[int]]:
    """ProbCover on sets, while there is something to cover."""
    everything = [*labelled, *pool]
    covered = {i for i, x in enumerate(everything) if any(apart(x, z) <= delta for z in labelled)}
    balls = [{i for i, x in enumerate(everything) if apart(x, z) <= delta} for z in pool]
    chosen: list[int] = []
    gains: list[int] = []
    while len(chosen) < n:
        best = max(range(len(pool)), key=lambda row: len(balls[row] - covered))
        if not balls[best] - covered:
            break
        chosen.append(best)
        gains.append(len(balls[best] - covered))
        covered |= balls[best]
    return chosen, gains


@examples(25)
@given(st.integers(0, 10_000), st.integers(1, 30), st.floats(0.2, 3.0))
def test_probcover_is_as_its_twin(seed: int, n: int, delta: float) -> None:
    X = rows_of(seed)
    selection = ProbCover(delta).fit(X[:5], np.zeros(5)).select(X[5:], n)
    chosen, gains = naive_cover(X[:5], X[5:], n, delta)
    assert selection.rows[: len(chosen)].tolist() == chosen
    assert selection.scores.tolist() == gains + [0] * (n - len(gains))
    assert len(set(selection.rows.tolist())) == n


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("purity", [0.5, 0.9, 0.95])
def test_the_radius_is_the_largest_that_is_pure(purity: float) -> None:
    X = rows_of(2, 60)
    labels = clusters(X, 4, np.random.default_rng(0))
    found = pure_radius(SquaredDistances(X), labels, purity)

    def share(delta: float) -> float:
        pure = [all(labels[j] == labels[i] for j in range(60) if apart(X[i], X[j]) <= delta) for i in range(60)]
        return sum(pure) / 60

    assert share(found) >= purity
    between = sorted(apart(x, z) for x in X for z in X)
    larger = next(distance for distance in between if distance > found)
    assert share(larger) < purity


def naive_typicality(members: Any, neighbors: int) -> list[float]:
    found = []
    for i, x in enumerate(members):
        near = sorted(apart(x, z) for j, z in enumerate(members) if j != i)[:neighbors]
        found.append(len(near) / sum(near) if near else 0.0)
    return found


def naive_typical(labels: list[int], X: Any, known: int, n: int, neighbors: int) -> list[int]:
    """TypiClust on lists, from the clusters."""
    sizes = {cluster: labels.count(cluster) for cluster in labels}
    taken = list(range(known))
    while len(taken) < known + n:
        left = {labels[row] for row in range(len(X)) if row not in taken}
        count = {cluster: sum(labels[row] == cluster for row in taken) for cluster in left}
        best = min(left, key=lambda cluster: (sizes[cluster] < 5, count[cluster], -sizes[cluster], cluster))
        members = [row for row in range(len(X)) if labels[row] == best and row not in taken]
        found = naive_typicality([X[row] for row in members], neighbors)
        taken.append(members[found.index(max(found))])
    return [row - known for row in taken[known:]]


@examples(25)
@given(st.integers(0, 10_000), st.integers(1, 12), st.sampled_from([4, 7]), st.sampled_from([4, 100]))
def test_typiclust_is_as_its_twin(seed: int, n: int, neighbors: int, most: int) -> None:
    """The clusters are those of k-means; the rest on lists. Few neighbours would be at equal distances."""
    X = rows_of(seed, 50)
    strategy = TypiClust(neighbors, max_clusters=most, random_state=seed)
    selection = strategy.fit(X[:3], np.zeros(3)).select(X[3:], n)
    labels = clusters(X, min(3 + n, most), np.random.default_rng([seed, 3])).tolist()
    assert selection.rows.tolist() == naive_typical(labels, X, 3, n, neighbors)


def test_typicality_is_the_formula() -> None:
    X = rows_of(11, 30)
    assert typical.typicality(X, 6).tolist() == pytest.approx(naive_typicality(X, 6))
    assert typical.typicality(X[:1], 6).tolist() == [0]


def test_typiclust_returns_to_clusters_that_have_a_label() -> None:
    X = np.array([[0.0], [0.1], [0.2], [0.3], [0.4], [9.0], [9.1], [9.3], [50.0]])
    selection = TypiClust(max_clusters=3).fit(X[1:2], ["a"]).select(np.delete(X, 1, 0), 8)
    assert sorted(selection.rows.tolist()) == list(range(8))
    large = selection.parts["cluster_size"]
    assert large.tolist() == [5, 5, 5, 5, 3, 1, 3, 3]  # small ones last, those with fewer labels first


def test_large_clusters_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    X = rows_of(3, 200)
    whole = TypiClust().select(X, 2)
    monkeypatch.setattr(typical, "LARGEST_CLUSTER", 40)
    thinned = TypiClust().select(X, 2)
    assert len(set(thinned.rows.tolist())) == 2
    assert (thinned.scores < whole.scores).all()  # fewer rows are near


@pytest.mark.usefixtures("small_blocks")
@every_strategy
def test_sparse_rows_are_as_dense_ones_and_all_are_given_if_few(strategy: Any) -> None:
    X = rows_of(4) - 100
    dense = clone(strategy).fit(X[:5], np.zeros(5)).select(X[5:], 10)
    sparse = clone(strategy).fit(sp.csr_array(X[:5]), np.zeros(5))
    assert sparse.select(sp.csr_array(X[5:]), 10).rows.tolist() == dense.rows.tolist()
    assert sparse.select(X[5:], 10).rows.tolist() == dense.rows.tolist()
    assert sorted(clone(strategy).fit(X[:5], np.zeros(5)).select(X[5:], 100).rows.tolist()) == list(range(35))


@every_strategy
def test_no_labels_are_needed(strategy: Any) -> None:
    X = rows_of(5)
    rows = clone(strategy).select(X, 4).rows
    assert len(set(rows.tolist())) == 4
    assert rows.tolist() == clone(strategy).select(X, 4).rows.tolist()
    loop = PoolLoop(clone(strategy), X, {}, batch=4, queries=8)
    for selection in loop:
        loop.tell(selection.rows, selection.rows % 2)
    assert len(loop.labelled()[0]) == 8
    assert set(rows.tolist()) <= set(loop.labelled()[0].tolist())


def test_diversity_starts_without_labels_too() -> None:
    X = rows_of(6)
    assert len(next(PoolLoop(PrivilegedSelector(use="diversity"), X, {}, batch=3)).rows) == 3
    with pytest.raises(ValueError, match="labels is empty: this strategy learns from labels"):
        PoolLoop(PrivilegedSelector(), X, {})


@pytest.mark.parametrize("strategy", [CoreSet(), TypiClust(), ProbCover(candidates=20)])
def test_draws_depend_on_the_random_state(strategy: Any) -> None:
    X = rows_of(7)
    found = {tuple(clone(strategy).set_params(random_state=seed).select(X, 9).rows.tolist()) for seed in range(4)}
    assert len(found) > 1


@every_strategy
def test_equal_rows_are_no_fault(strategy: Any) -> None:
    selection = clone(strategy).select(np.ones((30, 2)), 30)
    assert sorted(selection.rows.tolist()) == list(range(30))
    assert np.isfinite(selection.scores).all()


def test_of_a_large_pool_some_rows_are_candidates() -> None:
    X = rows_of(8, 100)
    found = ProbCover(1.0, candidates=20)
    selection = found.fit(X[:5], np.zeros(5)).select(X[5:], 4)
    assert selection.scores.max() <= 20
    assert selection.rows.max() < 95
    assert len(found.select(X[5:], 30).rows) == 30  # as many candidates as are wanted


FAULTS: list[tuple[Callable[[], Any], str]] = [
    (lambda: ProbCover(0.0), "delta must be greater than 0 and finite, not 0"),
    (lambda: ProbCover(purity=1.0), "purity must be greater than 0 and less than 1, not 1"),
    (lambda: ProbCover(n_clusters=0), "n_clusters must be"),
    (lambda: TypiClust(0), "neighbors must be"),
    (lambda: TypiClust(max_clusters=0.5), "max_clusters must be"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("make", "said"), FAULTS)
def test_faults_are_named(make: Callable[[], Any], said: str) -> None:
    X = rows_of(9)
    with pytest.raises(ValueError, match=said):
        make().select(X, 3)
    with pytest.raises(ValueError, match=said):
        make().fit(X, np.zeros(40))


def test_the_numbers_of_features_must_match() -> None:
    X = rows_of(10)
    with pytest.raises(ValueError, match="X has 1 features, but the labelled rows have 2"):
        CoreSet().fit(X, np.zeros(40)).select(X[:, :1], 3)
    with pytest.raises(ValueError, match="X has 40 rows but y has 39 labels"):
        CoreSet().fit(X, np.zeros(39))
    with pytest.raises(ValueError, match="n must be a whole number, 1 or more"):
        CoreSet().select(X, 0)
