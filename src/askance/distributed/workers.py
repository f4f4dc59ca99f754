"""What all engines have in common: where parts are sent, how data get there once, and how a lost worker shows."""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple


def as_it_is(given: Any) -> Any:
    """For engines that need no help with data."""
    return given


class Workers(NamedTuple):
    """The workers of one engine.

    - `backend`: makes a backend of joblib, a new one each time that parts are sent.
    - `jobs`: how many parts are in hand at once; -1 for as many as the engine has room for.
    - `share`: makes of an object what stands for it in a task, so that the object itself is sent once a worker.
    - `opened`: makes of that the object again, at the worker, and leaves all else as it is.
    - `losses`: what the engine raises when it gives a part up because the worker has gone.
    - `sendings`: how often a part is sent before it is given up; fewer where the engine itself tries again.
    """

    backend: Callable[[], Any]
    jobs: int
    share: Callable[[Any], Any] = as_it_is
    opened: Callable[[Any], Any] = as_it_is
    losses: tuple[type[BaseException], ...] = ()
    sendings: int = 3


def needed(module: str, backend: str) -> Any:
    """A package of an engine; ImportError in one sentence if it is not there."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        raise ImportError(f"the backend {backend} needs {module}: pip install 'askance[{backend}]'") from missing


def at_least_two(jobs: int) -> int:
    """Where there is but one worker, joblib would do the work in this process: so it is told of two."""
    return max(2, jobs)
