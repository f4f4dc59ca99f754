"""When to send a request again: what may be repeated, how long to wait, and when to give up."""

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from askance.errors import ServiceError
from askance.service.client.calls import ApiCall
from askance.service.client.errors import error_response, lost, service_error, unreachable

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 10.0
LONGEST_RETRY_AFTER = 120.0  # seconds; beyond that, give up
BUSY = (429, 503)
# After these errors the request was not sent, so it is safe to repeat.
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Attempts:
    """The attempts at one request."""

    def __init__(self, call: ApiCall[Any], retries: int, url: str) -> None:
        self._call = call
        self._retries = retries
        self._url = url
        self._made = 0

    def pause_after_error(self, error: httpx.TransportError) -> float:
        """The seconds before the next attempt; ServiceError if there is none."""
        if isinstance(error, httpx.LocalProtocolError | httpx.UnsupportedProtocol):
            raise ServiceError(f"{self._url}: the request cannot be sent ({error}): check the URL") from error
        if not self._call.repeatable and not isinstance(error, NOT_SENT):
            raise lost(self._url, error) from error
        if self._made >= self._retries:
            raise unreachable(self._url, error) from error
        return self._pause()

    def pause_after(self, status: int, headers: httpx.Headers, content: bytes) -> float:
        """The same after an answer that is not a success."""
        wanted = wanted_pause(headers.get("Retry-After", ""))
        # A "busy" of a proxy may hide a lost answer, so requests that must not be done twice are not repeated.
        trusted = self._call.repeatable or error_response(content) is not None
        if status not in BUSY or not trusted or self._made >= self._retries or wanted > LONGEST_RETRY_AFTER:
            raise service_error(status, content)
        return max(wanted, self._pause())

    def _pause(self) -> float:
        self._made += 1
        return min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (self._made - 1)) * random.uniform(0.5, 1.0)


def wanted_pause(retry_after: str) -> float:
    """The seconds in a Retry-After header, which holds a number or a date; 0 if it holds neither."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
