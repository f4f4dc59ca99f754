"""Reading the bodies of requests: within a size, a time, and a total for all requests together."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request

from askance.service.errors import RequestError

SMALL = 2**16  # bytes of each body that do not count, so that large bodies never keep labels out


class Claim:
    """The bytes that one unfinished body holds in memory."""

    def __init__(self, bodies: "Bodies") -> None:
        self._bodies = bodies
        self.size = 0

    def resize(self, size: int) -> None:
        """Hold this many bytes, or refuse the body if all bodies together hold too many."""
        counted = max(0, size - SMALL)
        if counted > self.size and self._bodies.held + counted - self.size > self._bodies.most:
            raise RequestError(
                503, "busy", "too many large bodies arrive at once: send this one again later", retry_after=1
            )
        self._bodies.held += counted - self.size
        self.size = counted


class Bodies:
    """The bodies that arrive now; all of them together hold at most `most` bytes."""

    def __init__(self, most: int, seconds: float) -> None:
        self.most = most
        self.held = 0
        self._seconds = seconds

    @contextmanager
    def claim(self) -> Iterator[Claim]:
        """Hold memory for a body; it is given back at the end."""
        claim = Claim(self)
        try:
            yield claim
        finally:
            self.held -= claim.size

    async def read(self, request: Request, most: int) -> bytes:
        """The body, if it has at most this many bytes and arrives in time."""
        length = request.headers.get("content-length", "")
        if length.isascii() and length.isdigit() and (len(length) > 15 or int(length) > most):
            raise _too_large(f"has {length[:40]} bytes", most)
        with self.claim() as claim:
            try:
                async with asyncio.timeout(self._seconds):
                    return await _whole(request, most, claim)
            except TimeoutError:
                raise RequestError(
                    408, "too_slow", f"the body did not arrive within {self._seconds:g} seconds: send it again"
                ) from None


async def _whole(request: Request, most: int, claim: Claim) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise _too_large(f"has more than {most} bytes", most)
        claim.resize(size)
        parts.append(part)
    return b"".join(parts)


def _too_large(has: str, most: int) -> RequestError:
    return RequestError(413, "too_large", f"the body {has}: at most {most} are allowed here")
