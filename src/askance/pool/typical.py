"""TypiClust: the most typical row of each cluster."""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from askance._util.parameters import COUNT, Constraints
from askance.pool.selection import Indices, Selection
from askance.pool.spread import SpreadStrategy, clusters
from askance.pool.views import AnyMatrix
from askance.typing import FloatArray

SMALL_CLUSTER = 5  # smaller ones come last
LARGEST_CLUSTER = 5000  # of larger ones, rows are drawn
SHORTEST = 1e-12  # equal rows have a finite typicality


class TypiClust(SpreadStrategy):
    """TypiClust: the most typical row of each cluster that has no label yet, largest clusters first.

    k-means makes as many clusters as there are labels, with the `n` that are to come. Of the clusters with the
    fewest labels, the largest is next; those with less than 5 rows come last. From it, the row with the largest
    typicality 1 / (mean distance to its K nearest rows of the cluster) is selected (Hacohen, Dekel and Weinshall
    2022, algorithm 1). Rows are in the order of their clusters, not of their scores. The paper clusters features
    that a network learned without labels; here, scale the features so that distances mean something.

    More than 50 clusters are found by mini-batches, as in the paper. In clusters with more than 5,000 rows,
    typicality is measured among 5,000 of them, drawn at random. So no matrix of all distances is made.

    Parameters
    ----------
    neighbors : int, default: 20
        K, the number of nearest rows.
    max_clusters : int, default: 500
        The largest number of clusters. When each has a label, more rows of the same clusters are selected.
    random_state : int, default: 0
        Decides the clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import TypiClust
    >>> X = np.concatenate([np.linspace(0, 1, 9), np.linspace(5, 6, 7)]).reshape(-1, 1)
    >>> TypiClust(neighbors=3).select(X, n=2).rows // 9  # one row of each cluster
    array([0, 1])
    """

    def __init__(self, neighbors: int = 20, *, max_clusters: int = 500, random_state: int = 0) -> None:
        self.neighbors = neighbors
        self.max_clusters = max_clusters
        self.random_state = random_state

    def _constraints(self) -> Constraints:
        return {"neighbors": COUNT, "max_clusters": COUNT}

    def _spread(self, X: AnyMatrix, known: int, n: int, generator: np.random.Generator) -> Selection:
        labels = clusters(X, min(known + n, self.max_clusters), generator)
        sizes = np.bincount(labels)
        covered = np.bincount(labels[:known], minlength=len(sizes))
        left = sizes - covered
        open_rows = np.arange(len(labels)) >= known
        rows, typicalities, cluster_sizes = [], np.empty(n), np.empty(n)
        for place in range(n):
            cluster = np.lexsort((-sizes, covered, sizes < SMALL_CLUSTER, left == 0))[0]
            members = np.flatnonzero(open_rows & (labels == cluster))
            row, typicalities[place] = self._most_typical(X, members, generator)
            rows.append(row)
            cluster_sizes[place] = sizes[cluster]
            open_rows[row] = False
            covered[cluster] += 1
            left[cluster] -= 1
        parts = {"typicality": typicalities, "cluster_size": cluster_sizes}
        return Selection(np.array(rows, np.intp), typicalities, parts)

    def _most_typical(self, X: AnyMatrix, members: Indices, generator: np.random.Generator) -> tuple[int, float]:
        if len(members) > LARGEST_CLUSTER:
            members = np.sort(generator.choice(members, LARGEST_CLUSTER, replace=False))
        found = typicality(X[members], self.neighbors)
        best = int(found.argmax())
        return int(members[best]), float(found[best])


def typicality(X: AnyMatrix, neighbors: int) -> FloatArray:
    """1 / (mean distance to the nearest other rows); 0 for a row alone."""
    count = min(neighbors, X.shape[0] - 1)
    if not count:
        return np.zeros(1)
    apart = NearestNeighbors(n_neighbors=count, algorithm="brute").fit(X).kneighbors()[0]
    found: FloatArray = 1 / np.maximum(apart.mean(axis=1), SHORTEST)
    return found
