"""Strategies that cover the pool: every row should be near to one with a label."""

import numpy as np

from askance._util.parameters import COUNT, POSITIVE, Constraints, Interval
from askance.pool.distances import SquaredDistances
from askance.pool.selection import Indices, Selection
from askance.pool.spread import SpreadStrategy, clusters
from askance.pool.views import AnyMatrix
from askance.typing import BoolArray, FloatArray

JUST_LESS = 1 - 1e-9  # rows at the distance itself are not to be covered


class CoreSet(SpreadStrategy):
    """Core-set: rows far from all rows that have labels, by greedy k-centre.

    One row at a time: u = arg max_i min_{j ∈ s} ‖x_i − x_j‖, with s the labelled rows and those selected before
    (Sener and Savarese 2018, algorithm 1). The largest of these distances is at most twice the least possible
    one. Without any labels, the first row is drawn at random. The paper takes the last layer of a network for x;
    here, scale the features so that distances mean something. Outliers are far from everything, so this strategy
    selects them.

    Distances are computed to one new row at a time: the time is O(`n` · rows · features), and the memory one copy
    of the pool.

    Parameters
    ----------
    random_state : int, default: 0
        Decides the first row if there are no labels.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import CoreSet
    >>> X = np.arange(10.0).reshape(-1, 1)
    >>> CoreSet().fit(X[:1], ["low"]).select(X[1:], n=2).rows + 1
    array([9, 4])
    """

    def __init__(self, *, random_state: int = 0) -> None:
        self.random_state = random_state

    def _spread(self, X: AnyMatrix, known: int, n: int, generator: np.random.Generator) -> Selection:
        distances = SquaredDistances(X)
        nearest = distances.nearest(np.arange(distances.size), np.arange(known))
        nearest[:known] = -1  # never selected, nor are rows a second time
        rows: list[int] = []
        found = np.empty(n)
        for place in range(n):
            first = not known and not place
            row = int(generator.integers(distances.size)) if first else int(nearest.argmax())
            found[place] = nearest[row]
            rows.append(row)
            nearest = np.minimum(nearest, distances.to(row))
            nearest[row] = -1
        if not known:
            found[0] = distances.to(rows[0]).max()  # nothing was selected before: the radius from here
        found = np.sqrt(found)
        return Selection(np.array(rows, np.intp), found, {"distance": found})


class ProbCover(SpreadStrategy):
    """ProbCover: rows whose balls of radius δ cover the most rows that are not covered yet.

    One row at a time: the one with the most uncovered rows within δ; these are then covered. Rows within δ of a
    labelled row are covered from the start (Yehuda et al. 2022, algorithm 1). When everything is covered, rows are
    drawn at random. By default, δ is the largest radius at which a share `purity` of all balls hold rows of one
    k-means cluster only, as in the paper: clusters take the place of the unknown classes.

    The graph of neighbours is never stored. All distances are computed three times at most, in blocks of 32 MB:
    the time is O(rows² · features), and the memory one copy of the rows. Of a pool with more than `candidates`
    rows, that number is drawn at random, and the other rows are neither selected nor counted as covered.

    Parameters
    ----------
    delta : float or None, default: None
        The radius δ. None estimates it.
    n_clusters : int, default: 10
        The number of clusters for estimating δ: about the number of classes.
    purity : float, default: 0.95
        The share of balls that must be pure when δ is estimated.
    candidates : int, default: 20000
        The largest number of rows of the pool that are considered.
    random_state : int, default: 0
        Decides the clusters, the candidates, and the rows when everything is covered.

    Attributes
    ----------
    delta_ : float
        The radius that the last selection used.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import ProbCover
    >>> X = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [20.0]])
    >>> ProbCover(delta=1.0).select(X, n=2).rows
    array([1, 3])
    """

    def __init__(
        self,
        delta: float | None = None,
        *,
        n_clusters: int = 10,
        purity: float = 0.95,
        candidates: int = 20_000,
        random_state: int = 0,
    ) -> None:
        self.delta = delta
        self.n_clusters = n_clusters
        self.purity = purity
        self.candidates = candidates
        self.random_state = random_state

    def _constraints(self) -> Constraints:
        own: Constraints = {} if self.delta is None else {"delta": POSITIVE}
        share = Interval(0, 1, high_closed=False)
        return {**own, "n_clusters": COUNT, "purity": share, "candidates": COUNT}

    def _spread(self, X: AnyMatrix, known: int, n: int, generator: np.random.Generator) -> Selection:
        kept = np.arange(X.shape[0])
        most = max(self.candidates, n)
        if X.shape[0] - known > most:
            drawn = known + generator.choice(X.shape[0] - known, most, replace=False)
            kept = np.concatenate([kept[:known], np.sort(drawn)])
        distances = SquaredDistances(X[kept])
        self.delta_ = self.delta or pure_radius(
            distances, clusters(distances.X, self.n_clusters, generator), self.purity
        )
        rows, gains = _greedy_cover(distances, known, n, self.delta_**2, generator)
        return Selection(kept[rows], gains, {"covers": gains})


def pure_radius(distances: SquaredDistances, labels: Indices, purity: float) -> float:
    """The largest radius at which a share `purity` of the balls hold rows of one cluster only.

    A ball is pure if its radius is less than the distance to the nearest row of another cluster. So this is a
    quantile of those distances, and no radii have to be tried.
    """
    everything = np.arange(distances.size)
    foreign = np.full(distances.size, np.inf)
    for part, block in distances.blocks(everything, everything):
        block[labels[part][:, None] == labels] = np.inf
        foreign[part] = block.min(axis=1)
    impure = int((1 - purity) * distances.size * (1 + 1e-12))  # how many balls need not be pure
    radius = float(np.sqrt(np.partition(foreign, impure)[impure])) * JUST_LESS
    return radius if np.isfinite(radius) else 0.0  # one cluster: all rows are equal


def _greedy_cover(
    distances: SquaredDistances, known: int, n: int, limit: float, generator: np.random.Generator
) -> tuple[Indices, FloatArray]:
    """The rows, and how many rows each of them covers that were not covered before."""
    everything, pool = np.arange(distances.size), np.arange(known, distances.size)
    uncovered: BoolArray = ~distances.close(everything, everything[:known], limit)
    gains = distances.count_close(pool, np.flatnonzero(uncovered), limit)
    rows: list[int] = []
    found = np.empty(n)
    for place in range(n):
        if gains.max() < 1:
            rest = pool[gains == 0]
            rows.extend(generator.permutation(rest)[: n - place].tolist())
            found[place:] = 0
            break
        best = int(gains.argmax())
        rows.append(int(pool[best]))
        found[place] = gains[best]
        newly = np.flatnonzero(uncovered & (distances.to(rows[-1]) <= limit))
        uncovered[newly] = False
        gains -= distances.count_close(pool, newly, limit)
        gains[best] = -1  # a row is not selected twice
    return np.array(rows, np.intp), found
