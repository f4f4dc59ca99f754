"""The questions that one labeller holds: a few ahead, so that the next is there at once."""

import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple, Self

from askance.live.client import Client, ServiceFault
from askance.live.messages import Question

AHEAD = 3
CONFLICT = 409
RAN_OUT = "lease_expired"


class Held(NamedTuple):
    """A question, and when its lease began by our own clock."""

    question: Question
    since: float


class Desk:
    """Leases, answers and takes back; what is left at the end goes back to the others."""

    def __init__(self, client: Client, lease_seconds: float) -> None:
        self._client = client
        self._lease_seconds = lease_seconds
        self._held: deque[Held] = deque()
        self._fetcher = ThreadPoolExecutor(1)
        self._coming: Future[list[Held]] | None = None
        self._given: list[int] = []
        self.began = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(ServiceFault):  # a lease that cannot be given back runs out by itself
            self._arrive()
            for held in self._held:
                self._client.give_back(held.question)
        self._fetcher.shutdown()

    @property
    def given(self) -> int:
        """How many labels were given and not taken back."""
        return len(self._given)

    @property
    def rate(self) -> float:
        """Labels a minute."""
        return 60 * self.given / max(1.0, time.monotonic() - self.began)

    def question(self) -> Question | None:
        """The question to answer now, or None if nothing is to be asked."""
        while True:
            if not self._held:
                self._arrive()
            if not self._held:
                self._held.extend(self._lease(AHEAD))
            if not self._held:
                return None
            held = self._held[0]
            if time.monotonic() - held.since < self._lease_seconds / 2 or self._renew():
                return self._held[0].question

    def fetch_ahead(self) -> None:
        """Have the next questions come while this one is read."""
        if self._coming is None and len(self._held) < AHEAD:
            self._coming = self._fetcher.submit(self._lease, AHEAD - len(self._held))

    def label(self, label: str) -> str | None:
        """Answer the question; a sentence if somebody else did."""
        question = self._held[0].question
        try:
            self._client.label(question, label, question.lease)
        except ServiceFault as fault:
            if fault.code == RAN_OUT and self._renew():
                return self.label(label)
            if fault.status != CONFLICT:
                raise
            if self._held and self._held[0].question is question:
                self._held.popleft()
            return str(fault)
        self._held.popleft()
        self._given.append(question.item)
        return None

    def skip(self) -> None:
        """Leave the question to others, for good."""
        self._client.skip(self._held[0].question)
        self._held.popleft()

    def undo(self) -> bool:
        """Take the last label back and ask its question again; False if none was given here."""
        if not self._given:
            return False
        item = self._client.undo(self._given[-1]).item
        self._given.pop()
        self._held.extendleft(self._lease(1, item))
        return True

    def _lease(self, count: int, item: int | None = None) -> list[Held]:
        began = time.monotonic()
        items = None if item is None else [item]
        return [Held(question, began) for question in self._client.questions(count, items=items)]

    def _arrive(self) -> None:
        if self._coming is not None:
            coming, self._coming = self._coming, None
            self._held.extend(coming.result())

    def _renew(self) -> bool:
        """Lease the first question once more; if that cannot be, it is no longer ours."""
        item = self._held.popleft().question.item
        again = self._lease(1, item)
        self._held.extendleft(again)
        return bool(again)
