"""The threads of a fleet: one per shard, each with the rows whose models are in its shard."""

import concurrent.futures
import functools
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine.packing import order_by_model
from askance.errors import ParameterError
from askance.fleet.keys import Keys
from askance.fleet.residency import ResidentModels
from askance.fleet.shard import Shard
from askance.jit.kernels.key_table import Numbers
from askance.rules.rows import SparseRows

MOST_JOBS = 8  # by default

Work = Callable[[Shard, SparseRows, slice, Numbers, Numbers], None]


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` stands for."""
    if n_jobs is None:
        return min(os.cpu_count() or 1, MOST_JOBS)
    if n_jobs == -1:
        return os.cpu_count() or 1
    if n_jobs < 1:
        raise ParameterError("Fleet", "n_jobs", n_jobs, "a positive integer, or -1 for all processors")
    return n_jobs


class ShardThreads:
    """The threads that work on the models of a fleet."""

    def __init__(self, models: ResidentModels) -> None:
        self._models = models
        self._pool = concurrent.futures.ThreadPoolExecutor(len(models.shards))

    def for_each_part(self, keys: Keys, rows: SparseRows, work: Work) -> int:
        """Do the work on all rows, one thread per shard; return how many labels budgets have refused."""
        refused = 0
        for part in self._models.parts(len(keys)):
            numbers = self._models.numbers_of(keys[part], create=True)
            one = functools.partial(self._on_shard, rows.between(part.start, part.stop), part, numbers, work)
            refused += sum(self._pool.map(one, range(len(self._models.shards))))
        return refused

    def scores(self, keys: Keys, rows: SparseRows) -> NDArray[Any]:
        """Return the scores of rows, one column per class in sorted order; new keys get no model."""
        shards = self._models.shards
        scores = np.empty((len(keys), shards[0].lanes), rows.values.dtype)
        for part in self._models.parts(len(keys)):
            numbers = self._models.numbers_of(keys[part], create=False)
            own = rows.between(part.start, part.stop)
            for place, shard in enumerate(shards):
                mine = np.flatnonzero(numbers % len(shards) == place)
                shard.score(own, numbers // len(shards), mine, scores[part])
        return scores

    def close(self) -> None:
        """Stop the threads."""
        self._pool.shutdown()

    def _on_shard(self, own: SparseRows, part: slice, numbers: Numbers, work: Work, place: int) -> int:
        """Do the work on the rows of a part whose models are in one shard; return the number of refused labels."""
        shards = self._models.shards
        shard, ids = shards[place], numbers // len(shards)
        mine = np.flatnonzero(numbers % len(shards) == place)
        before = shard.refused(ids[mine])
        work(shard, own, part, ids, mine[order_by_model(ids[mine], shard.count)])
        return shard.refused(ids[mine]) - before
