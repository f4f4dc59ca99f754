"""New users, items and ratings without fitting anew: a row's factor solves a small convex problem."""

from typing import NamedTuple

import numpy as np

from askance.engine.rating_rows import Rows, solve
from askance.ratings.manifold import Numbers, Point
from askance.ratings.observed import Observed
from askance.ratings.problem import Settings
from askance.ratings.threads import in_threads

TOLERANCE = 1e-6  # of a row, as the square root of what it could still fall by, relative to its value


class Factors(NamedTuple):
    """A row a user (of U diag(σ)) and a row an item (of V); their product is the score."""

    users: Numbers
    items: Numbers
    values: Numbers  # σ of the fit
    thresholds: Numbers

    @classmethod
    def of(cls, point: Point, thresholds: Numbers) -> "Factors":
        """Those of a point."""
        return cls(point.scaled, point.right, point.values, thresholds)


def folded_users(factors: Factors, observed: Observed, settings: Settings, threads: int) -> Numbers:
    """The rows of users with these ratings: min ½λ‖w‖² + Σ loss(w·v_j), as f is for a row with the others fixed.

    If every user has thresholds of their own, they are those of the rows.
    """
    own = (int(len(factors.thresholds) > 1), 0)
    return _solved(observed, factors.items, factors.thresholds, own, settings, threads)


def folded_items(factors: Factors, observed: Observed, settings: Settings, threads: int) -> Numbers:
    """The rows of items with these ratings (whose rows are items): min ½λ‖b‖² + Σ loss(u_i·b), b = diag(σ) v."""
    own = (0, int(len(factors.thresholds) > 1))
    features = factors.users / factors.values
    return _solved(observed, features, factors.thresholds, own, settings, threads) / factors.values


def _solved(
    observed: Observed,
    features: Numbers,
    thresholds: Numbers,
    own: tuple[int, int],
    settings: Settings,
    threads: int,
) -> Numbers:
    found = np.zeros((observed.users, features.shape[1]))
    rows = Rows(
        observed.starts,
        observed.items,
        observed.levels,
        np.ascontiguousarray(features),
        np.ascontiguousarray(thresholds),
        own,
        settings.regularization,
        settings.together,
    )
    in_threads(lambda first, last: solve(first, last, rows, TOLERANCE, found), observed.shares(threads))
    return found
