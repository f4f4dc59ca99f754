"""The ratings that a model keeps: those of its last fit, and those that `partial_fit` has added since."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.ratings.rating_matrix import RatingMatrix, is_last
from askance.typing import BoolArray, IntArray


class LaterRatings(NamedTuple):
    """Ratings since the fit, in order of arrival, one per pair of a user and an item."""

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    levels: NDArray[np.uint8]

    @classmethod
    def none(cls) -> "LaterRatings":
        """No ratings."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8))

    def plus(self, other: "LaterRatings") -> "LaterRatings":
        """These ratings followed by others, which replace those of the same pairs."""
        both = LaterRatings(
            np.concatenate([self.users, other.users]),
            np.concatenate([self.items, other.items]),
            np.concatenate([self.levels, other.levels]),
        )
        theirs = np.flatnonzero(np.isin(both.users, other.users))  # only pairs of these users can be repeated
        kept = np.ones(len(both.users), bool)
        kept[theirs] = is_last(both.users[theirs], both.items[theirs])
        return both.where(kept)

    def where(self, chosen: BoolArray) -> "LaterRatings":
        """The ratings that a mask selects."""
        return LaterRatings(self.users[chosen], self.items[chosen], self.levels[chosen])


class StoredRatings(NamedTuple):
    """All ratings of a model. Users and items that are new since the fit are only in the later ones."""

    fitted: RatingMatrix
    later: LaterRatings

    def of_users(self, users: NDArray[np.int32], n_items: int) -> RatingMatrix:
        """The ratings of some users, given in increasing order, as a matrix with one row per user.

        A later rating replaces that of the fit.
        """
        old = users[users < self.fitted.n_users]
        starts, ends = self.fitted.starts[old], self.fitted.starts[old + 1]
        entries = _ranges(starts, ends)
        rows = np.repeat(np.arange(len(old), dtype=np.int32), ends - starts)
        at_fit = LaterRatings(rows, self.fitted.items[entries], self.fitted.levels[entries])
        since = self.later.where(np.isin(self.later.users, users))
        since = since._replace(users=np.searchsorted(users, since.users).astype(np.int32))
        return RatingMatrix.grouped(*at_fit.plus(since), (len(users), n_items))

    def items_of(self, user: int) -> NDArray[np.int32]:
        """The items that a user has rated."""
        since = self.later.items[self.later.users == user]
        if user >= self.fitted.n_users:
            return since
        return np.concatenate([self.fitted.of_user(user)[0], since])


def _ranges(starts: IntArray, ends: IntArray) -> IntArray:
    """The whole numbers from each start up to its end, one range after the other."""
    sizes = ends - starts
    before = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
