"""Folding in: new users, items and ratings without a refit. Each row of factors solves a small convex problem."""

from typing import NamedTuple

import numpy as np

from askance._util.longer import longer
from askance.jit.kernels.rating_rows import Rows, solve
from askance.ratings.biases import Biases, damped
from askance.ratings.model import Factors, Model, Numbers
from askance.ratings.problem import Settings
from askance.ratings.rating_matrix import RatingMatrix, run_in_threads
from askance.ratings.stored_ratings import StoredRatings
from askance.typing import FloatArray

TOLERANCE = 1e-6  # per row: the square root of the possible decrease of its objective, relative to its value


class Folding(NamedTuple):
    """Settings of the solver."""

    settings: Settings
    threads: int

    def folded(self, model: Model, ratings: StoredRatings, users: Numbers, shape: tuple[int, int]) -> Model:
        """The model with new rows for `users`, and for all items that are new since the fit.

        `shape` is the number of users and items, and `ratings` are all ratings.
        """
        touched = np.unique(users)
        factors, biases = _with_room(model.factors, shape), _longer_biases(model.biases, shape)
        later, at_fit = ratings.later, ratings.fitted.n_items
        is_new = later.items >= at_fit
        if is_new.any():
            # New items have no factors yet: fold users in with the items of the fit first.
            self._take_users(factors, ratings._replace(later=later.where(~is_new)), touched)
            theirs = later.where(is_new)
            size = shape[1] - at_fit, shape[0]
            turned = RatingMatrix.grouped(theirs.items - np.int32(at_fit), theirs.users, theirs.levels, size)
            factors.items[at_fit:] = self.items(factors, turned)
            biases.items[at_fit:] = damped(
                turned.user_numbers(), model.levels[turned.levels] - biases.mean, turned.n_users
            )
        rows = self._take_users(factors, ratings, touched)
        left_over = model.levels[rows.levels] - biases.mean - biases.items[rows.items]
        biases.users[touched] = damped(rows.user_numbers(), left_over, rows.n_users)
        return model._replace(factors=factors, biases=biases)

    def users(self, factors: Factors, observed: RatingMatrix) -> FloatArray:
        """The rows of users with these ratings: min ½λ‖w‖² + Σ loss(w·v_j), which is f with all other rows fixed.

        If users have their own thresholds, there is one row of them per row of ratings.
        """
        own = (int(len(factors.thresholds) > 1), 0)
        return self._solved(observed, factors.items, factors.thresholds, own)

    def items(self, factors: Factors, observed: RatingMatrix) -> FloatArray:
        """The rows of items with these ratings, one per item: min ½λ‖b‖² + Σ loss(u_i·b), b = diag(σ) v."""
        own = (0, int(len(factors.thresholds) > 1))
        return self._solved(observed, factors.users / factors.values, factors.thresholds, own) / factors.values

    def _take_users(self, factors: Factors, ratings: StoredRatings, users: Numbers) -> RatingMatrix:
        """Write new rows for these users into `factors`; return the ratings used."""
        own = factors.thresholds if len(factors.thresholds) == 1 else factors.thresholds[users]
        rows = ratings.of_users(users, len(factors.items))
        factors.users[users] = self.users(factors._replace(thresholds=own), rows)
        return rows

    def _solved(
        self, observed: RatingMatrix, features: FloatArray, thresholds: FloatArray, own: tuple[int, int]
    ) -> FloatArray:
        found = np.zeros((observed.n_users, features.shape[1]))
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
        run_in_threads(
            lambda first, last: solve(first, last, rows, TOLERANCE, found), observed.shares(self.threads)
        )
        return found


def _with_room(factors: Factors, shape: tuple[int, int]) -> Factors:
    """A copy with zero rows for new users and items. New users get the average thresholds."""
    users, items, values, thresholds = factors
    if len(thresholds) > 1:
        thresholds = np.vstack([thresholds, np.tile(thresholds.mean(0), (shape[0] - len(users), 1))])
    return Factors(longer(users, shape[0]), longer(items, shape[1]), values, thresholds)


def _longer_biases(biases: Biases, shape: tuple[int, int]) -> Biases:
    return Biases(biases.mean, longer(biases.users, shape[0]), longer(biases.items, shape[1]))
