"""Start commands faster: load modules that are imported but rarely used on first use."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

# scikit-learn imports both at once, each for a function or two that `askance demo` and `askance run` never call.
# They would take half of the time that `askance demo` takes.
RARELY_USED = frozenset({"pandas", "scipy.stats"})


class LazyFinder:
    """Finds the rarely used modules and gives them a loader that waits for the first use."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find one of the rarely used modules; None for any other, which the usual finders then find."""
        if name not in RARELY_USED:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


@contextmanager
def rarely_used_deferred() -> Iterator[None]:
    """Load the rarely used modules that are imported inside the block on their first use.

    For commands that run in one thread: before Python 3.11.8, two threads could load such a module at the same
    time.
    """
    sys.meta_path.insert(0, LazyFinder)
    try:
        yield
    finally:
        sys.meta_path.remove(LazyFinder)
