"""How high users rate and how highly items are rated: what is known of those with few ratings."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.ratings.manifold import Numbers
from askance.ratings.observed import Observed

DAMPING = 5.0  # ratings of the mean that everybody is taken to have given as well


class Leanings(NamedTuple):
    """The mean rating, and how far a user and an item lie from it."""

    mean: float
    users: Numbers
    items: Numbers

    @classmethod
    def of(cls, observed: Observed, levels: Numbers) -> "Leanings":
        """Those of items first, then those of users from what items leave over."""
        away = levels[observed.levels]
        mean = float(away.mean())
        away -= mean
        items = damped(observed.items, away, observed.width)
        away -= items[observed.items]
        return cls(mean, damped(observed.user_numbers(), away, observed.users), items)

    def at(self, users: NDArray[np.int32], items: NDArray[np.int32]) -> Numbers:
        """How far pairs lie from the mean; those without a number (-1) lean nowhere."""
        leanings = zip((self.users, self.items), (users, items), strict=True)
        return sum(np.where(numbers >= 0, lean[numbers], 0.0) for lean, numbers in leanings)  # type: ignore[return-value]


def damped(numbers: NDArray[np.int32], away: Numbers, count: int) -> Numbers:
    """The mean of what each number has, drawn to 0."""
    return np.bincount(numbers, away, count) / (np.bincount(numbers, minlength=count) + DAMPING)
