"""When to try again, without doing it: what may be repeated, how long to wait, and when it is enough."""

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from askance.errors import ServiceError
from askance.service.client.calls import Call
from askance.service.client.errors import lost, own_words, refusal, unreachable

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10.0
LONGEST_WISH = 120.0  # a service that wants more is better asked later, by a person
BUSY = (429, 503)
# In these the request has not been sent, so whatever it is, it has not been done.
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Attempts:
    """The attempts at one call."""

    def __init__(self, call: Call[Any], retries: int, url: str) -> None:
        self._call = call
        self._retries = retries
        self._url = url
        self._made = 0

    def pause_after_error(self, error: httpx.TransportError) -> float:
        """How long to wait before the next attempt; ServiceError if there is to be none."""
        if isinstance(error, httpx.LocalProtocolError | httpx.UnsupportedProtocol):
            raise ServiceError(f"{self._url}: cannot be asked ({error})") from error
        if not self._call.repeatable and not isinstance(error, NOT_SENT):
            raise lost(self._url, error) from error
        if self._made >= self._retries:
            raise unreachable(self._url, error) from error
        return self._pause()

    def pause_after(self, status: int, headers: httpx.Headers, content: bytes) -> float:
        """The same after an answer that is no success."""
        wish = wanted_pause(headers.get("Retry-After", ""))
        # Before a call that must not be done twice, a proxy's "busy" may hide an answer that was lost.
        trusted = self._call.repeatable or own_words(content) is not None
        if status not in BUSY or not trusted or self._made >= self._retries or wish > LONGEST_WISH:
            raise refusal(status, content)
        return max(wish, self._pause())

    def _pause(self) -> float:
        self._made += 1
        return min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (self._made - 1)) * random.uniform(0.5, 1.0)


def wanted_pause(retry_after: str) -> float:
    """The seconds that a header Retry-After asks for, which may be a number or a date; 0 if it says neither."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
