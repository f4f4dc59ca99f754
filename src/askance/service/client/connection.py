"""Where the service is and who is asking; checked once, before anything is sent."""

import os
from dataclasses import dataclass, field
from typing import Any

import httpx

URL, TOKEN = "ASKANCE_URL", "ASKANCE_TOKEN"
USUAL_URL = "http://127.0.0.1:8383"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Connection:
    """What both clients keep."""

    url: str
    token: str | None = field(repr=False)
    task: str | None
    retries: int
    timeout: float

    def options(self) -> dict[str, Any]:
        """For a client of httpx; a proxy has no business between us and this machine."""
        headers = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        parts = httpx.URL(self.url)
        return {
            "base_url": self.url,
            "headers": headers,
            "timeout": self.timeout,
            "trust_env": parts.host not in LOOPBACK,
            "verify": parts.scheme
            == "https",  # reading the certificates takes a while; redirects are not followed
        }

    def of(self, task: str | None) -> str:
        """The task meant."""
        name = task or self.task
        if not name:
            raise ValueError(
                "no task is given: name it here with task=..., or once for all when making the client"
            )
        return name


def connection(url: str | None, token: str | None, task: str | None, retries: int, timeout: float) -> Connection:
    """The connection wanted; what is not given comes from the environment."""
    url = url or os.environ.get(URL) or USUAL_URL
    token = token or os.environ.get(TOKEN) or None
    if retries < 0:
        raise ValueError(f"retries={retries}: give a whole number from 0 on")
    if not timeout > 0:
        raise ValueError(f"timeout={timeout}: give seconds, more than 0")
    if token is not None and not (token.isascii() and token.isprintable() and " " not in token):
        raise ValueError("the token holds characters that no token has: copy it again")
    return Connection(_checked(url), token, task, retries, timeout)


def _checked(url: str) -> str:
    try:
        parts = httpx.URL(url)
        sound = parts.scheme in ("http", "https") and bool(parts.host)
    except httpx.InvalidURL:
        sound = False
    if not sound:
        raise ValueError(f"{url!r} is no address of a service: give one such as {USUAL_URL}")
    return url.rstrip("/")
