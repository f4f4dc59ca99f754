"""Start commands faster: load modules that are imported but rarely used on first use, and collect no garbage."""

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

# What other libraries import for a function or two that commands seldom or never call: scikit-learn both of the
# first, SciPy NumPy's wrapper for Fortran, and numba YAML, for settings in a file.
RARELY_USED = frozenset({"pandas", "scipy.stats", "numpy.f2py", "yaml"})


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
def quick_start() -> Iterator[None]:
    """Import what a command needs: rarely used modules on their first use, and without looking for garbage.

    Imports make hundreds of thousands of objects, which stay: looking through them again and again took a quarter
    of the time of `askance run`. Later collections skip what the block has made.

    For commands that run in one thread: before Python 3.11.8, two threads could load a rarely used module at the
    same time.
    """
    sys.meta_path.insert(0, LazyFinder)
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        sys.meta_path.remove(LazyFinder)
