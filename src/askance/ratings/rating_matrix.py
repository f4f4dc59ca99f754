"""Observed ratings as a sparse matrix grouped by user, 5 bytes per rating, and work on it in threads."""

import functools
import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Self

import numpy as np
from joblib import cpu_count  # type: ignore[import-untyped]
from numpy.typing import NDArray

from askance.jit.kernels import rating_sweeps
from askance.typing import BoolArray, IntArray


class RatingMatrix(NamedTuple):
    """Levels of the observed ratings. Those of user i are at starts[i] up to starts[i + 1].

    Every entry counts. Leave out earlier ratings of the same pair first, as `is_last` finds them.
    """

    starts: IntArray
    items: NDArray[np.int32]
    levels: NDArray[np.uint8]
    n_items: int

    @classmethod
    def grouped(
        cls, users: NDArray[np.int32], items: NDArray[np.int32], levels: NDArray[np.uint8], shape: tuple[int, int]
    ) -> Self:
        """Group ratings in any order by user. All numbers start at 0; each user's ratings keep their order."""
        starts = np.zeros(shape[0] + 1, np.int64)
        np.cumsum(np.bincount(users, minlength=shape[0]), out=starts[1:])
        found = cls(starts, np.empty(len(items), np.int32), np.empty(len(items), np.uint8), shape[1])
        rating_sweeps.grouped(users, items, levels, starts[:-1].copy(), found)
        return found

    @property
    def n_users(self) -> int:
        """The number of users."""
        return len(self.starts) - 1

    @property
    def n_ratings(self) -> int:
        """The number of ratings."""
        return len(self.items)

    def of_user(self, user: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """The items that a user rated, and their levels."""
        entries = slice(self.starts[user], self.starts[user + 1])
        return self.items[entries], self.levels[entries]

    def user_numbers(self) -> NDArray[np.int32]:
        """The user of each rating."""
        return np.repeat(np.arange(self.n_users, dtype=np.int32), np.diff(self.starts))

    def shares(self, threads: int) -> list[tuple[int, int]]:
        """Ranges of users, one per thread, with about the same number of ratings in each."""
        bounds = np.searchsorted(self.starts, np.linspace(0, self.n_ratings, threads + 1)[1:-1])
        edges = [0, *bounds.tolist(), self.n_users]
        return list(itertools.pairwise(edges))


def is_last(users: NDArray[np.int32], items: NDArray[np.int32]) -> BoolArray:
    """Whether no later rating is of the same user and item."""
    pairs = (users.astype(np.int64) << 32) | items
    last = np.ones(len(pairs), bool)
    in_order = np.sort(pairs)  # pairs are seldom repeated, and sorting them is cheaper than finding their places
    if (in_order[1:] == in_order[:-1]).any():
        places = np.argsort(pairs, kind="stable")
        last[places[:-1]] = pairs[places[1:]] != pairs[places[:-1]]
    return last


def thread_count(n_jobs: int | None) -> int:
    """The number of threads for `n_jobs` as in joblib: None means 1, -1 all cores, -2 all but one.

    `joblib.effective_n_jobs` cannot be used: it counts processes, and returns 1 inside of some of them.
    """
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else max(1, cpu_count() + 1 + n_jobs)


def run_in_threads(work: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    """What `work` returns for each tuple of arguments. Compiled sweeps release Python's lock."""
    if len(calls) == 1:
        return [work(*calls[0])]
    return list(_thread_pool(len(calls), os.getpid()).map(lambda call: work(*call), calls))


@functools.cache
def _thread_pool(threads: int, _process: int) -> ThreadPoolExecutor:
    """The thread pool of one process: a forked process inherits the object, but not its threads."""
    return ThreadPoolExecutor(threads, thread_name_prefix="ratings")
