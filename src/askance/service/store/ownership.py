"""Ownership of an SQLite store: a lock on the file itself, which the system releases when the process ends.

The lock belongs to the file and not to a name, so neither a link nor a lock file that somebody deletes lets a
second process in. SQLite's own locks are of another kind (`fcntl`, not `flock`) and are not affected.
"""

import os
import sys
import threading
from pathlib import Path

from askance.errors import StoreError

# Closing a file releases all `fcntl` locks that this process has on it, also those of SQLite. So a file that this
# process owns must not even be opened for a second try.
_owned: set[tuple[int, int]] = set()
_guard = threading.Lock()


class Ownership:
    """The lock, held until it is released. A file that does not exist is created, readable by its owner only."""

    def __init__(self, path: Path) -> None:
        with _guard:
            if path.exists() and _identity(os.stat(path)) in _owned:
                raise _taken(path)
            self._file = _open(path)
            try:
                _lock(self._file)
            except OSError as error:
                os.close(self._file)
                raise _taken(path) from error
            self._identity = _identity(os.stat(path))
            _owned.add(self._identity)

    def release(self) -> None:
        """Release the lock. All connections of this store must have been closed."""
        with _guard:
            _owned.discard(self._identity)
            os.close(self._file)


def _taken(path: Path) -> StoreError:
    return StoreError(f"{path}: another process owns this store: stop that service first")


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _open(path: Path) -> int:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # people's data
        return os.open(_locked_file(path), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}: choose a file that you can write to") from error


if sys.platform == "win32":
    import msvcrt

    def _locked_file(path: Path) -> Path:
        """A file beside it: here, others could not read what is locked. It cannot be deleted while it is open."""
        return path.with_name(path.name + ".lock")

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _locked_file(path: Path) -> Path:
        return path

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
