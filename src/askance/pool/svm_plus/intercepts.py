"""The intercepts of an SVM+ for given weights: exact, and the middle of the interval if many are optimal."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.typing import BoolArray, FloatArray


class Intercepts(NamedTuple):
    """The intercept of the scores and that of the slacks."""

    main: float
    correcting: float


def best_intercepts(
    scores: FloatArray, slacks: FloatArray, signs: FloatArray, privileged: BoolArray
) -> Intercepts:
    """The intercepts b, a with the smallest sum of slacks, given w·x_i and v·z_i of all rows.

    For an intercept b, the smallest slack of a row without privileged features is max(0, 1 - y_i(w·x_i + b)). For
    the others, a must be the largest of -v·z_i and 1 - y_i(w·x_i + b) - v·z_i, and counts once for each of them.
    The sum is therefore convex and piecewise linear in b, with whole numbers as slopes, and smallest where the
    slope changes sign. If a piece has slope 0, all its points are optimal and its middle is taken, as in
    scikit-learn's SVC.
    """
    positive, ordinary = signs > 0, ~privileged
    count, descent = int(privileged.sum()), int((ordinary & positive).sum())
    bends = np.concatenate([(1 - scores)[ordinary & positive], (-1 - scores)[ordinary & ~positive]])
    jumps = np.ones(len(bends), int)
    if not count:
        return Intercepts(_lowest(bends, jumps, descent), 0.0)
    alone = _largest(-slacks[privileged])
    falling = _largest((1 - scores - slacks)[privileged & positive])  # a ≥ falling - b
    rising = _largest((1 + scores - slacks)[privileged & ~positive])  # a ≥ rising + b
    left, right = falling - alone, alone - rising
    if left > right:
        left = right = (falling - rising) / 2
    main = _lowest(np.append(bends, [left, right]), np.append(jumps, [count, count]), descent + count)
    return Intercepts(main, max(alone, falling - main, rising + main))


def _lowest(bends: FloatArray, jumps: NDArray[np.int_], descent: int) -> float:
    """The minimum of a function whose slope starts at -descent and increases by a jump at each bend."""
    order = np.argsort(bends)
    climbed = np.cumsum(jumps[order])
    place = int(np.searchsorted(climbed, descent))
    here = bends[order[place]]
    return float(here if climbed[place] > descent else (here + bends[order[place + 1]]) / 2)


def _largest(values: FloatArray) -> float:
    return float(values.max(initial=-np.inf))
