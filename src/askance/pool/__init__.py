"""A pool to choose from: which rows to label next, with features that only the labelling sees."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askance.pool.selector import PrivilegedSelector

__all__ = ["PrivilegedSelector"]


def __getattr__(name: str) -> Any:
    # scikit-learn is slow to load.
    if name == "PrivilegedSelector":
        from askance.pool.selector import PrivilegedSelector

        return PrivilegedSelector
    raise AttributeError(f"module 'askance.pool' has no attribute {name!r}")
