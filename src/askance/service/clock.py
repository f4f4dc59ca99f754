"""A clock that does not believe a jump at once."""

import time
from collections.abc import Callable

USUAL = 1.0  # seconds by which the wall clock may differ from the time that has passed
PATIENCE = 60.0  # seconds for which it must be so before it is believed


def _elapsed() -> float:
    """Seconds since some moment, also while the machine sleeps, where the system counts that."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class SteadyClock:
    """The time of day, as `time.time`. A jump of the wall clock counts only if it has lasted for a minute."""

    def __init__(self, wall: Callable[[], float] = time.time, elapsed: Callable[[], float] = _elapsed) -> None:
        self._wall = wall
        self._elapsed = elapsed
        self._offset = wall() - elapsed()
        self._doubted_since: float | None = None

    def __call__(self) -> float:
        """Seconds since 1970."""
        elapsed = self._elapsed()
        offset = self._wall() - elapsed
        if abs(offset - self._offset) <= USUAL:
            self._offset, self._doubted_since = offset, None
        elif self._doubted_since is None:
            self._doubted_since = elapsed
        elif elapsed - self._doubted_since >= PATIENCE:
            self._offset, self._doubted_since = offset, None
        return elapsed + self._offset
