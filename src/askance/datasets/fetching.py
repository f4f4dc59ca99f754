"""Getting the public files of a data set into the cache.

A file grows as NAME.part; NAME.part.version says which version of it the server had. When size and checksum are
right it gets its seal, and its name last of all: what has its name is whole.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from askance.data.files import reason
from askance.data.stream import Tell
from askance.datasets.entry import File
from askance.datasets.finding import CACHE, cache_directory, entry_of, find
from askance.datasets.seals import check, digest, seal_of, write_seal
from askance.datasets.serving import GOES_ON, Answer, ask_for
from askance.errors import DataError

BLOCK = 1 << 16
OR_CHANGED = "fetch it again; if that does not help, the file at its home has changed"


class Fetched(NamedTuple):
    """A file that is in the cache.

    `resumed` is how many bytes of it were there from an earlier try; `was_here` that all of it was. `published` is
    whether its checksum is known to the register; otherwise the one of the first fetch is kept beside the file.
    """

    path: Path
    size: int
    sha256: str
    resumed: int
    was_here: bool
    published: bool


def fetch(name: str, tell: Tell | None = None) -> list[Fetched]:
    """Get the public files of a data set into the cache directory, going on where an earlier try stopped.

    `tell` is called with the share that is done. Whatever goes wrong raises `DataError`, one sentence. What has
    come so far stays for the next try, unless it is wrong.
    """
    whole, entry = entry_of(name)
    if entry is None or whole != name or not entry.files:
        find(name)  # says how to get it, if it is not here
        raise DataError(f"{name} has no public file that could be fetched, but it is here: just load it")
    fetched = []
    for number, file in enumerate(entry.files):

        def share(done: float, number: int = number) -> None:
            if tell is not None:
                tell((number + done) / len(entry.files))

        fetched.append(fetch_file(file, cache_directory() / name / file.name, share))
    return fetched


def fetch_file(file: File, target: Path, tell: Tell) -> Fetched:
    """Get one file, unless it is there."""
    published = file.sha256 is not None
    with _writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_file() and seal_of(target).is_file():
            sha256 = check(target, file.sha256, sealed=True)
            tell(1.0)
            return Fetched(target, target.stat().st_size, sha256, 0, was_here=True, published=published)
        part = target.with_name(f"{target.name}.part")
        with part.open("ab") as out, _alone(out, target):
            resumed = _Download(file, part, out, tell).run()
        sha256 = digest(part)
        if published and sha256 != file.sha256:
            _forget(part)
            raise DataError(
                f"{file.url}: what came has the sha256 {sha256[:12]}…, not {str(file.sha256)[:12]}…, and was "
                f"thrown away: {OR_CHANGED}"
            )
        write_seal(target, sha256)
        os.replace(part, target)
        _forget(part)
    return Fetched(target, target.stat().st_size, sha256, resumed, was_here=False, published=published)


class _Download:
    """One file on its way."""

    def __init__(self, file: File, part: Path, out: BinaryIO, tell: Tell) -> None:
        self._file = file
        self._out = out
        self._tell = tell
        self._version = _version_of(part)

    def run(self) -> int:
        """Bring the part to its full size; how many bytes of it were there before."""
        start = self._size()
        version = self._version.read_text() if start and self._version.is_file() else ""
        # Without knowing the version, two versions could be joined; only a published checksum would notice.
        if start and not version and self._file.sha256 is None:
            start = 0
        with ask_for(self._file.url, start, version) as answer:
            if answer.start != self._size():
                self._out.truncate(answer.start)
            self._version.write_text(answer.version)
            self._copy(answer)
            self._check(answer)
            return answer.start

    def _copy(self, answer: Answer) -> None:
        size = answer.start
        total = answer.total or self._file.size
        while block := answer.read(BLOCK):
            self._out.write(block)
            size += len(block)
            self._tell(min(1.0, size / total) if total else 0.0)
        self._out.flush()

    def _check(self, answer: Answer) -> None:
        size = self._size()
        for total in (answer.total, self._file.size):
            if total is not None and size < total:
                raise DataError(f"{self._file.url}: ended after {size:,} of {total:,} bytes: {GOES_ON}")
            if total is not None and size > total:
                self._out.truncate(0)
                raise DataError(
                    f"{self._file.url}: {size:,} bytes came, not {total:,}, and were thrown away: {OR_CHANGED}"
                )
        if not size:
            raise DataError(f"{self._file.url}: is empty: look at it with a browser")

    def _size(self) -> int:
        return os.fstat(self._out.fileno()).st_size


def _version_of(part: Path) -> Path:
    return part.with_name(f"{part.name}.version")


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    _version_of(part).unlink(missing_ok=True)


@contextlib.contextmanager
def _writing(target: Path) -> Iterator[None]:
    """A cache that cannot be written, told in one sentence."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{target.parent}: cannot be written ({error.strerror or reason(error)}): make room, or set {CACHE} "
            "to another directory"
        ) from error


@contextlib.contextmanager
def _alone(out: BinaryIO, target: Path) -> Iterator[None]:
    """Two processes must not write into the same part. Where there are no locks, its size and checksum tell."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise DataError(f"{target}: is being fetched by another process: wait for it") from error
    yield
