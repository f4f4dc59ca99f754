"""Rate limits."""

import ipaddress
import math
import time
from collections.abc import Callable

from starlette.requests import Request

from askance.service.errors import RequestError

MOST_SENDERS = 10_000  # that are remembered


class RateLimiter:
    """Limits the requests per second of each sender; a burst may use the requests of two seconds."""

    def __init__(
        self, per_second: float, at_once: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = per_second
        self._burst = at_once or max(1.0, 2 * per_second)
        self._clock = clock
        self._senders: dict[str, tuple[float, float]] = {}  # requests left, and when

    def check(self, sender: str) -> None:
        """Count a request, or refuse it if there are too many."""
        if wait := self.wait(sender):
            raise RequestError(
                429, "rate_limited", f"more than {self._rate:g} requests per second: slow down", retry_after=wait
            )
        self.spend(sender)

    def wait(self, sender: str) -> int:
        """The seconds until this sender may send the next request."""
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
    """Limits wrong tokens at the sign-in: five per address, then five per minute, and a total for all addresses.

    An address that failed too often must wait, even with a valid token. When the total is exceeded, only wrong
    tokens are refused: strangers must not be able to lock others out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._each = RateLimiter(5 / 60, 5, clock)
        self._all = RateLimiter(12 / 60, 30, clock)

    def check(self, address: str) -> None:
        """Refuse an address that failed too often."""
        if wait := self._each.wait(address):
            raise _too_often("this address", wait)

    def failed(self, address: str) -> None:
        """Count a failure; RequestError if there are too many in total."""
        self._each.spend(address)
        if wait := self._all.wait(""):
            raise _too_often("all addresses", wait)
        self._all.spend("")


def _too_often(where: str, wait: int) -> RequestError:
    return RequestError(
        429,
        "too_many_attempts",
        f"too many wrong tokens came from {where}: try again in {wait} seconds",
        retry_after=wait,
    )


def address_of(request: Request) -> str:
    """The address that limits apply to."""
    return limited_address(request.client.host if request.client else "?")


def limited_address(host: str) -> str:
    """An address as limits see it. For IPv6 it is the /64 network, because one sender has many addresses."""
    if ":" not in host:
        return host
    try:
        return ipaddress.IPv6Address(host).packed[:8].hex(":", 2) + "::/64"
    except ValueError:
        return host
