"""New users, items and ratings without fitting anew: a row's factor solves a small convex problem."""

from typing import NamedTuple

import numpy as np

from askance.jit.kernels.rating_rows import Rows, solve
from askance.ratings.biases import Leanings, damped
from askance.ratings.known import Known
from askance.ratings.manifold import Numbers
from askance.ratings.model import Factors, Model, Whole
from askance.ratings.observed import Observed
from askance.ratings.problem import Settings
from askance.ratings.threads import in_threads

TOLERANCE = 1e-6  # of a row, as the square root of what it could still fall by, relative to its value


class Folding(NamedTuple):
    """How to solve."""

    settings: Settings
    threads: int

    def folded(self, model: Model, known: Known, told: Whole, shape: tuple[int, int]) -> Model:
        """The model with new rows for the users whose numbers were `told`, and for the items since the fit.

        There are as many users and items as `shape` says, and `known` has their ratings.
        """
        touched = np.unique(told)
        factors, leanings = _with_room(model.factors, shape), _room_to_lean(model.leanings, shape)
        later, at_fit = known.later, known.fitted.width
        is_new = later.items >= at_fit
        if is_new.any():
            # New items have no factors to fold users with: users first get theirs from the items of the fit.
            self._take_users(factors, known._replace(later=later.where(~is_new)), touched)
            theirs = later.where(is_new)
            size = shape[1] - at_fit, shape[0]
            turned = Observed.grouped(theirs.items - np.int32(at_fit), theirs.users, theirs.levels, size)
            factors.items[at_fit:] = self.items(factors, turned)
            leanings.items[at_fit:] = damped(
                turned.user_numbers(), model.levels[turned.levels] - leanings.mean, turned.users
            )
        rows = self._take_users(factors, known, touched)
        left_over = model.levels[rows.levels] - leanings.mean - leanings.items[rows.items]
        leanings.users[touched] = damped(rows.user_numbers(), left_over, rows.users)
        return model._replace(factors=factors, leanings=leanings)

    def users(self, factors: Factors, observed: Observed) -> Numbers:
        """The rows of users with these ratings: min ½λ‖w‖² + Σ loss(w·v_j), f for a row with the others fixed.

        If users have thresholds of their own, there is a row of them for each row of ratings.
        """
        own = (int(len(factors.thresholds) > 1), 0)
        return self._solved(observed, factors.items, factors.thresholds, own)

    def items(self, factors: Factors, observed: Observed) -> Numbers:
        """The rows of items with these ratings, a row an item: min ½λ‖b‖² + Σ loss(u_i·b), b = diag(σ) v."""
        own = (0, int(len(factors.thresholds) > 1))
        return self._solved(observed, factors.users / factors.values, factors.thresholds, own) / factors.values

    def _take_users(self, factors: Factors, known: Known, users: Whole) -> Observed:
        """Put new rows for these users into `factors`; the ratings that they are made of."""
        own = factors.thresholds if len(factors.thresholds) == 1 else factors.thresholds[users]
        rows = known.of_users(users, len(factors.items))
        factors.users[users] = self.users(factors._replace(thresholds=own), rows)
        return rows

    def _solved(self, observed: Observed, features: Numbers, thresholds: Numbers, own: tuple[int, int]) -> Numbers:
        found = np.zeros((observed.users, features.shape[1]))
        rows = Rows(
            observed.starts,
            observed.items,
            observed.levels,
            np.ascontiguousarray(features),
            np.ascontiguousarray(thresholds),
            own,
            self.settings.regularization,
            self.settings.together,
        )
        in_threads(lambda first, last: solve(first, last, rows, TOLERANCE, found), observed.shares(self.threads))
        return found


def _with_room(factors: Factors, shape: tuple[int, int]) -> Factors:
    """A copy with rows of zeros for new users and items; new users have the average thresholds."""
    users, items, values, thresholds = factors
    if len(thresholds) > 1:
        thresholds = np.vstack([thresholds, np.tile(thresholds.mean(0), (shape[0] - len(users), 1))])
    return Factors(_longer(users, shape[0]), _longer(items, shape[1]), values, thresholds)


def _room_to_lean(leanings: Leanings, shape: tuple[int, int]) -> Leanings:
    return Leanings(leanings.mean, _longer(leanings.users, shape[0]), _longer(leanings.items, shape[1]))


def _longer(rows: Numbers, count: int) -> Numbers:
    """A copy with zeros at the end."""
    longer = np.zeros((count, *rows.shape[1:]))
    longer[: len(rows)] = rows
    return longer
