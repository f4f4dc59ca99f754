"""Data sets with two views: features and privileged features."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.data.npz import read_npz
from askance.data.stacking import stacked
from askance.datasets.finding import find
from askance.datasets.loading import classes_as_numbers
from askance.experiments.papers.pools import Views


class Pair(NamedTuple):
    """The numbers of two views in an archive. With main = 0, the features are split at random into two halves.

    If `rows` is not 0, that many rows are drawn at random.
    """

    main: int = 0
    privileged: int = 0
    rows: int = 0


def load_views(name: str, pair: Pair, random_state: int) -> Views:
    """Load both views of a data set; DataError, which says how to get it, if it is not on this machine."""
    path = find(name).paths[0]
    random = np.random.default_rng(random_state)
    if pair.main:
        (X, y), (privileged, _) = (_read(path, view) for view in (pair.main, pair.privileged))
    else:
        whole, y = _read(path, None)
        order = random.permutation(whole.shape[1])
        half = len(order) // 2
        X, privileged = whole[:, np.sort(order[:half])], whole[:, np.sort(order[half:])]
    rows = np.arange(len(y)) if not pair.rows else np.sort(random.choice(len(y), pair.rows, replace=False))
    return Views(name, X[rows], privileged[rows], classes_as_numbers(y, None, name)[rows])


def _read(path: Path, view: int | None) -> tuple[sp.csr_array, NDArray[Any]]:
    chunks = list(read_npz(path, view=view, dtype="float64"))
    return sp.csr_array(stacked([chunk.X for chunk in chunks])), np.concatenate([chunk.y for chunk in chunks])
