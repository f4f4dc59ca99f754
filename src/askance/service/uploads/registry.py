"""All uploads of a service: how many there may be, how large, and for how long."""

import shutil
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from askance.service import messages
from askance.service.errors import RequestError, invalid, not_found
from askance.service.uploads.upload import Owner, Upload

MOST_BYTES = 200_000_000
MOST, MOST_EACH = 20, 3  # files at the same time, in all and per person
KEPT = 3600.0  # seconds after the last use
IDLE = 300.0  # seconds without use, after which a file gives way to another of the same person
CHECKERS = 2  # threads
ENDINGS = (
    "csv",
    "tsv",
    "jsonl",
    "ndjson",
    "parquet",
    "xlsx",
    "ris",
    "nbib",
    "npz",
    "txt",
)  # of the names of files that say their format


class Uploads:
    """The files that are being uploaded. They are in a temporary directory, which is deleted at the end."""

    def __init__(self, most_bytes: int, clock: Callable[[], float]) -> None:
        self.most_bytes = most_bytes
        self._clock = clock
        self._open: dict[int, Upload] = {}
        self._count = 0
        self._directory: Path | None = None
        self._lock = threading.Lock()
        self.threads = ThreadPoolExecutor(CHECKERS, "askance-upload")

    def __len__(self) -> int:
        return len(self._open)

    def create(self, owner: Owner, request: messages.UploadRequest) -> Upload:
        """Make room for a file, or refuse it if it is too large or there are too many."""
        self.prune()
        name = request.name
        if not request.size:
            raise invalid(f"{name}: is empty: check how it was made")
        if request.size > self.most_bytes:
            raise RequestError(
                413,
                "too_large",
                f"{name}: has {_megabytes(request.size)}, and at most {_megabytes(self.most_bytes)} can be "
                "uploaded: split it, or send it with askance push",
            )
        self._make_room(owner)
        self._count += 1
        try:
            upload = Upload(self._count, owner, request, self._path(self._count, name))
        except OSError as error:
            raise RequestError(507, "store_full", f"there is no place for the file ({error.strerror})") from error
        upload.used = self._clock()
        self._open[upload.number] = upload
        return upload

    def _make_room(self, owner: Owner) -> None:
        """Forget what is done, and a file that somebody has left behind; RequestError if there are too many."""
        for upload in self.of(owner):
            if upload.state == "done":
                self.drop(upload)
        unfinished = [upload for upload in self._open.values() if upload.state != "done"]
        own = sorted((one for one in unfinished if one.owner.who == owner.who), key=lambda one: one.used)
        if len(own) >= MOST_EACH and self._clock() - own[0].used > IDLE:
            self.drop(own[0])
        elif len(own) >= MOST_EACH:
            tasks = ", ".join(dict.fromkeys(upload.owner.task for upload in own))
            raise RequestError(
                429,
                "too_many_uploads",
                f"you have {MOST_EACH} unfinished uploads (to {tasks}): finish or cancel one of them",
            )
        elif len(unfinished) >= MOST:
            raise RequestError(503, "busy", "too many files are being uploaded: try again later", retry_after=60)

    def find(self, owner: Owner, number: int) -> Upload:
        """An upload of a person to a task; nobody else sees it."""
        self.prune()
        upload = self._open.get(number)
        if upload is None or upload.owner != owner:
            raise not_found(
                "unknown_upload",
                f"there is no upload {number}: it was cancelled, or not used for an hour: upload the file again",
            )
        upload.used = self._clock()
        return upload

    def of(self, owner: Owner) -> list[Upload]:
        """The uploads of a person to a task, the newest first."""
        self.prune()
        return [upload for upload in reversed(self._open.values()) if upload.owner == owner]

    def drop(self, upload: Upload) -> None:
        """Delete a file, and forget it. What was added stays."""
        upload.stopped.set()
        self._open.pop(upload.number, None)
        self.threads.submit(upload.close)

    def prune(self) -> None:
        """Drop what nobody has used for long."""
        for upload in list(self._open.values()):
            if self._clock() - upload.used > KEPT:
                self.drop(upload)

    def close(self) -> None:
        """End all checks, and delete all files."""
        for upload in list(self._open.values()):
            self.drop(upload)
        self.threads.shutdown()
        with self._lock:
            if self._directory is not None:
                shutil.rmtree(self._directory, ignore_errors=True)
            self._directory = None

    def _path(self, number: int, name: str) -> Path:
        """Where a file is kept: only its ending comes from outside."""
        with self._lock:
            if self._directory is None:
                self._directory = Path(tempfile.mkdtemp(prefix="askance-uploads-"))
        ending = name.lower().rpartition(".")[2]
        return self._directory / f"{number}.{ending if ending in ENDINGS else 'upload'}"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB" if size >= 1e7 else f"{size / 1e6:,.1f} MB"
