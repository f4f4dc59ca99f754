"""Ratings to measure with: MovieLens 1M where it is found, and made-up ones of any size."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.datasets.ratings import load_ratings
from askance.errors import DataError

RANK = 8


class Ratings(NamedTuple):
    """Who rated what, and how."""

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    ratings: NDArray[np.float32]

    def where(self, chosen: NDArray[np.generic]) -> "Ratings":
        """Some of them."""
        return Ratings(self.users[chosen], self.items[chosen], self.ratings[chosen])


class Split(NamedTuple):
    """Ratings to learn from and to test on."""

    train: Ratings
    test: Ratings


def movielens(*, quick: bool) -> tuple[str, Ratings]:
    """MovieLens 1M, or ratings like them."""
    if quick:
        return "made up", once(made_up(300, 200, 6_000))
    try:
        users, items, ratings = load_ratings("ml1m")
    except DataError:
        return "made up", once(made_up(6_040, 3_706, 1_500_000))
    return "MovieLens 1M", Ratings(users.astype(np.int32), items.astype(np.int32), ratings.astype(np.float32))


def made_up(users: int, items: int, count: int, random_state: int = 0) -> Ratings:
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
    """The first rating of each pair: LensKit takes no other."""
    pairs = ratings.users.astype(np.int64) * (int(ratings.items.max()) + 1) + ratings.items
    return ratings.where(np.sort(np.unique(pairs, return_index=True)[1]))


def split(ratings: Ratings, share: float, random_state: int) -> Split:
    """A share of them to learn from, drawn at random, the others to test on."""
    order = np.random.default_rng(random_state).permutation(len(ratings.users))
    count = int(share * len(order))
    return Split(ratings.where(order[:count]), ratings.where(order[count:]))
