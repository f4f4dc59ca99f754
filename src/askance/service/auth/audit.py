"""The trail of deeds: who signed in, who changed or took away what. Labels have their authors in the journal."""

import time
from collections.abc import Callable, Iterator

import msgspec

from askance.service import messages
from askance.service.store import Deed, Store

LONGEST_DETAIL = 500
AT_ONCE = 100  # deeds in one answer


class Deeds:
    """The trail of a service."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock

    def note(
        self,
        who: str | None,
        deed: str,
        *,
        task: str | None = None,
        subject: str | None = None,
        detail: str | None = None,
    ) -> None:
        """Write a deed down; it is on disk when this returns."""
        detail = None if detail is None else detail[:LONGEST_DETAIL]
        self._store.add_deed(Deed(0, self._clock(), who, deed, task, subject, detail))

    def page(self, wish: messages.DeedsWish) -> messages.DeedsTold:
        """The newest deeds, or those before one that was told already."""
        found = self._store.deeds(AT_ONCE + 1, wish.before or None, wish.who or None, wish.task or None)
        return messages.DeedsTold([_told(deed) for deed in found[:AT_ONCE]], len(found) > AT_ONCE)

    def lines(self, wish: messages.DeedsWish) -> Iterator[bytes]:
        """All of them as JSON lines, the newest first."""
        before = wish.before or None
        while found := self._store.deeds(AT_ONCE, before, wish.who or None, wish.task or None):
            yield b"".join(msgspec.json.encode(_told(deed)) + b"\n" for deed in found)
            before = found[-1].seq


def _told(deed: Deed) -> messages.DeedTold:
    return messages.DeedTold(*deed)
