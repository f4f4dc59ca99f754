"""One process owns an SQLite store: a lock on a file beside it, which the system lets go when the process ends."""

import os
import sys
from pathlib import Path

from askance.errors import StoreError


class Ownership:
    """The lock, from now on until it is released."""

    def __init__(self, path: Path) -> None:
        lock = path.with_name(path.name + ".lock")
        try:
            self._file = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as fault:
            raise StoreError(f"{lock}: {fault.strerror}: choose a place that can be written to") from fault
        try:
            _lock(self._file)
        except OSError as fault:
            os.close(self._file)
            raise StoreError(f"{path}: another process owns this store: stop that service first") from fault

    def release(self) -> None:
        """Let another process own the store. The file stays: without it two processes could lock two files."""
        os.close(self._file)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
