"""The questions leased by one labeller: a few in advance, so that the next one is there at once."""

import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import Any, NamedTuple, Self

from askance.errors import ServiceError
from askance.service.client import Client
from askance.service.messages import Question

AHEAD = 3
CONFLICT = 409
LEASE_EXPIRED = "lease_expired"


class Held(NamedTuple):
    """A question, and when its lease began by the local clock."""

    question: Question
    since: float


class LeaseQueue:
    """Leases, answers and undoes; releases what is left at the end."""

    def __init__(self, client: Client, lease_seconds: float) -> None:
        self._client = client
        self._lease_seconds = lease_seconds
        self._held: deque[Held] = deque()
        self._on_lease: set[int] = set()  # all of them, also after an interruption
        self._fetcher = ThreadPoolExecutor(1)
        self._fetcher.submit(int)  # starts the thread now: Ctrl-C while it starts would leave it running
        self._coming: Future[list[Held]] | None = None
        self._given: list[int] = []
        self.began = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._fetcher.shutdown()  # leases under way are released too
        for item in list(self._on_lease):
            with suppress(ServiceError):  # a lease that cannot be released expires
                self._client.return_question(item)

    @property
    def given(self) -> int:
        """The number of labels given and not undone."""
        return len(self._given)

    @property
    def rate(self) -> float:
        """Labels per minute."""
        return 60 * self.given / max(1.0, time.monotonic() - self.began)

    def question(self) -> Question | None:
        """The question to answer now, or None if there is none."""
        while True:
            if not self._held:
                self._arrive()
            if not self._held:
                self._held.extend(self._lease(AHEAD))
            if not self._held:
                return None
            if time.monotonic() - self._held[0].since < self._lease_seconds / 2 or self._renew():
                return self._held[0].question
            self._done()  # somebody else has leased it

    def fetch_ahead(self) -> None:
        """Request the next questions while this one is being read."""
        if self._coming is None and len(self._held) < AHEAD:
            self._coming = self._fetcher.submit(self._lease, AHEAD - len(self._held))

    def label(self, label: str) -> str | None:
        """Answer the question; returns a message if somebody else did before."""
        conflict = self._label(label)
        if conflict is not None and conflict.code == LEASE_EXPIRED and self._renew():
            conflict = self._label(label)
        question = self._done()
        if conflict is None:
            self._given.append(question.item)
        return None if conflict is None else str(conflict)

    def skip(self) -> None:
        """Leave the question to others."""
        _unless_conflict(lambda: self._client.skip(self._held[0].question))
        self._done()

    def undo(self) -> bool:
        """Undo the last label and ask its question again; False if none was given here."""
        if not self._given:
            return False
        item = self._client.undo(self._given[-1]).item
        self._given.pop()
        self._held.extendleft(self._lease(1, item))
        return True

    def _label(self, label: str) -> ServiceError | None:
        question = self._held[0].question
        return _unless_conflict(lambda: self._client.label(question, label, question.lease))

    def _lease(self, count: int, item: int | None = None) -> list[Held]:
        began = time.monotonic()
        questions = self._client.questions(count, items=None if item is None else [item])
        self._on_lease.update(question.item for question in questions)
        return [Held(question, began) for question in questions]

    def _done(self) -> Question:
        question = self._held.popleft().question
        self._on_lease.discard(question.item)
        return question

    def _arrive(self) -> None:
        if self._coming is not None:
            coming, self._coming = self._coming, None
            self._held.extend(coming.result())

    def _renew(self) -> bool:
        """Lease the first question again, if nobody else has it."""
        item = self._held[0].question.item
        again: list[Held] = []
        if _unless_conflict(lambda: again.extend(self._lease(1, item))) is None:
            self._held[0] = again[0]
        return bool(again)


def _unless_conflict(work: Callable[[], Any]) -> ServiceError | None:
    """Do the work; returns the error if somebody else was faster."""
    try:
        work()
    except ServiceError as error:
        if error.status != CONFLICT:
            raise
        return error
    return None
