"""The store: every task's journal, its snapshots, and who may do what."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager

from askance.errors import StoreError
from askance.service.store import integrity
from askance.service.store.database import Connection, Database
from askance.service.store.entries import Deed, Entry, Session, Task, Token
from askance.service.store.reader import Reader, slices
from askance.service.store.schema import TABLES


class Store(Reader):
    """Reads from any thread, and writes from any thread, one at a time; every fault is a StoreError.

    What a writing method did is on disk when it returns, all of it or, after a fault, none. Only when the
    connection was lost during the commit itself does nobody know: look into the store again.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database.reading)
        self._database = database

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add_task(self, name: str, settings: bytes, at: float) -> Task:
        """A new task."""
        _check_text(name)
        with self._database.writing() as connection:
            identity = connection.rows("SELECT COALESCE(MAX(id), 0) + 1 FROM tasks")[0][0]
            task = Task(identity, name, settings, at)
            connection.insert("tasks", TABLES["tasks"], [task])
        return task

    def set_task(self, id: int, settings: bytes) -> None:  # noqa: A002 - the word of the table
        """Other settings for a task."""
        with self._database.writing() as connection:
            if not connection.run("UPDATE tasks SET settings = ? WHERE id = ?", (settings, id)):
                raise StoreError(f"there is no task {id}")

    def append(self, task: int, entries: Sequence[Entry], drop_from: int | None = None) -> None:
        """Put entries at the end of the journal, all or none; snapshots with seq >= drop_from go with it."""
        with self._database.writing() as connection:
            _check_follows(connection, task, entries)
            connection.insert("journal", TABLES["journal"], [(task, *entry) for entry in entries])
            if drop_from is not None:
                connection.run("DELETE FROM snapshots WHERE task = ? AND seq >= ?", (task, drop_from))

    def add_snapshot(self, task: int, seq: int, content: bytes) -> None:
        """Keep the state after the entry seq, in place of an earlier snapshot of it."""
        with self._database.writing() as connection:
            connection.run(
                "INSERT INTO snapshots (task, seq, content) VALUES (?, ?, ?) "
                "ON CONFLICT (task, seq) DO UPDATE SET content = excluded.content",
                (task, seq, content),
            )

    def drop_snapshots(self, task: int, seqs: Collection[int]) -> None:
        """Forget these snapshots."""
        with self._database.writing() as connection:
            for seq in seqs:
                connection.run("DELETE FROM snapshots WHERE task = ? AND seq = ?", (task, seq))

    def add_token(self, token: Token) -> None:
        """A new token."""
        _check_text(token.name)
        with self._database.writing() as connection:
            connection.insert("tokens", TABLES["tokens"], [token])

    def revoke_token(self, name: str, at: float) -> None:
        """From this time on the token is worth nothing; a second time changes nothing."""
        with self._database.writing() as connection:
            if not connection.run("UPDATE tokens SET revoked = COALESCE(revoked, ?) WHERE name = ?", (at, name)):
                raise StoreError(f"there is no token {name!r}")

    def add_session(self, session: Session, instead_of: Collection[int] = ()) -> None:
        """A new session; those with the other numbers are forgotten."""
        _check_text(session.agent)
        with self._database.writing() as connection:
            _drop_sessions(connection, instead_of)
            connection.insert("sessions", TABLES["sessions"], [session])

    def see_session(self, number: int, at: float) -> None:
        """When the session was last used; one that has ended stays so."""
        with self._database.writing() as connection:
            connection.run("UPDATE sessions SET seen = ? WHERE number = ?", (at, number))

    def drop_sessions(self, numbers: Collection[int]) -> None:
        """Forget these sessions."""
        with self._database.writing() as connection:
            _drop_sessions(connection, numbers)

    def add_deed(self, deed: Deed) -> None:
        """A new line at the end of the trail; its seq is the next one, whatever the deed says."""
        for text in deed[2:]:
            _check_text(text)
        with self._database.writing() as connection:
            seq = connection.rows("SELECT COALESCE(MAX(seq), 0) + 1 FROM deeds")[0][0]
            connection.insert("deeds", TABLES["deeds"], [deed._replace(seq=seq)])

    def set_setting(self, name: str, value: str | None) -> None:
        """Keep a value under a name; None forgets it."""
        with self._database.writing() as connection:
            connection.run("DELETE FROM settings WHERE name = ?", (name,))
            if value is not None:
                connection.insert("settings", TABLES["settings"], [(name, value)])

    def rewrite(self, task: int, bodies: Mapping[int, bytes]) -> None:
        """Other bodies for these entries, and nothing else; a few at a time, so that appending goes on."""
        for some in slices(bodies):
            with self._database.writing() as connection:
                _rewrite(connection, task, {seq: bodies[seq] for seq in some})

    def shrink(self) -> None:
        """Give room that has become free back: an SQLite file becomes smaller; PostgreSQL does so by itself."""
        self._database.shrink()

    def check(self) -> list[str]:
        """What is wrong with the store, a sentence each; none if all is well."""
        with self._database.one_moment() as connection:
            return self._database.complaints(connection) + integrity.complaints(connection)

    def reachable(self) -> None:
        """StoreError unless the store answers."""
        self._rows("SELECT version FROM schema_version")

    def one_moment(self) -> AbstractContextManager[Connection]:
        """A connection that sees the store as it is now, whatever is appended meanwhile."""
        return self._database.one_moment()

    def writing(self) -> AbstractContextManager[Connection]:
        """A connection in a transaction that is on disk when the block ends."""
        return self._database.writing()

    def close(self) -> None:
        """Close all connections, and give up ownership."""
        self._database.close()


def _drop_sessions(connection: Connection, numbers: Collection[int]) -> None:
    for number in numbers:
        connection.run("DELETE FROM sessions WHERE number = ?", (number,))


def _rewrite(connection: Connection, task: int, bodies: Mapping[int, bytes]) -> None:
    """Delete rows and put them back: SQLite frees a page only when its rows are deleted."""
    columns = TABLES["journal"]
    which = f"FROM journal WHERE task = ? AND seq IN ({', '.join('?' * len(bodies))})"
    rows = connection.rows(f"SELECT {', '.join(columns[:-1])} {which}", (task, *bodies))
    connection.run(f"DELETE {which}", (task, *bodies))
    connection.insert("journal", columns, [(*row, bodies[row[1]]) for row in rows])


def _check_follows(connection: Connection, task: int, entries: Sequence[Entry]) -> None:
    """A journal without gaps is what replaying relies on."""
    last = connection.rows("SELECT COALESCE(MAX(seq), 0) FROM journal WHERE task = ?", (task,))[0][0]
    for expected, entry in enumerate(entries, last + 1):
        _check_text(entry.key)
        if entry.seq != expected:
            raise StoreError(f"entry {entry.seq} cannot stand where entry {expected} of task {task} is next")


def _check_text(text: str | None) -> None:
    """One of the two databases would take it, and then it could not be moved to the other."""
    if text is not None and "\0" in text:
        raise StoreError(f"{text!r} has a zero character, which no name or key may have: leave it out")
