"""Items and labels per second."""

from collections import deque
from collections.abc import Iterable

from askance.service.state import journal
from askance.service.store.entries import Entry

WINDOW = 10.0  # seconds


class Throughput:
    """The counts of the last seconds, since the service started. They are not part of the fold."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int, int]] = deque()

    def note(self, now: float, entries: Iterable[Entry]) -> None:
        """Count what was committed."""
        kinds = [entry.kind for entry in entries]
        items = kinds.count(journal.ITEM) + kinds.count(journal.QUESTION)
        self._seen.append((now, items, kinds.count(journal.LABEL)))
        self._forget(now)

    def rates(self, now: float) -> tuple[float, float]:
        """Items and labels per second."""
        self._forget(now)
        return sum(items for _, items, _ in self._seen) / WINDOW, sum(labels for *_, labels in self._seen) / WINDOW

    def _forget(self, now: float) -> None:
        while self._seen and self._seen[0][0] < now - WINDOW:
            self._seen.popleft()
