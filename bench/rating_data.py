"""Ratings to measure with: MovieLens 1M if it is installed, and synthetic ones of any size."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.datasets.ratings import load_ratings
from askance.errors import DataError

RANK = 8


class Ratings(NamedTuple):
    """Ratings as three columns."""

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    ratings: NDArray[np.float32]

    def where(self, chosen: NDArray[np.generic]) -> "Ratings":
        """The ratings that a mask selects."""
        return Ratings(self.users[chosen], self.items[chosen], self.ratings[chosen])


class Split(NamedTuple):
    """Ratings for training and for testing."""

    train: Ratings
    test: Ratings


def movielens(*, quick: bool) -> tuple[str, Ratings]:
    """MovieLens 1M, or ratings like them."""
    if quick:
        return "synthetic", once(synthetic(300, 200, 6_000))
    try:
        users, items, ratings = load_ratings("ml1m")
    except DataError:
        return "synthetic", once(synthetic(6_040, 3_706, 1_500_000))
    return "MovieLens 1M", Ratings(users.astype(np.int32), items.astype(np.int32), ratings.astype(np.float32))


def synthetic(users: int, items: int, count: int, random_state: int = 0) -> Ratings:
    """Ratings from 1 to 5 of low rank with noise; some users and items have many more than others."""
    random = np.random.default_rng(random_state)
    activity, fame = random.lognormal(0, 1, users), random.lognormal(0, 1.5, items)
    who = random.choice(users, count, p=activity / activity.sum()).astype(np.int32)
    what = random.choice(items, count, p=fame / fame.sum()).astype(np.int32)
    left, right = (random.normal(size=(size, RANK)).astype(np.float32) / 2 for size in (users, items))
    scores = random.normal(0, 0.8, count).astype(np.float32) + right[what, 0]
    for c in range(RANK):
        scores += left[who, c] * right[what, c]
    return Ratings(who, what, (1 + np.digitize(scores, [-1.5, -0.7, 0.1, 0.9])).astype(np.float32))


def once(ratings: Ratings) -> Ratings:
    """The first rating of each pair: LensKit accepts only one."""
    pairs = ratings.users.astype(np.int64) * (int(ratings.items.max()) + 1) + ratings.items
    return ratings.where(np.sort(np.unique(pairs, return_index=True)[1]))


def split(ratings: Ratings, share: float, random_state: int) -> Split:
    """Split ratings at random: a share for training, the others for testing."""
    order = np.random.default_rng(random_state).permutation(len(ratings.users))
    count = int(share * len(order))
    return Split(ratings.where(order[:count]), ratings.where(order[count:]))
