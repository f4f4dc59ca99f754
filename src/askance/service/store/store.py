"""The store: the journals and snapshots of all tasks, tokens, sessions and the audit log."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Any

from askance.errors import StoreError
from askance.service.store import integrity
from askance.service.store.database import Connection, Database
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
from askance.service.store.reader import Reader, slices
from askance.service.store.schema import TABLES

ROOM, ROOM_NEEDED = "room on the disk", 100_000  # a setting that is written and deleted, and its size


class Store(Reader):
    """A store that any thread may read from and write to; all errors are StoreErrors.

    When a writing method returns, its changes are on disk. After an error nothing was changed, unless the
    connection was lost during the commit: then read the store again to find out.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database.reading)
        self._database = database

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_task(self, name: str, settings: bytes, at: float) -> TaskRecord:
        """Add a task."""
        _check_text(name)
        with self._database.writing() as connection:
            identity = connection.rows("SELECT COALESCE(MAX(id), 0) + 1 FROM tasks")[0][0]
            task = TaskRecord(identity, name, settings, at)
            connection.insert("tasks", TABLES["tasks"], [task])
        return task

    def set_task(self, id: int, settings: bytes) -> None:  # noqa: A002 - the column name
        """Replace the settings of a task."""
        with self._database.writing() as connection:
            if not connection.run("UPDATE tasks SET settings = ? WHERE id = ?", (settings, id)):
                raise StoreError(f"there is no task {id}")

    def append(
        self,
        task: int,
        entries: Sequence[Entry],
        drop_from: int | None = None,
        images: Mapping[str, bytes] = MappingProxyType({}),
        *,
        replaced: Sequence[Entry] = (),
        drop_images: Collection[str] = (),
    ) -> None:
        """Append entries and their images, all or none, and drop snapshots with seq >= drop_from.

        The `replaced` entries take the places of those with the same numbers, and the images that are to be
        dropped go, in the same transaction.
        """
        with self._database.writing() as connection:
            _check_follows(connection, task, entries)
            for some in slices(replaced):
                _replace(connection, task, some)
            _drop_images(connection, task, drop_images)
            for name, content in images.items():
                connection.run(
                    "INSERT INTO images (task, name, content) VALUES (?, ?, ?) "
                    "ON CONFLICT (task, name) DO NOTHING",
                    (task, name, content),
                )
            connection.insert("journal", TABLES["journal"], [_row(task, entry) for entry in entries])
            if drop_from is not None:
                connection.run("DELETE FROM snapshots WHERE task = ? AND seq >= ?", (task, drop_from))

    def drop_images(self, task: int, names: Collection[str]) -> None:
        """Delete these images."""
        with self._database.writing() as connection:
            _drop_images(connection, task, names)

    def add_snapshot(self, task: int, seq: int, content: bytes) -> None:
        """Add or replace the snapshot after the entry seq."""
        with self._database.writing() as connection:
            connection.run(
                "INSERT INTO snapshots (task, seq, content) VALUES (?, ?, ?) "
                "ON CONFLICT (task, seq) DO UPDATE SET content = excluded.content",
                (task, seq, content),
            )

    def drop_snapshots(self, task: int, seqs: Collection[int]) -> None:
        """Delete these snapshots."""
        with self._database.writing() as connection:
            for seq in seqs:
                connection.run("DELETE FROM snapshots WHERE task = ? AND seq = ?", (task, seq))

    def add_token(self, token: TokenRecord, in_exchange: tuple[str, str] | None = None) -> bool:
        """Add a token and return True; in exchange for a setting, only if that still has this value."""
        _check_text(token.name)
        with self._database.writing() as connection:
            if in_exchange is not None and not connection.run(
                "DELETE FROM settings WHERE name = ? AND value = ?", in_exchange
            ):
                return False
            connection.insert("tokens", TABLES["tokens"], [token])
        return True

    def set_token(self, token: TokenRecord) -> None:
        """Replace all of a token but its name."""
        columns = [column for column in TABLES["tokens"] if column != "name"]
        sql = f"UPDATE tokens SET {', '.join(f'{column} = ?' for column in columns)} WHERE name = ?"
        values = token._asdict()
        with self._database.writing() as connection:
            if not connection.run(sql, (*(values[column] for column in columns), token.name)):
                raise StoreError(f"there is no token {token.name!r}")

    def add_link(self, link: LinkRecord, forget_before: float) -> None:
        """Add a link, and delete those that ended before a time."""
        with self._database.writing() as connection:
            connection.run("DELETE FROM links WHERE until < ?", (forget_before,))
            connection.insert("links", TABLES["links"], [link])

    def use_link(self, digest: bytes, at: float) -> bool:
        """Use a link; False if it was used before."""
        with self._database.writing() as connection:
            return bool(
                connection.run("UPDATE links SET used = ? WHERE digest = ? AND used IS NULL", (at, digest))
            )

    def drop_links(self, name: str) -> None:
        """Delete the links of a token that were not used."""
        with self._database.writing() as connection:
            connection.run("DELETE FROM links WHERE name = ? AND used IS NULL", (name,))

    def add_session(self, session: SessionRecord, instead_of: Collection[int] = ()) -> None:
        """Add a session, and delete those with the other numbers."""
        _check_text(session.agent)
        with self._database.writing() as connection:
            _drop_sessions(connection, instead_of)
            connection.insert("sessions", TABLES["sessions"], [session])

    def touch_session(self, number: int, at: float) -> None:
        """Set the time of the last use of a session."""
        with self._database.writing() as connection:
            connection.run("UPDATE sessions SET seen = ? WHERE number = ?", (at, number))

    def drop_sessions(self, numbers: Collection[int]) -> None:
        """Delete these sessions."""
        with self._database.writing() as connection:
            _drop_sessions(connection, numbers)

    def add_webhook(self, webhook: WebhookRecord) -> WebhookRecord:
        """Add a webhook; its id is set to the next one."""
        for text in (webhook.url, webhook.events):
            _check_text(text)
        with self._database.writing() as connection:
            identity = connection.rows("SELECT COALESCE(MAX(id), 0) + 1 FROM webhooks")[0][0]
            webhook = webhook._replace(id=identity)
            connection.insert("webhooks", TABLES["webhooks"], [webhook])
        return webhook

    def set_webhook(self, webhook: WebhookRecord) -> None:
        """Write how far a webhook is, and whether it fails."""
        with self._database.writing() as connection:
            # The thread of one that was removed may end later, and the next one that is added has its id.
            same = (webhook.id, webhook.task, webhook.created)
            connection.run(
                "UPDATE webhooks SET position = ?, failures = ?, error = ?, disabled = ? "
                "WHERE id = ? AND task = ? AND created = ?",
                (webhook.position, webhook.failures, webhook.error, webhook.disabled, *same),
            )

    def drop_webhook(self, id: int) -> None:  # noqa: A002 - the column name
        """Delete a webhook."""
        with self._database.writing() as connection:
            connection.run("DELETE FROM webhooks WHERE id = ?", (id,))

    def add_audit_record(self, record: AuditRecord) -> None:
        """Add an audit record; its seq is set to the next one."""
        for text in record[2:]:
            _check_text(text)
        with self._database.writing() as connection:
            seq = connection.rows("SELECT COALESCE(MAX(seq), 0) + 1 FROM audit")[0][0]
            connection.insert("audit", TABLES["audit"], [record._replace(seq=seq)])

    def set_setting(self, name: str, value: str | None) -> None:
        """Set a setting; None deletes it."""
        with self._database.writing() as connection:
            connection.run("DELETE FROM settings WHERE name = ?", (name,))
            if value is not None:
                connection.insert("settings", TABLES["settings"], [(name, value)])

    def rewrite(self, task: int, bodies: Mapping[int, bytes]) -> None:
        """Replace the bodies of these entries, a few per transaction, so that others can append."""
        for some in slices(bodies):
            entries = self.at(task, some).values()
            with self._database.writing() as connection:
                _replace(connection, task, [entry._replace(body=bodies[entry.seq]) for entry in entries])

    def shrink(self) -> None:
        """Return free space: an SQLite file shrinks; PostgreSQL does this by itself."""
        self._database.shrink()

    def check(self) -> list[str]:
        """The problems of the store, one sentence each; empty if there are none."""
        with self._database.one_moment() as connection:
            return self._database.problems(connection) + integrity.problems(connection)

    def reachable(self) -> None:
        """Raise StoreError if the store does not answer."""
        self._rows("SELECT version FROM schema_version")

    def check_room(self) -> None:
        """Raise StoreError if the disk was full at the last write and still is."""
        if self._database.full:
            self.set_setting(ROOM, "0" * ROOM_NEEDED)
            self.set_setting(ROOM, None)

    def one_moment(self) -> AbstractContextManager[Connection]:
        """A connection that sees a snapshot of the store."""
        return self._database.one_moment()

    def writing(self) -> AbstractContextManager[Connection]:
        """A connection in a transaction that is on disk when the block ends."""
        return self._database.writing()

    def close(self) -> None:
        """Close all connections and release the ownership."""
        self._database.close()


def _drop_sessions(connection: Connection, numbers: Collection[int]) -> None:
    for number in numbers:
        connection.run("DELETE FROM sessions WHERE number = ?", (number,))


def _replace(connection: Connection, task: int, entries: Sequence[Entry]) -> None:
    """Delete rows and insert them again: SQLite frees a page only when its rows are deleted."""
    seqs = [entry.seq for entry in entries]
    connection.run(f"DELETE FROM journal WHERE task = ? AND seq IN ({', '.join('?' * len(seqs))})", (task, *seqs))
    connection.insert("journal", TABLES["journal"], [_row(task, entry) for entry in entries])


def _drop_images(connection: Connection, task: int, names: Collection[str]) -> None:
    for name in names:
        connection.run("DELETE FROM images WHERE task = ? AND name = ?", (task, name))


def _row(task: int, entry: Entry) -> tuple[Any, ...]:
    try:
        return (task, *entry, checksum(task, entry))
    except (TypeError, UnicodeError, OverflowError) as error:
        raise StoreError(f"entry {entry.seq} cannot be stored: {error}") from error


def _check_follows(connection: Connection, task: int, entries: Sequence[Entry]) -> None:
    """Refuse gaps: replaying relies on a journal without them."""
    last = connection.rows("SELECT COALESCE(MAX(seq), 0) FROM journal WHERE task = ?", (task,))[0][0]
    for expected, entry in enumerate(entries, last + 1):
        _check_text(entry.key)
        if entry.seq != expected:
            raise StoreError(f"journal gap in task {task}: expected seq {expected}, got {entry.seq}")


def _check_text(text: str | None) -> None:
    """Refuse what only one of the two databases accepts: such a store could not be moved."""
    if text is not None and "\0" in text:
        raise StoreError(f"{text!r} contains a zero character, which names and keys must not have: leave it out")
