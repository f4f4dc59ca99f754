"""User and item biases: how far their ratings lie from the mean, also where there are few ratings."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.ratings.rating_matrix import RatingMatrix
from askance.typing import FloatArray

DAMPING = 5.0  # pseudo-ratings equal to the mean that every user and every item has


class Biases(NamedTuple):
    """The mean rating, and the bias of every user and every item."""

    mean: float
    users: FloatArray
    items: FloatArray

    @classmethod
    def of(cls, observed: RatingMatrix, levels: FloatArray) -> "Biases":
        """Estimate the item biases first, then the user biases from what the items leave over."""
        away = levels[observed.levels]
        mean = float(away.mean())
        away -= mean
        items = damped(observed.items, away, observed.n_items)
        away -= items[observed.items]
        return cls(mean, damped(observed.user_numbers(), away, observed.n_users), items)

    def at(self, users: NDArray[np.int32], items: NDArray[np.int32]) -> FloatArray:
        """The sum of both biases for each pair. Unknown users and items (-1) have a bias of 0."""
        both = zip((self.users, self.items), (users, items), strict=True)
        return sum(np.where(numbers >= 0, bias[numbers], 0.0) for bias, numbers in both)  # type: ignore[return-value]


def damped(numbers: NDArray[np.int32], away: FloatArray, count: int) -> FloatArray:
    """The mean of `away` per number, shrunk towards 0."""
    return np.bincount(numbers, away, count) / (np.bincount(numbers, minlength=count) + DAMPING)
