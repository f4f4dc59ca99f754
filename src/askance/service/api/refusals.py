"""What the service refuses: counted by reason, and logged without flooding the log."""

import logging
import time
from collections import Counter
from collections.abc import Callable

log = logging.getLogger("askance.service")
PAUSE = 10.0  # seconds between two lines about the same reason


class Refusals:
    """Counts refusals. The first of a reason is logged at once; later ones share one line per pause."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.counts: Counter[str] = Counter()
        self._clock = clock
        self._logged: dict[str, tuple[float, int]] = {}  # when, and how many there were until then

    def note(self, reason: str, address: str, **detail: object) -> None:
        """Count a refusal, and log it if the last line about this reason is old enough."""
        self.counts[reason] += 1
        now, count = self._clock(), self.counts[reason]
        since, told = self._logged.get(reason, (now - PAUSE, 0))
        if now - since >= PAUSE:
            self._logged[reason] = (now, count)
            log.warning(
                "refused", extra={"reason": reason, "times": count - told, "last_address": address, **detail}
            )
