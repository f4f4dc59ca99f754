"""Asking a server for a file, or for the rest of it, with one sentence for each way in which that can fail."""

import http.client
import re
import urllib.error
import urllib.request
from types import TracebackType
from typing import Any, Self

from askance.data.files import reason
from askance.errors import DataError

SCHEMES = ("http", "https", "file")
SECONDS = 30.0
PARTIAL, NO_SUCH_RANGE = 206, 416
GOES_ON = "fetch it again, which goes on from there if the server can"
BY_HAND = "or get the file by other means into a directory that ASKANCE_DATA names"

_range = re.compile(r"bytes (\d+)-\d+/(\d+|\*)").fullmatch


class Answer:
    """The bytes of a file from `start` on; `total` is the size of all of it, None if the server does not say."""

    def __init__(self, url: str, response: Any, start: int, total: int | None) -> None:
        self._url = url
        self._response = response
        self.start = start
        self.total = total

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._response.close()

    @property
    def version(self) -> str:
        """What tells this version of the file from others; empty if the server has no such thing."""
        tag = self._response.headers.get("ETag", "")
        # A weak tag promises the same meaning, not the same bytes.
        return tag if tag and not tag.startswith("W/") else self._response.headers.get("Last-Modified", "")

    def read(self, size: int) -> bytes:
        """The next bytes; none at the end."""
        if self.start == self.total:
            return b""
        try:
            return bytes(self._response.read1(size))  # what there is: a full block might break on its way
        except (OSError, http.client.HTTPException) as error:
            raise DataError(f"{self._url}: the connection broke ({_told(error)}): {GOES_ON}") from error


def ask_for(url: str, start: int = 0, version: str = "") -> Answer:
    """What follows `start` if the file still is of that version and the server can do that, else all of it."""
    if url.partition(":")[0] not in SCHEMES:
        raise DataError(f"{url}: is no address that can be fetched: give one of {', '.join(SCHEMES)}")
    headers = {"User-Agent": "askance", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
        if version:
            headers["If-Range"] = version
    try:
        answer = _answer(
            url, urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=SECONDS)
        )
    except urllib.error.HTTPError as error:
        answer = _refusal(url, error, start)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{url}: cannot be reached ({_told(error)}): check the network, {BY_HAND}") from error
    is_other = bool(answer.start and version and answer.version and answer.version != version)
    if answer.start in (0, start) and not is_other:
        return answer
    with answer:  # it begins elsewhere or is of another version, or what is here is longer than the file
        return ask_for(url)


def _answer(url: str, response: Any) -> Answer:
    if response.headers.get_content_type() == "text/html":
        response.close()
        raise DataError(f"{url}: a web page came in place of the file: look at it with a browser, {BY_HAND}")
    length = response.headers.get("Content-Length", "")
    span = _range(response.headers.get("Content-Range", "")) if response.status == PARTIAL else None
    if span is None:
        return Answer(url, response, 0, int(length) if length.isdigit() else None)
    return Answer(url, response, int(span[1]), int(span[2]) if span[2].isdigit() else None)


def _refusal(url: str, error: urllib.error.HTTPError, start: int) -> Answer:
    """A server that has nothing from `start` on has said how much there is; any other refusal is a fault."""
    if error.code == NO_SUCH_RANGE and start:
        size = error.headers.get("Content-Range", "").removeprefix("bytes */")
        total = int(size) if size.isdigit() else -1
        return Answer(url, error, total, total)
    error.close()
    told = f"{error.code} {error.reason}".strip()
    raise DataError(f"{url}: the server says {told}: look there, {BY_HAND}") from error


def _told(error: BaseException) -> str:
    """Why, in few words."""
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return cause if isinstance(cause, str) else reason(cause)
