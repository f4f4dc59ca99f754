"""Synthetic ratings from a matrix of known rank (Yan 2017, section 2.3.1)."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.data.rating_columns import Triplets
from askance.jit.kernels import rating_sweeps
from askance.ratings.triplets import MOST_LEVELS
from askance.typing import FloatArray


class RatingSplit(NamedTuple):
    """Ratings for training and for testing."""

    learned: Triplets
    tested: Triplets


class SyntheticRatings(NamedTuple):
    """Parameters of a synthetic data set.

    Scores are X = U diag(δ) Vᵀ with orthonormal U and V and δ ~ N(0, 1000). Two levels are the sign of the score.
    More levels are 1, 2, … by bins with the same number of sampled scores in each. The training set has
    ζ·r(m + n - r) ratings, ζ times the degrees of freedom of such a matrix.

    Parameters
    ----------
    users, items : int, default: 1000
        Size of the matrix.
    rank : int, default: 20
        Rank of the matrix.
    levels : int, default: 5
        Number of distinct ratings.
    oversampling : float, default: 3.5
        ζ, training ratings per degree of freedom.
    tested : float, default: 0.25
        Number of test ratings, relative to that of training ratings.
    """

    users: int = 1000
    items: int = 1000
    rank: int = 20
    levels: int = 5
    oversampling: float = 3.5
    tested: float = 0.25

    @property
    def learned(self) -> int:
        """The number of training ratings."""
        return round(self.oversampling * self.rank * (self.users + self.items - self.rank))

    def part(self, *random_state: int) -> RatingSplit:
        """Draw ratings of distinct pairs; raises ValueError if there are too few pairs."""
        self._check()
        random = np.random.default_rng(random_state)
        left, right = (_orthonormal(size, self.rank, random) for size in (self.users, self.items))
        scale = random.normal(0, np.sqrt(1000), self.rank)
        pairs = _different(self.users * self.items, self.learned + round(self.tested * self.learned), random)
        users, items = (numbers.astype(np.int32) for numbers in np.divmod(pairs, self.items))
        scores = np.empty(len(pairs))
        rating_sweeps.dots(left * scale, right, users, items, scores)
        ratings = self._rated(scores)
        return RatingSplit(
            *(
                Triplets(users[own], items[own], ratings[own])
                for own in (slice(self.learned), slice(self.learned, None))
            )
        )

    def _rated(self, scores: FloatArray) -> FloatArray:
        if self.levels == 2:
            return np.where(scores >= 0, 1.0, -1.0)
        bounds = np.quantile(scores, np.arange(1, self.levels) / self.levels)
        return np.asarray(1 + np.searchsorted(bounds, scores, side="right"), np.float64)

    def _check(self) -> None:
        if not 1 <= self.rank <= min(self.users, self.items):
            raise ValueError(f"rank must be from 1 to {min(self.users, self.items)}, not {self.rank}")
        if not 2 <= self.levels <= MOST_LEVELS:
            raise ValueError(f"levels must be from 2 to {MOST_LEVELS}, not {self.levels}")
        wanted, pairs = self.learned + round(self.tested * self.learned), self.users * self.items
        if wanted > pairs:
            raise ValueError(f"there are only {pairs} pairs for {wanted} ratings: lower rank or oversampling")


def _orthonormal(rows: int, columns: int, random: np.random.Generator) -> FloatArray:
    return np.asarray(np.linalg.qr(random.standard_normal((rows, columns)))[0])


def _different(below: int, count: int, random: np.random.Generator) -> NDArray[np.int64]:
    """`count` distinct whole numbers in random order; `below` may be far larger than memory."""
    if 2 * count > below:
        return random.permutation(below)[:count]
    mean = -below * math.log1p(-count / below)  # this many draws have `count` distinct values on average
    drawn = np.sort(random.integers(below, size=round(1.05 * mean) + 200))  # at least 9 standard deviations more
    return random.permutation(drawn[np.diff(drawn, prepend=-1) > 0])[:count]
