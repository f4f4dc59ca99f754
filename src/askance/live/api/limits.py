"""Limits on how fast somebody may send requests."""

import math
import time
from collections.abc import Callable

from askance.live.refusals import Refusal

MOST_SENDERS = 10_000  # that are remembered


class Pacer:
    """So many requests a second for each sender, and as many at once as make up two seconds, or one."""

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = per_second
        self._burst = max(1.0, 2 * per_second)
        self._clock = clock
        self._senders: dict[str, tuple[float, float]] = {}  # what is left, and when that was

    def check(self, sender: str) -> None:
        """Refuse one request too many."""
        now = self._clock()
        left, since = self._senders.get(sender, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._rate)
        if left < 1:
            wait = math.ceil((1 - left) / self._rate)
            raise Refusal(429, "too_fast", f"more than {self._rate:g} requests a second", retry_after=wait)
        if sender not in self._senders and len(self._senders) >= MOST_SENDERS:
            self._senders.clear()
        self._senders[sender] = (left - 1, now)
