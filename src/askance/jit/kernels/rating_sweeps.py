"""Sweeps over the observed ratings, user by user, for the loss of an ordinal factorisation.

The score of an entry is the product of its user's and its item's row of factors. Its level says on which side of
each threshold the score should be, with a margin of 1: the hinges are h_z = max(0, 1 - T_z(θ_z - score)), where
T_z = 1 for thresholds at or above the level (levels count from 0) and -1 for the others. The loss of an entry is
½Σ_z h_z², or ½(Σ_z h_z)² with `together`. No array of size users × items is ever allocated. A sweep visits the
users `first` to `last` - 1, so that threads can divide the users among them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined, persistent
from askance.jit.select import maximum

Numbers = NDArray[np.float64]


class Margins(NamedTuple):
    """The thresholds, one row for all users or one row per user (`own` is 0 or 1), and how hinges form a loss."""

    thresholds: Numbers
    own: int
    together: bool


@inlined
def _losses_apart(levels: Any, scores: Any, thresholds: Any, slopes: Any, curvatures: Any) -> Any:
    """Return the loss of a user, and add its slopes and curvatures in the thresholds to the given arrays.

    The inner loop goes over entries, along whole arrays, so that it compiles to vector instructions.
    """
    squares = 0.0
    for z in range(thresholds.shape[0]):
        slope, active = 0.0, 0.0
        for k in range(levels.shape[0]):
            side = 1.0 if z >= levels[k] else -1.0
            hinge = maximum(0.0, 1.0 - side * (thresholds[z] - scores[k]))
            squares += hinge * hinge
            slope -= side * hinge
            active += 1.0 if hinge > 0.0 else 0.0
        slopes[z] += slope
        curvatures[z] += active
    return 0.5 * squares


@inlined
def _losses_together(levels: Any, scores: Any, thresholds: Any, slopes: Any, curvatures: Any) -> Any:
    """The same for a loss that squares the sum of an entry's hinges."""
    loss = 0.0
    for k in range(levels.shape[0]):
        total = 0.0
        for z in range(thresholds.shape[0]):
            side = 1.0 if z >= levels[k] else -1.0
            total += maximum(0.0, 1.0 - side * (thresholds[z] - scores[k]))
        for z in range(thresholds.shape[0]):
            side = 1.0 if z >= levels[k] else -1.0
            on = 1.0 if 1.0 - side * (thresholds[z] - scores[k]) > 0.0 else 0.0
            slopes[z] -= side * total * on
            curvatures[z] += on
        loss += 0.5 * total * total
    return loss


def _scores(first: Any, last: Any, observed: Any, left: Any, right: Any, found: Any) -> None:
    for i in range(first, last):
        for k in range(observed.starts[i], observed.starts[i + 1]):
            j = observed.items[k]
            score = 0.0
            for c in range(left.shape[1]):
                score += left[i, c] * right[j, c]
            found[k] = score


def _losses(
    first: Any, last: Any, observed: Any, scores: Any, margins: Any, found: Any, slopes: Any, curvatures: Any
) -> None:
    for i in range(first, last):
        row, begin, end = i * margins.own, observed.starts[i], observed.starts[i + 1]
        levels, own_scores = observed.levels[begin:end], scores[begin:end]
        thresholds, slope, bend = margins.thresholds[row], slopes[row], curvatures[row]
        if margins.together:
            found[row] += _losses_together(levels, own_scores, thresholds, slope, bend)
        else:
            found[row] += _losses_apart(levels, own_scores, thresholds, slope, bend)


@inlined
def _bends_apart(levels: Any, scores: Any, thresholds: Any, slopes: Any, found: Any) -> None:
    """Write slope and curvature of each entry's loss as a function of its score."""
    slopes[:] = 0.0
    found[:] = 0.0
    for z in range(thresholds.shape[0]):
        for k in range(levels.shape[0]):
            side = 1.0 if z >= levels[k] else -1.0
            hinge = maximum(0.0, 1.0 - side * (thresholds[z] - scores[k]))
            slopes[k] += side * hinge
            found[k] += np.float32(hinge > 0.0)


@inlined
def _bends_together(levels: Any, scores: Any, thresholds: Any, slopes: Any, found: Any) -> None:
    """The same for a loss that squares the sum of an entry's hinges."""
    for k in range(levels.shape[0]):
        total, net = 0.0, 0.0
        for z in range(thresholds.shape[0]):
            side = 1.0 if z >= levels[k] else -1.0
            hinge = maximum(0.0, 1.0 - side * (thresholds[z] - scores[k]))
            total += hinge
            net += side if hinge > 0.0 else 0.0
        slopes[k] = total * net
        found[k] = net * net


def _bends(first: Any, last: Any, observed: Any, scores: Any, margins: Any, slopes: Any, found: Any) -> None:
    for i in range(first, last):
        begin, end = observed.starts[i], observed.starts[i + 1]
        levels, own_scores = observed.levels[begin:end], scores[begin:end]
        thresholds, slope, bend = margins.thresholds[i * margins.own], slopes[begin:end], found[begin:end]
        if margins.together:
            _bends_together(levels, own_scores, thresholds, slope, bend)
        else:
            _bends_apart(levels, own_scores, thresholds, slope, bend)


def _products(
    first: Any, last: Any, observed: Any, slopes: Any, left: Any, right: Any, ahead: Any, back: Any
) -> None:
    for i in range(first, last):
        for k in range(observed.starts[i], observed.starts[i + 1]):
            j, slope = observed.items[k], slopes[k]
            for c in range(right.shape[1]):
                ahead[i, c] += slope * right[j, c]
            for c in range(left.shape[1]):
                back[j, c] += slope * left[i, c]


def _curvature(
    first: Any, last: Any, observed: Any, bends: Any, moved: Any, right: Any, left: Any, turned: Any
) -> Any:
    total = 0.0
    for i in range(first, last):
        for k in range(observed.starts[i], observed.starts[i + 1]):
            j = observed.items[k]
            change = 0.0
            for c in range(right.shape[1]):
                change += moved[i, c] * right[j, c] + left[i, c] * turned[j, c]
            total += bends[k] * change * change
    return total


def _grouped(users: Any, items: Any, levels: Any, places: Any, found: Any) -> None:
    for k in range(users.shape[0]):
        place = places[users[k]]
        found.items[place] = items[k]
        found.levels[place] = levels[k]
        places[users[k]] = place + 1


def _dots(left: Any, right: Any, users: Any, items: Any, found: Any) -> None:
    for k in range(users.shape[0]):
        total = 0.0
        for c in range(left.shape[1]):
            total += left[users[k], c] * right[items[k], c]
        found[k] = total


# Write the score left_i·right_j of each entry to the last argument.
scores = persistent(_scores, exact=False)
# Add the loss of each row of thresholds, and its slopes and curvatures, to the last three arguments.
losses = persistent(_losses, exact=False)
# Write slope (Ĝ) and curvature of each entry's loss to the last two arguments.
bends = persistent(_bends, exact=False)
# Add Ĝ right and Ĝᵀ left to the last two arguments.
products = persistent(_products, exact=False)
# Return Σ bend_k e_k² for the change e_k = moved_i·right_j + left_i·turned_j of each score.
curvature = persistent(_curvature, exact=False)
# Sort entries by user: `places` holds where each user's next entry goes, and is advanced.
grouped = persistent(_grouped, exact=False)
# Write the scores of arbitrary pairs of users and items to the last argument.
dots = persistent(_dots, exact=False)
