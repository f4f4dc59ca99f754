"""What all engines have in common: where tasks are sent, how data are shared, and how a lost worker shows."""

from collections.abc import Callable
from typing import Any, NamedTuple


def unchanged(value: Any) -> Any:
    """Return the value itself, for engines that need no help with large data."""
    return value


class Workers(NamedTuple):
    """The workers of one engine.

    Attributes
    ----------
    backend : callable
        Creates a joblib backend, a new one each time that tasks are sent.
    n_jobs : int
        How many tasks run at once; -1 for as many as the engine has room for.
    share : callable
        Turns an object into a reference, so that the object itself is sent only once per worker.
    open : callable
        Turns such a reference into the object again, on the worker, and returns other values unchanged.
    losses : tuple of exception types
        What the engine raises when it gives up a task because the worker died.
    attempts : int
        How often a task is sent before it is given up; fewer where the engine itself retries.
    """

    backend: Callable[[], Any]
    n_jobs: int
    share: Callable[[Any], Any] = unchanged
    open: Callable[[Any], Any] = unchanged
    losses: tuple[type[BaseException], ...] = ()
    attempts: int = 3


def at_least_two(n_jobs: int) -> int:
    """Return at least 2: with a single worker, joblib would run the tasks in this process."""
    return max(2, n_jobs)
