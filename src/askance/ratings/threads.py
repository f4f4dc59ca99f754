"""Work on shares of the users, a thread each: compiled sweeps run without Python's lock."""

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from joblib import cpu_count  # type: ignore[import-untyped]


def count_of(n_jobs: int | None) -> int:
    """As many threads as joblib means by `n_jobs`: None is 1, -1 every core, -2 all but one.

    Joblib's own answer is about processes, of which there are none within some others.
    """
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else max(1, cpu_count() + 1 + n_jobs)


def in_threads(work: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    """What `work` returns for each tuple of arguments."""
    if len(calls) == 1:
        return [work(*calls[0])]
    return list(_pool(len(calls), os.getpid()).map(lambda call: work(*call), calls))


@functools.cache
def _pool(threads: int, _process: int) -> ThreadPoolExecutor:
    """That of a process: one that was forked has no threads, only the word of its parent for them."""
    return ThreadPoolExecutor(threads, thread_name_prefix="ratings")
