"""The biases of an SVM+ whose weights are known: exact, and the middle where many are equally good."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Biases(NamedTuple):
    """The bias of the scores and that of the slacks."""

    main: float
    correcting: float


def best_biases(scores: Array, slacks: Array, signs: Array, privileged: Mask) -> Biases:
    """The biases b, a with the smallest sum of slacks, given w·x_i and v·z_i of all rows.

    The smallest slack that a bias b leaves is, for a row without privileged features, max(0, 1 - y_i(w·x_i + b));
    for the others a must be the largest of -v·z_i and 1 - y_i(w·x_i + b) - v·z_i, and counts once for each of
    them. So the sum is convex in b and made of straight pieces, with whole numbers as slopes: it is the smallest
    where these pass 0. If one of them is 0, all of its piece is equally good, and its middle is taken, as
    scikit-learn's SVC does.
    """
    positive, ordinary = signs > 0, ~privileged
    count, descent = int(privileged.sum()), int((ordinary & positive).sum())
    bends = np.concatenate([(1 - scores)[ordinary & positive], (-1 - scores)[ordinary & ~positive]])
    jumps = np.ones(len(bends), int)
    if not count:
        return Biases(_lowest(bends, jumps, descent), 0.0)
    alone = _largest(-slacks[privileged])
    falling = _largest((1 - scores - slacks)[privileged & positive])  # a ≥ falling - b
    rising = _largest((1 + scores - slacks)[privileged & ~positive])  # a ≥ rising + b
    left, right = falling - alone, alone - rising
    if left > right:
        left = right = (falling - rising) / 2
    main = _lowest(np.append(bends, [left, right]), np.append(jumps, [count, count]), descent + count)
    return Biases(main, max(alone, falling - main, rising + main))


def _lowest(bends: Array, jumps: NDArray[np.int_], descent: int) -> float:
    """Where a function is lowest whose slope is -descent at first and grows by a jump at every bend."""
    order = np.argsort(bends)
    climbed = np.cumsum(jumps[order])
    place = int(np.searchsorted(climbed, descent))
    here = bends[order[place]]
    return float(here if climbed[place] > descent else (here + bends[order[place + 1]]) / 2)


def _largest(values: Array) -> float:
    return float(values.max(initial=-np.inf))
