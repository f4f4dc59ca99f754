"""Ownership of an SQLite store: a lock file that the system releases when the process ends."""

import os
import sys
from pathlib import Path

from askance.errors import StoreError


class Ownership:
    """The lock, held until it is released."""

    def __init__(self, path: Path) -> None:
        lock = path.with_name(path.name + ".lock")
        try:
            self._file = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(f"{lock}: {error.strerror}: choose a directory that you can write to") from error
        try:
            _lock(self._file)
        except OSError as error:
            os.close(self._file)
            raise StoreError(f"{path}: another process owns this store: stop that service first") from error

    def release(self) -> None:
        """Release the lock. The file stays: if it were deleted, two processes could lock two files."""
        os.close(self._file)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
