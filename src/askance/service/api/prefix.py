"""A path prefix: a proxy may serve the service as a part of another site, such as https://example.org/askance."""

import re
from collections.abc import Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

SEGMENTS = re.compile(r"(/[A-Za-z0-9._~-]+)*")


def check_prefix(prefix: str, paths: Iterable[str]) -> None:
    """Raise ValueError if a prefix is not a path, or begins like one of our own paths."""
    if not SEGMENTS.fullmatch(prefix) or "." in prefix.split("/") or ".." in prefix.split("/"):
        raise ValueError(
            f"the path prefix {prefix!r} is not a path: write it like /askance, without a final slash"
        )
    own = {path.split("/")[1] for path in paths}
    if prefix and prefix.split("/")[1] in own:
        raise ValueError(f"the path prefix {prefix!r} begins like a path of the service: choose another name")


def without_prefix(scope: MutableMapping[str, Any], prefix: str) -> None:
    """Remove the prefix from the path of a request, if the proxy has not done so."""
    if prefix and is_under(scope["path"], prefix):
        scope["path"] = scope["path"][len(prefix) :] or "/"
        if is_under(raw := scope.get("raw_path", b"").decode("latin-1"), prefix):
            scope["raw_path"] = (raw[len(prefix) :] or "/").encode("latin-1")


def with_prefix(location: bytes, prefix: str, host: str) -> bytes:
    """A redirect to one of our paths, as the sender sees it."""
    parts = urlsplit(location.decode("latin-1"))
    if not prefix or parts.netloc not in ("", host) or is_under(parts.path, prefix):
        return location
    return parts._replace(path=prefix + parts.path).geturl().encode("latin-1")


def is_under(path: str, prefix: str) -> bool:
    """Whether a path is the prefix or below it."""
    return path == prefix or path.startswith(f"{prefix}/")
