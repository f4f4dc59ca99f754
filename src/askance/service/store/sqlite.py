"""The store in an SQLite file."""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from askance.errors import StoreError
from askance.service.store.database import Connection, Database, Row
from askance.service.store.ownership import Ownership
from askance.service.store.schema import SQLITE, bring_up_to_date, check_version

WAIT = 10.0  # seconds to wait for a database that another connection has locked
FREED_AT_ONCE = 250  # pages per transaction, so that others never wait long


class SqliteConnection:
    """A connection to the file."""

    def __init__(self, path: Path, *, writes: bool) -> None:
        self.path = path
        with self._errors():
            self._connection = sqlite3.connect(
                f"file:{quote(str(path))}?mode=rw",
                uri=True,
                timeout=WAIT,
                isolation_level=None,
                check_same_thread=False,
            )
        try:
            self._set_up(writes=writes)
        except BaseException:
            self._connection.close()
            raise

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run a statement; return the number of rows that it changed."""
        with self._errors():
            return self._connection.execute(sql, values).rowcount

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """All rows of a query."""
        with self._errors():
            return self._connection.execute(sql, values).fetchall()

    def stream(self, sql: str, size: int) -> Iterator[list[Row]]:
        """The rows of a query in batches of this size, within a transaction."""
        with self._errors():
            cursor = self._connection.execute(sql)
            while rows := cursor.fetchmany(size):
                yield rows

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Add many rows to a table."""
        places = ", ".join("?" * len(columns))
        with self._errors():
            self._connection.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", rows)

    def usable(self) -> bool:
        """Whether it has no open transaction: a full disk may have ended it already."""
        return not self._connection.in_transaction

    def close(self) -> None:
        """Close it; what was not committed is rolled back."""
        self._connection.close()

    def _set_up(self, *, writes: bool) -> None:
        self.run("PRAGMA foreign_keys = ON")
        if not writes:
            self.run("PRAGMA query_only = ON")
            return
        self._refuse_stranger()
        self.run("PRAGMA auto_vacuum = INCREMENTAL")  # takes effect only in an empty file
        mode = self.rows("PRAGMA journal_mode = WAL")[0][0]
        if mode != "wal":
            raise StoreError(
                f"{self.path}: SQLite cannot use a write-ahead log here, as on many network file systems: use "
                "a local disk, or PostgreSQL"
            )
        self.run("PRAGMA synchronous = FULL")
        self.run("PRAGMA secure_delete = ON")  # what is deleted is overwritten; some builds of SQLite do not

    def _refuse_stranger(self) -> None:
        names = {name for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if names and "schema_version" not in names:
            raise StoreError(f"{self.path}: this database is not a store of askance: choose another file")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise _as_store_error(self.path, error) from error


class SqliteDatabase(Database):
    """An SQLite file with a write-ahead log: readers and the writer never wait for each other."""

    begin_writing = "BEGIN IMMEDIATE"

    def __init__(self, path: Path, *, own: bool) -> None:
        super().__init__(str(path), own=own)
        self._path = path.resolve()
        self._ownership: Ownership | None = None
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        if not self._own:
            if not self._path.is_file():
                raise StoreError(f"{self._path}: there is no store here: check the path")
            with self.reading() as connection:
                check_version(connection)
            return
        if not self._path.parent.is_dir():
            raise StoreError(f"{self._path.parent}: this directory does not exist: create it first")
        self._ownership = Ownership(self._path)
        with self.writing() as connection:
            bring_up_to_date(connection, SQLITE)

    def connect(self, *, writes: bool) -> SqliteConnection:
        """A new connection."""
        return SqliteConnection(self._path, writes=writes)

    def problems(self, connection: Connection) -> list[str]:
        """The problems that SQLite finds in the file."""
        found = [str(row[0]) for row in connection.rows("PRAGMA integrity_check")]
        orphans = connection.rows("PRAGMA foreign_key_check")
        return [
            *(line for line in found if line != "ok"),
            *(f"a row of {row[0]} has no {row[2]}" for row in orphans),
        ]

    def shrink(self) -> None:
        """Return free pages in small steps, so that the writer never waits long."""
        before, free = -1, -2
        while free and free != before:
            with self.writing() as connection:
                connection.rows(f"PRAGMA incremental_vacuum({FREED_AT_ONCE})")
                before, free = free, connection.rows("PRAGMA freelist_count")[0][0]

    def close(self) -> None:
        """Close all connections and release the ownership."""
        super().close()
        if self._ownership is not None:
            self._ownership.release()
            self._ownership = None


def settle(path: Path) -> None:
    """Turn a closed store into one plain file on disk, which can be moved and read without write access."""
    connection = SqliteConnection(path, writes=True)
    try:
        connection.rows("PRAGMA journal_mode = DELETE")
    finally:
        connection.close()
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _as_store_error(path: Path, error: Exception) -> StoreError:
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_FULL:
        return StoreError(f"{path}: the disk is full: free some space; nothing is lost", full=True)
    if code == sqlite3.SQLITE_NOTADB:
        return StoreError(f"{path}: this is not an SQLite file: choose another file")
    return StoreError(f"{path}: {error}")
