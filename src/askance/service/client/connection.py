"""The URL, the token and the options of a client, checked before anything is sent."""

import os
from dataclasses import dataclass, field
from typing import Any

import httpx

URL, TOKEN = "ASKANCE_URL", "ASKANCE_TOKEN"
USUAL_URL = "http://127.0.0.1:8383"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Connection:
    """The options of a client."""

    url: str
    token: str | None = field(repr=False)
    task: str | None
    retries: int
    timeout: float

    def options(self) -> dict[str, Any]:
        """The options for httpx. No proxy is used for this machine."""
        headers = {} if self.token is None else {"Authorization": f"Bearer {self.token}"}
        parts = httpx.URL(self.url)
        return {
            "base_url": self.url,
            "headers": headers,
            "timeout": self.timeout,
            "trust_env": parts.host not in LOOPBACK,
            "verify": parts.scheme == "https",  # loading certificates is slow; redirects are not followed
        }

    def of(self, task: str | None) -> str:
        """The name of the task to use."""
        name = task or self.task
        if not name:
            raise ValueError("no task is given: pass task=... here or to the client")
        return name


def connection(url: str | None, token: str | None, task: str | None, retries: int, timeout: float) -> Connection:
    """Check the options; defaults come from the environment."""
    url = url or os.environ.get(URL) or USUAL_URL
    token = token or os.environ.get(TOKEN) or None
    if retries < 0:
        raise ValueError(f"retries={retries} is not valid: give 0 or a positive integer")
    if not timeout > 0:
        raise ValueError(f"timeout={timeout} is not valid: give a positive number of seconds")
    if token is not None and not (token.isascii() and token.isprintable() and " " not in token):
        raise ValueError("the token contains characters that tokens do not have: copy it again")
    return Connection(_checked(url), token, task, retries, timeout)


def _checked(url: str) -> str:
    try:
        parts = httpx.URL(url)
        sound = parts.scheme in ("http", "https") and bool(parts.host)
    except httpx.InvalidURL:
        sound = False
    if not sound:
        raise ValueError(f"{url!r} is not the URL of a service: give one such as {USUAL_URL}")
    return url.rstrip("/")
