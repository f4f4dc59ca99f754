"""The ratings that were seen, grouped by user: 5 bytes each."""

import itertools
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from askance.jit.kernels import rating_sweeps

Whole = NDArray[np.int64]


class Observed(NamedTuple):
    """Entries of a matrix of levels; those of user i stand from starts[i] up to starts[i + 1].

    A rating that is given twice counts twice, and contradictory ones find a compromise.
    """

    starts: Whole
    items: NDArray[np.int32]
    levels: NDArray[np.uint8]
    width: int  # how many items there are

    @classmethod
    def grouped(
        cls, users: NDArray[np.int32], items: NDArray[np.int32], levels: NDArray[np.uint8], shape: tuple[int, int]
    ) -> Self:
        """From numbers of users and items, from 0, and levels, from 0, in any order; a user's stay in theirs."""
        starts = np.zeros(shape[0] + 1, np.int64)
        np.cumsum(np.bincount(users, minlength=shape[0]), out=starts[1:])
        found = cls(starts, np.empty(len(items), np.int32), np.empty(len(items), np.uint8), shape[1])
        rating_sweeps.grouped(users, items, levels, starts[:-1].copy(), found)
        return found

    @property
    def users(self) -> int:
        """How many users there are."""
        return len(self.starts) - 1

    @property
    def size(self) -> int:
        """How many ratings there are."""
        return len(self.items)

    def of_user(self, user: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """The items that a user rated, and their levels."""
        entries = slice(self.starts[user], self.starts[user + 1])
        return self.items[entries], self.levels[entries]

    def user_numbers(self) -> NDArray[np.int32]:
        """The user of each entry."""
        return np.repeat(np.arange(self.users, dtype=np.int32), np.diff(self.starts))

    def shares(self, threads: int) -> list[tuple[int, int]]:
        """Users from … up to …, for each of some threads, with about as many ratings in each."""
        bounds = np.searchsorted(self.starts, np.linspace(0, self.size, threads + 1)[1:-1])
        edges = [0, *bounds.tolist(), self.users]
        return list(itertools.pairwise(edges))
