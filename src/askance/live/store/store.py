"""The store: every task's journal, its snapshots, and who may do what."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager

from askance.live.store import integrity
from askance.live.store.database import Connection, Database
from askance.live.store.entries import Entry, StoreFault, Task, Token
from askance.live.store.reader import Reader
from askance.live.store.schema import TABLES

COMPACTED_AT_ONCE = 500  # seqs in one transaction, so that the writer never waits long


class Store(Reader):
    """Reads from any thread, and writes from any thread, one at a time; every fault is a StoreFault.

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
                raise StoreFault(f"there is no task {id}")

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
                raise StoreFault(f"there is no token {name!r}")

    def set_setting(self, name: str, value: str | None) -> None:
        """Keep a value under a name; None forgets it."""
        with self._database.writing() as connection:
            connection.run("DELETE FROM settings WHERE name = ?", (name,))
            if value is not None:
                connection.insert("settings", TABLES["settings"], [(name, value)])

    def compact(self, task: int, before: int) -> int:
        """Empty the bodies of items with seq < before to which nothing else happened, and say of how many.

        The rows stay, so that seqs have no gaps, and `compacted` tells up to where they may be empty. It is done a
        little at a time, so that appending can go on. An SQLite file becomes smaller by the pages that are free
        now; in PostgreSQL autovacuum makes the room free for later entries.
        """
        self.set_setting(_compacted(task), str(max(before, self.compacted(task))))
        emptied = 0
        for start in range(0, before, COMPACTED_AT_ONCE):
            with self._database.writing() as connection:
                emptied += _empty(connection, task, start, min(start + COMPACTED_AT_ONCE, before))
        self._database.shrink()
        return emptied

    def compacted(self, task: int) -> int:
        """Items from this seq on have their bodies; 0 if all of them have."""
        return int(self.setting(_compacted(task)) or 0)

    def check(self) -> list[str]:
        """What is wrong with the store, a sentence each; none if all is well."""
        with self._database.one_moment() as connection:
            return self._database.complaints(connection) + integrity.complaints(connection)

    def reachable(self) -> None:
        """StoreFault unless the store answers."""
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


def _empty(connection: Connection, task: int, start: int, before: int) -> int:
    """Put rows without bodies in place of those with them: SQLite frees a page when its rows are deleted alone."""
    columns = TABLES["journal"]
    which = (
        "FROM journal WHERE task = ? AND seq >= ? AND seq < ? AND kind = 'item' AND body <> ? AND NOT EXISTS "
        "(SELECT 1 FROM journal AS other WHERE other.task = journal.task AND other.item = journal.seq "
        "AND other.kind <> 'item')"
    )
    values = (task, start, before, b"")
    rows = connection.rows(f"SELECT {', '.join(columns[:-1])} {which}", values)
    connection.run(f"DELETE {which}", values)
    connection.insert("journal", columns, [(*row, b"") for row in rows])
    return len(rows)


def _compacted(task: int) -> str:
    return f"compacted task {task}"


def _check_follows(connection: Connection, task: int, entries: Sequence[Entry]) -> None:
    """A journal without gaps is what replaying relies on."""
    last = connection.rows("SELECT COALESCE(MAX(seq), 0) FROM journal WHERE task = ?", (task,))[0][0]
    for expected, entry in enumerate(entries, last + 1):
        _check_text(entry.key)
        if entry.seq != expected:
            raise StoreFault(f"entry {entry.seq} cannot stand where entry {expected} of task {task} is next")


def _check_text(text: str | None) -> None:
    """One of the two databases would take it, and then it could not be moved to the other."""
    if text is not None and "\0" in text:
        raise StoreFault(f"{text!r} has a zero character, which no name or key may have: leave it out")
