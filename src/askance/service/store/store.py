"""The store: the journals and snapshots of all tasks, tokens, sessions and the audit log."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager

from askance.errors import StoreError
from askance.service.store import integrity
from askance.service.store.database import Connection, Database
from askance.service.store.entries import AuditRecord, Entry, SessionRecord, TaskRecord, TokenRecord
from askance.service.store.reader import Reader, slices
from askance.service.store.schema import TABLES


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

    def append(self, task: int, entries: Sequence[Entry], drop_from: int | None = None) -> None:
        """Append entries to the journal, all or none, and drop snapshots with seq >= drop_from."""
        with self._database.writing() as connection:
            _check_follows(connection, task, entries)
            connection.insert("journal", TABLES["journal"], [(task, *entry) for entry in entries])
            if drop_from is not None:
                connection.run("DELETE FROM snapshots WHERE task = ? AND seq >= ?", (task, drop_from))

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

    def add_token(self, token: TokenRecord) -> None:
        """Add a token."""
        _check_text(token.name)
        with self._database.writing() as connection:
            connection.insert("tokens", TABLES["tokens"], [token])

    def revoke_token(self, name: str, at: float) -> None:
        """Revoke a token; a second call changes nothing."""
        with self._database.writing() as connection:
            if not connection.run("UPDATE tokens SET revoked = COALESCE(revoked, ?) WHERE name = ?", (at, name)):
                raise StoreError(f"there is no token {name!r}")

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
            with self._database.writing() as connection:
                _rewrite(connection, task, {seq: bodies[seq] for seq in some})

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


def _rewrite(connection: Connection, task: int, bodies: Mapping[int, bytes]) -> None:
    """Delete rows and insert them again: SQLite frees a page only when its rows are deleted."""
    columns = TABLES["journal"]
    which = f"FROM journal WHERE task = ? AND seq IN ({', '.join('?' * len(bodies))})"
    rows = connection.rows(f"SELECT {', '.join(columns[:-1])} {which}", (task, *bodies))
    connection.run(f"DELETE {which}", (task, *bodies))
    connection.insert("journal", columns, [(*row, bodies[row[1]]) for row in rows])


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
