"""Locks on open files that one process alone may write."""

from pathlib import Path
from typing import IO, Any

from askance.errors import DataError


def lock(file: IO[Any], path: Path, user: str) -> None:
    """Raise DataError if another process has the file open; `user` is what that would be."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise DataError(f"{path}: is in use by another {user}: end it first") from None
