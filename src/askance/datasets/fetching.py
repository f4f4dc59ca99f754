"""Download the public files of a data set into the cache, with pooch.

pooch downloads a file under a temporary name and renames it when it is complete and its checksum is right. Then
the checksum is stored next to the file. Where the register has none, the checksum of the first download is checked
from then on.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from askance._util.optional import require
from askance._util.progress import Progress
from askance.data.files import reason
from askance.datasets.checksums import digest, is_fetched, read_checksum, write_checksum
from askance.datasets.entry import File
from askance.datasets.finding import CACHE, DATA, cache_directory, entry_of, find
from askance.errors import DataError

SCHEMES = ("http", "https")
TIMEOUT = 30.0  # seconds without any data
RETRIES = 2
BLOCK = 1 << 16
BY_HAND = f"or put the file into a directory of {DATA}"


class Fetched(NamedTuple):
    """A file in the cache.

    Parameters
    ----------
    path : pathlib.Path
        Where it is.
    size : int
        Its size in bytes.
    sha256 : str
        Its checksum.
    was_here : bool
        Whether it was in the cache before.
    published : bool
        Whether the register has its checksum.
    """

    path: Path
    size: int
    sha256: str
    was_here: bool
    published: bool


def fetch(name: str, progress: Progress | None = None) -> list[Fetched]:
    """Download the public files of a data set into the cache directory.

    Files that are there and have the right checksum are not downloaded again. Needs pooch:
    ``pip install 'askance[datasets]'``.

    Parameters
    ----------
    name : str
        A name of the register, such as "a8a".
    progress : callable or None, default=None
        Called as ``progress(done, total, what)`` with the bytes done, the size of the file (None if the server
        does not say), and the name of the file.

    Returns
    -------
    list of Fetched
        The files, in the order of their rows.

    Raises
    ------
    DataError
        If the data set has no public file, or if it cannot be downloaded or stored.
    ImportError
        If pooch is not installed.

    Examples
    --------
    >>> import askance
    >>> askance.datasets.fetch("a8a")[0].size  # doctest: +SKIP
    1655224
    """
    whole, entry = entry_of(name)
    if entry is None or whole != name or not entry.files:
        find(name)  # raises with a remedy if it is not here
        raise DataError(f"{name} has no public file to fetch, but it is on this machine: load it")
    return [_fetch_file(file, cache_directory() / name, progress) for file in entry.files]


def _fetch_file(file: File, directory: Path, progress: Progress | None) -> Fetched:
    pooch = require("pooch", "datasets", "fetching data sets")
    pooch.get_logger().setLevel("WARNING")
    if file.url.partition(":")[0] not in SCHEMES:
        raise DataError(f"{file.url}: cannot be fetched: the address must begin with {' or '.join(SCHEMES)}")
    target = directory / file.name
    download = _Download(file, progress)
    with _explained(file, directory):
        if not is_fetched(target):
            target.unlink(missing_ok=True)  # it did not come from a complete fetch
        known = file.sha256 or (read_checksum(target) if target.is_file() else None)
        files = pooch.create(
            directory,
            base_url="",
            registry={file.name: known},
            urls={file.name: file.url},
            retry_if_failed=RETRIES,
        )
        files.fetch(file.name, downloader=download)
        if download.was_needed:
            write_checksum(target, digest(target))
        size = target.stat().st_size
        return Fetched(
            target, size, read_checksum(target), was_here=not download.was_needed, published=bool(file.sha256)
        )


class _Download:
    """What pooch calls to download a file."""

    def __init__(self, file: File, progress: Progress | None) -> None:
        self._bar = None if progress is None else _Bar(file.name, progress)
        self.was_needed = False

    def __call__(self, url: str, output_file: str, pooch: Any) -> None:
        from pooch import HTTPDownloader

        self.was_needed = True
        get = HTTPDownloader(
            progressbar=self._bar,
            chunk_size=BLOCK,
            timeout=TIMEOUT,
            headers={"User-Agent": "askance", "Accept-Encoding": "identity"},
            hooks={"response": _refuse},
        )
        get(url, output_file, pooch)
        if not os.path.getsize(output_file):
            raise DataError(f"{url}: the file is empty: look at it with a browser, {BY_HAND}")


class _Bar:
    """A progress bar as pooch uses it, which calls `progress`."""

    def __init__(self, name: str, progress: Progress) -> None:
        self.total = 0
        self._name = name
        self._progress = progress
        self._done = 0

    def update(self, size: int) -> None:
        """Count some more bytes; pooch counts whole blocks, so the last one may be too large."""
        self._done += size
        self._progress(min(self._done, self.total) if self.total else self._done, self.total or None, self._name)

    def reset(self) -> None:
        """Start again; pooch then updates by the total."""
        self._done = 0

    def close(self) -> None:
        """Nothing has to be closed."""


def _refuse(response: Any, **_options: Any) -> None:
    """Raise DataError for an error, and for a web page, which servers send in place of a file that has moved."""
    is_page = response.headers.get("Content-Type", "").startswith("text/html")
    if response.is_redirect or (response.ok and not is_page):
        return
    response.close()
    answer = "with a web page" if response.ok else f"{response.status_code} {response.reason}".strip()
    raise DataError(f"{response.url}: the server answered {answer}: look at it with a browser, {BY_HAND}")


@contextlib.contextmanager
def _explained(file: File, directory: Path) -> Iterator[None]:
    """Turn the errors of pooch, requests and the file system into DataError."""
    from requests import RequestException

    try:
        yield
    except DataError:
        raise
    except RequestException as error:
        raise DataError(
            f"{file.url}: cannot be downloaded ({_cause(error)}): check the network and fetch it again, {BY_HAND}"
        ) from error
    except OSError as error:
        raise DataError(
            f"{directory}: cannot be written ({_cause(error)}): free some space, or set {CACHE} to another folder"
        ) from error
    except ValueError as error:  # the checksum
        expected = "the published sha256" if file.sha256 else "the sha256 of the first fetch"
        raise DataError(
            f"{file.url}: the download does not have {expected} and was deleted: fetch it again; if that "
            f"does not help, the file has changed: get it by other means, {BY_HAND}"
        ) from error


def _cause(error: BaseException) -> str:
    """The innermost cause, in a few words."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return error.strerror if isinstance(error, OSError) and error.strerror else reason(error)
