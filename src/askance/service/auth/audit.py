"""The audit log: who signed in, changed or exported what. The authors of labels are in the journal."""

import time
from collections.abc import Callable, Iterator

import msgspec

from askance.service import messages
from askance.service.store import AuditRecord, Store

LONGEST_DETAIL = 500
AT_ONCE = 100  # entries per page


class AuditLog:
    """The audit log of a service."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._clock = clock

    def record(
        self,
        who: str | None,
        action: str,
        *,
        task: str | None = None,
        subject: str | None = None,
        detail: str | None = None,
    ) -> None:
        """Add an entry; it is on disk when this returns."""
        detail = None if detail is None else detail[:LONGEST_DETAIL]
        self._store.add_audit_record(AuditRecord(0, self._clock(), who, action, task, subject, detail))

    def page(self, request: messages.AuditRequest) -> messages.AuditPage:
        """The newest entries, or the newest before a given one."""
        found = self._store.audit_records(
            AT_ONCE + 1, request.before or None, request.who or None, request.task or None
        )
        return messages.AuditPage([_entry(record) for record in found[:AT_ONCE]], len(found) > AT_ONCE)

    def lines(self, request: messages.AuditRequest) -> Iterator[bytes]:
        """All entries as JSON lines, the newest first."""
        before = request.before or None
        while found := self._store.audit_records(AT_ONCE, before, request.who or None, request.task or None):
            yield b"".join(msgspec.json.encode(_entry(record)) + b"\n" for record in found)
            before = found[-1].seq


def _entry(record: AuditRecord) -> messages.AuditEntry:
    return messages.AuditEntry(*record)
