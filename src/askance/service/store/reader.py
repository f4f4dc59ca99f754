"""The read side of a store; usable from any thread."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from askance.errors import StoreError
from askance.service.store.database import Connection
from askance.service.store.entries import (
    AuditRecord,
    Entry,
    LinkRecord,
    SessionRecord,
    TaskRecord,
    TokenRecord,
    WebhookRecord,
    checksum,
)
from askance.service.store.schema import TABLES, unsealed_name

SLICE = 100  # values per query: with 500, PostgreSQL scans the whole task while a table is new

COLUMNS = "seq, at, kind, item, key, who, body"


class Reader:
    """Reads through connections from a pool."""

    def __init__(self, reading: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._reading = reading

    def tasks(self) -> list[TaskRecord]:
        """All tasks, the oldest first."""
        return [
            TaskRecord(*row) for row in self._rows("SELECT id, name, settings, created FROM tasks ORDER BY id")
        ]

    def entries(
        self,
        task: int,
        after: int = 0,
        upto: int | None = None,
        kinds: Collection[str] | None = None,
        batch: int = 2000,
        *,
        verified: bool = False,
    ) -> Iterator[list[Entry]]:
        """The entries with after < seq <= upto in order, in batches; no connection is held between batches.

        With `verified`, StoreError if one of them does not match its checksum.
        """
        upto = self.last(task) if upto is None else upto
        of_kinds = "" if kinds is None else f" AND kind IN ({_places(kinds)})"
        sql = (
            f"SELECT {COLUMNS}, checksum FROM journal WHERE task = ? AND seq > ? AND seq <= ?{of_kinds} "
            "ORDER BY seq LIMIT ?"
        )
        if kinds is not None and not kinds:
            return
        read = self.verifier(task) if verified else _without_checksum
        while after < upto:
            found = [read(row) for row in self._rows(sql, (task, after, upto, *(kinds or ()), batch))]
            if found:
                yield found
            if len(found) < batch:
                return
            after = found[-1].seq

    def newest(self, task: int, before: int | None, kinds: Collection[str], batch: int) -> Iterator[list[Entry]]:
        """The entries of some kinds, the newest first, optionally before a seq, in batches."""
        sql = (
            f"SELECT {COLUMNS} FROM journal WHERE task = ? AND seq < ? AND kind IN ({_places(kinds)}) "
            "ORDER BY seq DESC LIMIT ?"
        )
        before = self.last(task) + 1 if before is None else before
        while found := self._entries(sql, (task, before, *kinds, batch)):
            yield found
            before = found[-1].seq

    def at(self, task: int, seqs: Collection[int], *, verified: bool = False) -> dict[int, Entry]:
        """The entries with these seqs that exist. With `verified`, StoreError if a checksum does not match."""
        found: dict[int, Entry] = {}
        read = self.verifier(task) if verified and seqs else _without_checksum
        for some in slices(seqs):
            sql = f"SELECT {COLUMNS}, checksum FROM journal WHERE task = ? AND seq IN ({_places(some)})"
            found.update((row[0], read(row)) for row in self._rows(sql, (task, *some)))
        return found

    def verifier(self, task: int) -> Callable[[tuple[Any, ...]], Entry]:
        """A function that makes an entry of a row with its checksum; StoreError if the two do not match."""
        unsealed = int(self.setting(unsealed_name(task)) or 0)

        def verified(row: tuple[Any, ...]) -> Entry:
            entry, expected = Entry(*row[:-1]), row[-1]
            if expected != checksum(task, entry) and (expected is not None or entry.seq > unsealed):
                raise StoreError(f"entry {entry.seq} does not match its checksum: restore a backup")
            return entry

        return verified

    def of_item(self, task: int, item: int) -> list[Entry]:
        """The item and all entries about it, in order."""
        return self._entries(
            f"SELECT {COLUMNS} FROM journal WHERE task = ? AND seq = ? AND kind = 'item' UNION ALL "
            f"SELECT {COLUMNS} FROM journal WHERE task = ? AND item = ? AND kind <> 'item' ORDER BY seq",
            (task, item, task, item),
        )

    def about(
        self, task: int, items: Collection[int], kind: str | None = None, *, verified: bool = False
    ) -> dict[int, list[Entry]]:
        """All entries about each of these items, in order; an item that was not asked about has none.

        With a `kind`, only those of that kind. With `verified`, StoreError if a checksum does not match.
        """
        found: dict[int, list[Entry]] = {item: [] for item in items}
        read = self.verifier(task) if verified and items else _without_checksum
        of_kind = "" if kind is None else " AND kind = ?"
        for some in slices(items):
            # In the order of the index: for that of the entries alone, SQLite reads the whole journal.
            sql = (
                f"SELECT {COLUMNS}, checksum FROM journal WHERE task = ? AND item IN ({_places(some)}) "
                f"AND kind <> 'item'{of_kind} ORDER BY item, seq"
            )
            for entry in map(read, self._rows(sql, (task, *some, *([kind] if kind else [])))):
                found[entry.item or 0].append(entry)
        return found

    def by_key(self, task: int, kind: str, keys: Collection[str]) -> dict[str, Entry]:
        """The entries of one kind that have these keys."""
        seqs: list[int] = []
        for some in slices(keys):
            # One key at a time inside the query: with many, PostgreSQL scans the whole task while a table is new.
            wanted = ", ".join(["(?)"] * len(some))
            sql = (
                f"WITH wanted (key) AS (VALUES {wanted}) SELECT (SELECT seq FROM journal "
                "WHERE task = ? AND kind = ? AND key = wanted.key) FROM wanted"
            )
            seqs += [seq for (seq,) in self._rows(sql, (*some, task, kind)) if seq is not None]
        return {entry.key: entry for entry in self.at(task, seqs).values() if entry.key is not None}

    def last(self, task: int) -> int:
        """The seq of the last entry; 0 if there is none."""
        return int(self._rows("SELECT COALESCE(MAX(seq), 0) FROM journal WHERE task = ?", (task,))[0][0])

    def first_since(self, task: int, at: float) -> int | None:
        """The seq of the first entry that is not older; None if all are. Clocks go back, so all are looked at."""
        found = self._rows("SELECT MIN(seq) FROM journal WHERE task = ? AND at >= ?", (task, at))[0][0]
        return None if found is None else int(found)

    def image(self, task: int, name: str) -> bytes | None:
        """The image with that name."""
        rows = self._rows("SELECT content FROM images WHERE task = ? AND name = ?", (task, name))
        return bytes(rows[0][0]) if rows else None

    def snapshot(self, task: int, before: int | None = None) -> tuple[int, bytes] | None:
        """The newest snapshot, optionally before a seq."""
        older, values = ("", (task,)) if before is None else (" AND seq < ?", (task, before))
        sql = f"SELECT seq, content FROM snapshots WHERE task = ?{older} ORDER BY seq DESC LIMIT 1"
        rows = self._rows(sql, values)
        return (rows[0][0], rows[0][1]) if rows else None

    def snapshot_seqs(self, task: int) -> list[int]:
        """The seqs of the snapshots, in order."""
        return [row[0] for row in self._rows("SELECT seq FROM snapshots WHERE task = ? ORDER BY seq", (task,))]

    def tokens(self) -> list[TokenRecord]:
        """All tokens, including revoked ones, the oldest first."""
        sql = f"SELECT {', '.join(TABLES['tokens'])} FROM tokens ORDER BY created, name"
        return [TokenRecord(*row) for row in self._rows(sql)]

    def token_by_digest(self, digest: bytes) -> TokenRecord | None:
        """The token with this digest, or None."""
        sql = f"SELECT {', '.join(TABLES['tokens'])} FROM tokens WHERE digest = ?"
        rows = self._rows(sql, (digest,))
        return TokenRecord(*rows[0]) if rows else None

    def link(self, digest: bytes) -> LinkRecord | None:
        """The link with this digest, or None."""
        rows = self._rows(f"SELECT {', '.join(TABLES['links'])} FROM links WHERE digest = ?", (digest,))
        return LinkRecord(*rows[0]) if rows else None

    def sessions(self) -> list[SessionRecord]:
        """All sessions, the oldest first."""
        sql = "SELECT digest, number, name, created, seen, until, agent FROM sessions ORDER BY created, number"
        return [SessionRecord(*row) for row in self._rows(sql)]

    def webhooks(self) -> list[WebhookRecord]:
        """The webhooks of all tasks, the oldest first."""
        sql = (
            "SELECT id, task, url, secret, events, position, failures, error, disabled, created FROM webhooks "
            "ORDER BY id"
        )
        return [WebhookRecord(*row) for row in self._rows(sql)]

    def audit_records(
        self, limit: int, before: int | None = None, who: str | None = None, task: str | None = None
    ) -> list[AuditRecord]:
        """The newest audit records, optionally before a seq, of one person or of one task."""
        wanted = {"seq <": before, "who =": who, "task_name =": task}
        given = {test: value for test, value in wanted.items() if value is not None}
        where = f" WHERE {' AND '.join(f'{test} ?' for test in given)}" if given else ""
        sql = (
            f"SELECT seq, at, who, action, task_name, subject, detail FROM audit{where} ORDER BY seq DESC LIMIT ?"
        )
        return [AuditRecord(*row) for row in self._rows(sql, (*given.values(), limit))]

    def setting(self, name: str) -> str | None:
        """The setting with this name, or None."""
        rows = self._rows("SELECT value FROM settings WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else None

    def _entries(self, sql: str, values: Sequence[Any]) -> list[Entry]:
        return [Entry(*row) for row in self._rows(sql, values)]

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._reading() as connection:
            return connection.rows(sql, values)


def _without_checksum(row: tuple[Any, ...]) -> Entry:
    return Entry(*row[:-1])


def _places(values: Collection[Any]) -> str:
    return ", ".join("?" * len(values))


def slices(values: Collection[Any]) -> Iterator[list[Any]]:
    """The distinct values, in slices."""
    distinct = list(dict.fromkeys(values))
    for start in range(0, len(distinct), SLICE):
        yield distinct[start : start + SLICE]
