"""The ratings a model knows: those it was fitted to and those told to it since."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.ratings.observed import Observed


class Later(NamedTuple):
    """Ratings since the fit, in the order in which they came."""

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    levels: NDArray[np.uint8]

    @classmethod
    def none(cls) -> "Later":
        """Nothing yet."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8))

    def plus(self, other: "Later") -> "Later":
        """These and then the others."""
        return Later(
            np.concatenate([self.users, other.users]),
            np.concatenate([self.items, other.items]),
            np.concatenate([self.levels, other.levels]),
        )

    def where(self, chosen: NDArray[np.bool_]) -> "Later":
        """Some of them."""
        return Later(self.users[chosen], self.items[chosen], self.levels[chosen])


class Known(NamedTuple):
    """All ratings. Users and items beyond those of the fit are only in the later ones."""

    fitted: Observed
    later: Later

    def of_users(self, users: NDArray[np.int32], width: int) -> Observed:
        """The ratings of some users, given in increasing order, a row each."""
        old = users[users < self.fitted.users]
        starts, ends = self.fitted.starts[old], self.fitted.starts[old + 1]
        entries = _ranges(starts, ends)
        rows = np.repeat(np.arange(len(old), dtype=np.int32), ends - starts)
        since = self.later.where(np.isin(self.later.users, users))
        later_rows = np.searchsorted(users, since.users).astype(np.int32)
        return Observed.grouped(
            np.concatenate([rows, later_rows]),
            np.concatenate([self.fitted.items[entries], since.items]),
            np.concatenate([self.fitted.levels[entries], since.levels]),
            (len(users), width),
        )

    def items_of(self, user: int) -> NDArray[np.int32]:
        """What a user has rated."""
        since = self.later.items[self.later.users == user]
        if user >= self.fitted.users:
            return since
        return np.concatenate([self.fitted.of_user(user)[0], since])


def _ranges(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The whole numbers from each start up to its end, one range after the other."""
    sizes = ends - starts
    before = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) + np.repeat(starts - before, sizes)
