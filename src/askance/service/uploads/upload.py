"""One uploaded file: its parts arrive, it is checked, and its rows are added batch by batch."""

import asyncio
import hashlib
import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from askance.data.jsonl import JsonRecord
from askance.errors import AskanceError, DataError
from askance.service import messages
from askance.service.errors import RequestError, conflict
from askance.service.messages.uploads import UploadState
from askance.service.settings import TaskSettings
from askance.service.uploads.checking import (
    Check,
    Checked,
    Known,
    Question,
    Reading,
    in_words,
    placed,
    reading_again,
)

log = logging.getLogger("askance.service")
PART_BYTES = 2**20
ITEMS, LABELLED, LETTERS = 200, 50, 2_000_000  # of a batch, at most; a label takes longer, as it is learned
LOOKED_AT = 20_000  # rows for one batch: a few labels may be far apart in a long file


class Batch(NamedTuple):
    """Rows to add at once, as items: all of them have a label, or none has."""

    items: list[messages.Item]
    lines: list[int]
    labelled: bool


class Owner(NamedTuple):
    """Who uploads, and to which task."""

    who: str | None
    task: str


class Upload:
    """A file and what is known of it. Rows with labels are added first, so that the model knows all labels."""

    def __init__(self, number: int, owner: Owner, request: messages.UploadRequest, path: Path) -> None:
        self.number = number
        self.owner = owner
        self.name = request.name
        self.size = request.size
        self.path = path
        self.received = 0
        self.state: UploadState = "receiving"
        self.used = 0.0
        self.lock = asyncio.Lock()  # one request at a time changes it
        self.stopped = threading.Event()
        self.checked = Checked(0, 0, 0, {}, {})
        self._digest = hashlib.sha256()
        self._check: Check | None = None
        self._kinds: dict[str, str] = {}
        self._problem: str | None = None
        self._question: Question | None = None
        self._resources = ExitStack()
        self._reading: Reading | None = None
        self._entries: Iterator[JsonRecord] = iter(())
        self._waiting: Batch | None = None
        self._adds_labels = False
        self._gold = False
        self._handled = self._added = self._learned = 0
        path.touch()

    def receive(self, start: int, part: bytes) -> None:
        """Append a part. Parts come in their order, so that what has arrived is always a beginning."""
        if self.state != "receiving" or start != self.received:
            raise conflict("wrong_start", f"{self.received} bytes have arrived: send the part that begins there")
        if self.received + len(part) > self.size:
            raise conflict("too_long", f"the file was said to have {self.size} bytes, and this part goes beyond")
        try:
            with self.path.open("r+b") as file:
                file.seek(start)
                file.write(part)
        except OSError as error:
            raise RequestError(507, "store_full", f"the part cannot be kept ({error.strerror})") from error
        self._digest.update(part)
        self.received += len(part)

    @property
    def is_complete(self) -> bool:
        """Whether all of the file has arrived."""
        return self.received == self.size

    def begin_check(self, settings: TaskSettings, *, opens: bool, wanted: Mapping[str, str], known: Known) -> None:
        """Get ready to check the file; `check` does it."""
        if self.state not in ("receiving", "ready", "refused") or self._handled or not self.is_complete:
            raise conflict("not_ready", f"the file is {self.state}: its columns cannot change now")
        self._question = Question(
            self.path, self.name, self._digest.hexdigest(), settings, opens, self._kinds, wanted
        )
        self._check = Check(self._question, known, self.stopped.is_set)
        self._problem = None
        self.state = "checking"

    def check(self) -> None:
        """Check the file as a whole. This may take long."""
        check = self._check
        assert check is not None
        try:
            self.checked = check.run()
            self._kinds, self.state = check.kinds, "ready"
        except AskanceError as error:
            self._refuse(str(error))
        except Exception:
            log.exception("an upload could not be checked", extra={"task": self.owner.task})
            self._refuse(f"{self.name}: an internal error happened: the traceback is in the log of the service")

    def begin_adding(self, settings: TaskSettings, *, gold: bool = False) -> None:
        """Rows are added from now on, as items of a task with these settings. Only labelled ones can be `gold`."""
        assert self._question is not None
        self._question = self._question._replace(settings=settings, opens=False)
        self._adds_labels = gold or self.checked.labelled > 0
        self._gold = gold
        self.state = "adding"

    def next_batch(self) -> Batch | None:
        """The next rows to add; None if there are no more. They come again until `note` says that they are in."""
        while self._waiting is None and self.state == "adding":
            self._waiting = self._gathered()
            if self._waiting is None and (self._gold or not self._adds_labels):
                self.close()
                self.state = "done"
            elif self._waiting is None:
                self._adds_labels = False
                self._close_file()
        return self._waiting

    def note(self, fresh: int) -> None:
        """The last batch is in the task; some of its rows were new."""
        batch, self._waiting = self._waiting, None
        assert batch is not None
        self._handled += len(batch.items)
        self._added += fresh
        self._learned += fresh if batch.labelled and not self._gold else 0

    def refuse_batch(self, error: RequestError) -> None:
        """The task does not take a row. Rows before it stay."""
        batch, self._waiting = self._waiting, None
        assert batch is not None
        assert self._reading is not None
        try:
            with placed(self._reading.rows, batch.lines):
                raise error
        except DataError as told:
            self._refuse(in_words(str(told), self.path, self.name))
        self.close()

    def close(self) -> None:
        """Delete the file."""
        self.stopped.set()
        self._close_file()
        self.path.unlink(missing_ok=True)

    def answer(self, part_bytes: int) -> messages.Upload:
        """What is known of it."""
        check = self._check
        problem = self._problem
        column = check.column_of(problem) if check is not None and problem is not None else None
        progress = 0.0 if check is None else check.progress if self.state == "checking" else 1.0
        return messages.Upload(
            self.number,
            self.name,
            self.size,
            self.received,
            part_bytes,
            self.state,
            progress,
            problem,
            column,
            [] if check is None else check.columns,
            self.checked.rows,
            self.checked.labelled,
            self.checked.known,
            self.checked.unknown,
            self._handled,
            self._added,
            self._learned,
            self._gold,
        )

    def _refuse(self, problem: str) -> None:
        self._problem = problem
        self._kinds = self._check.kinds if self._check is not None else {}
        self.state = "refused"

    def _gathered(self) -> Batch | None:
        if self._reading is None:
            assert self._question is not None
            self._reading = self._resources.enter_context(reading_again(self._question, self._kinds))
            self._entries = iter(self._reading.rows)
        items: list[messages.Item] = []
        lines: list[int] = []
        letters = looked_at = 0
        most = LABELLED if self._adds_labels else ITEMS
        for entry in islice(self._entries, LOOKED_AT):
            looked_at += 1
            item = self._reading.item(entry)
            if isinstance(item, messages.LabelledItem) == self._adds_labels:
                items.append(msgspec.structs.replace(item, gold=True) if self._gold else item)
                lines.append(entry.line)
                letters += len(msgspec.json.encode(item))
            if len(items) == most or letters > LETTERS:
                break
        return Batch(items, lines, self._adds_labels) if looked_at else None

    def _close_file(self) -> None:
        self._reading = None
        self._resources.close()
