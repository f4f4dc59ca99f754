"""ServerOptions on how fast somebody may send requests."""

import ipaddress
import math
import time
from collections.abc import Callable

from starlette.requests import Request

from askance.service.errors import RequestError

MOST_SENDERS = 10_000  # that are remembered


class RateLimiter:
    """So many requests a second for each sender, and as many at once as make up two seconds, or one."""

    def __init__(
        self, per_second: float, at_once: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = per_second
        self._burst = at_once or max(1.0, 2 * per_second)
        self._clock = clock
        self._senders: dict[str, tuple[float, float]] = {}  # what is left, and when that was

    def check(self, sender: str) -> None:
        """Refuse one request too many."""
        if wait := self.wait(sender):
            raise RequestError(
                429, "rate_limited", f"more than {self._rate:g} requests a second", retry_after=wait
            )
        self.spend(sender)

    def wait(self, sender: str) -> int:
        """The seconds until this sender may send one; 0 if now."""
        left = self._left(sender)
        return 0 if left >= 1 else math.ceil((1 - left) / self._rate)

    def spend(self, sender: str) -> None:
        """Count a request."""
        left = self._left(sender)
        if sender not in self._senders and len(self._senders) >= MOST_SENDERS:
            self._senders.clear()
        self._senders[sender] = (left - 1, self._clock())

    def _left(self, sender: str) -> float:
        now = self._clock()
        left, since = self._senders.get(sender, (self._burst, now))
        return min(self._burst, left + (now - since) * self._rate)


class Attempts:
    """Wrong tokens at the sign-in: five from an address and then five a minute, and from all not many more.

    An address that has failed too often waits with any token. When all together have, only wrong ones wait:
    strangers must not be able to keep others out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._each = RateLimiter(5 / 60, 5, clock)
        self._all = RateLimiter(12 / 60, 30, clock)

    def check(self, address: str) -> None:
        """Refuse an address that has failed too often."""
        if wait := self._each.wait(address):
            raise _too_often("this address", wait)

    def failed(self, address: str) -> None:
        """Count a failure; RequestError if there are too many from everywhere."""
        self._each.spend(address)
        if wait := self._all.wait(""):
            raise _too_often("everywhere", wait)
        self._all.spend("")


def _too_often(where: str, wait: int) -> RequestError:
    return RequestError(
        429,
        "too_many_attempts",
        f"too many wrong tokens came from {where}: try again in {wait} seconds",
        retry_after=wait,
    )


def address_of(request: Request) -> str:
    """Whom limits for an address are for: of IPv6 the network, because one sender has many addresses in it."""
    host = request.client.host if request.client else "?"
    if ":" not in host:
        return host
    try:
        return ipaddress.IPv6Address(host).packed[:8].hex(":", 2) + "::/64"
    except ValueError:
        return host
