"""The database behind a store: connections for readers, and one for the writer."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from askance.errors import StoreError

Row = tuple[Any, ...]


class Connection(Protocol):
    """A connection in autocommit mode. All errors are StoreErrors; placeholders are question marks."""

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run a statement; return the number of rows that it changed."""

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """All rows of a query."""

    def stream(self, sql: str, size: int) -> Iterator[list[Row]]:
        """The rows of a query in batches of this size, within a transaction."""

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Add many rows to a table."""

    def usable(self) -> bool:
        """Whether it still works and has no open transaction."""

    def close(self) -> None:
        """Close it; what was not committed is rolled back."""


class Database(ABC):
    """A pool of connections that are opened on demand, and again after they were lost."""

    begin_writing = "BEGIN"
    begin_reading = "BEGIN"

    def __init__(self, name: str, *, own: bool) -> None:
        self.name = name
        self._own = own
        self._writing = threading.Lock()
        self._writer: Connection | None = None
        self._pool = threading.Lock()
        self._idle: list[Connection] = []
        self._closed = False
        self.full = False  # whether the last attempt to write found the disk full

    @abstractmethod
    def connect(self, *, writes: bool) -> Connection:
        """A new connection; the one that writes takes ownership of the store."""

    @abstractmethod
    def problems(self, connection: Connection) -> list[str]:
        """The problems that the database itself finds."""

    @abstractmethod
    def shrink(self) -> None:
        """Return free space to the file system."""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that no other thread uses."""
        connection = self._take()
        try:
            yield connection
        except BaseException:
            # Most likely all connections are lost: the next reader opens a new one.
            connection.close()
            self._close_idle()
            raise
        self._give_back(connection)

    @contextmanager
    def one_moment(self) -> Iterator[Connection]:
        """A connection that sees a snapshot of the database."""
        with self.reading() as connection:
            connection.run(self.begin_reading)
            yield connection
            connection.run("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The writer's connection, in a transaction that is on disk when the block ends."""
        with self._writing:
            connection = self._writer_now()
            try:
                connection.run(self.begin_writing)
                yield connection
                connection.run("COMMIT")
                self.full = False
            except BaseException as error:
                self.full = self.full or (isinstance(error, StoreError) and error.full)
                self._undo(connection)
                raise

    def close(self) -> None:
        """Close all connections and release the ownership."""
        self._closed = True
        self._close_idle()
        with self._writing:
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _writer_now(self) -> Connection:
        self._refuse_closed()
        if not self._own:
            raise StoreError(f"{self.name}: opened for reading only: it cannot be written to")
        if self._writer is None:
            self._writer = self.connect(writes=True)
        return self._writer

    def _undo(self, connection: Connection) -> None:
        """Roll back; a connection that cannot do that is replaced by the next writer."""
        try:
            if not connection.usable():
                connection.run("ROLLBACK")
        except StoreError:
            connection.close()
            self._writer = None

    def _take(self) -> Connection:
        self._refuse_closed()
        with self._pool:
            if self._idle:
                return self._idle.pop()
        return self.connect(writes=False)

    def _give_back(self, connection: Connection) -> None:
        with self._pool:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def _close_idle(self) -> None:
        with self._pool:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreError(f"{self.name}: the store is closed")
