"""Ratings to measure with: MovieLens 1M where it is found, and made-up ones of any size."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.named.finding import data_directories

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
    path = None if quick else found("ml1m.npz")
    if path is None:
        size = (300, 200, 6_000) if quick else (6_040, 3_706, 1_000_209)
        return "made up", made_up(*size)
    with np.load(path) as arrays:
        return "MovieLens 1M", Ratings(arrays["users"], arrays["items"], arrays["ratings"])


def found(name: str) -> Path | None:
    """A file of the data directory, if it is there."""
    return next((path for path in (directory / name for directory in data_directories()) if path.exists()), None)


def made_up(users: int, items: int, count: int, seed: int = 0) -> Ratings:
    """Ratings from 1 to 5 of low rank with noise; some users and items have many more than others."""
    random = np.random.default_rng(seed)
    activity, fame = random.lognormal(0, 1, users), random.lognormal(0, 1.5, items)
    who = random.choice(users, count, p=activity / activity.sum()).astype(np.int32)
    what = random.choice(items, count, p=fame / fame.sum()).astype(np.int32)
    left, right = (random.normal(size=(size, RANK)).astype(np.float32) / 2 for size in (users, items))
    scores = random.normal(0, 0.8, count).astype(np.float32) + right[what, 0]
    for c in range(RANK):
        scores += left[who, c] * right[what, c]
    return Ratings(who, what, (1 + np.digitize(scores, [-1.5, -0.7, 0.1, 0.9])).astype(np.float32))


def split(ratings: Ratings, share: float, seed: int) -> Split:
    """A share of them to learn from, drawn at random, the others to test on."""
    order = np.random.default_rng(seed).permutation(len(ratings.users))
    count = int(share * len(order))
    return Split(ratings.where(order[:count]), ratings.where(order[count:]))
