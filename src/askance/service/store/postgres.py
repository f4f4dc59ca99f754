"""The store in a PostgreSQL database."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from askance.errors import StoreError
from askance.service.store.database import Connection, Database, Row
from askance.service.store.schema import POSTGRES, bring_up_to_date, check_version

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.pq import TransactionStatus
except ImportError as error:
    raise ImportError("a PostgreSQL store needs psycopg: pip install 'askance[postgres]'") from error

OWNED = 0x41534B41  # the first half of the name of the advisory lock: "ASKA"
OWNER_LEAVES = 1.0  # seconds: the server needs a moment to notice that an owner was killed

# A lost server is noticed within half a minute, unless the URL sets other values.
PATIENCE = {"connect_timeout": 10, "keepalives_idle": 10, "keepalives_interval": 5, "tcp_user_timeout": 30_000}

WORTH_COUNTING = 1000  # entries

# The types of columns that are not text, for binary rows.
TYPES = {
    **dict.fromkeys(("id", "task", "seq", "item", "number", "checksum", "position", "failures"), "int8"),
    **dict.fromkeys(("at", "created", "revoked", "seen", "until"), "float8"),
    **dict.fromkeys(("expires", "previous_until", "used"), "float8"),
    **dict.fromkeys(("settings", "content", "digest", "body", "previous"), "bytea"),
}


class PostgresConnection:
    """A connection to the server."""

    def __init__(self, name: str, parameters: dict[str, Any]) -> None:
        self.name = name
        with self._errors():
            self._connection: psycopg.Connection[Row] = psycopg.connect(**parameters, autocommit=True)

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run a statement; return the number of rows that it changed."""
        with self._errors():
            return self._connection.execute(_placed(sql), values).rowcount

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """All rows of a query."""
        with self._errors():
            return self._connection.execute(_placed(sql), values, binary=True).fetchall()

    def stream(self, sql: str, size: int) -> Iterator[list[Row]]:
        """The rows of a query in batches of this size, within a transaction."""
        with self._errors(), self._connection.cursor("stream", binary=True) as cursor:
            cursor.execute(_placed(sql))
            while rows := cursor.fetchmany(size):
                yield rows

    def insert(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Add many rows to a table."""
        command = f"COPY {table} ({', '.join(columns)}) FROM STDIN (FORMAT BINARY)".encode()
        with self._errors(), self._connection.cursor() as cursor, cursor.copy(command) as copy:
            copy.set_types([TYPES.get(column, "text") for column in columns])
            for row in rows:
                copy.write_row(row)

    def usable(self) -> bool:
        """Whether it still works and has no open transaction."""
        return not self._connection.closed and self._connection.info.transaction_status == TransactionStatus.IDLE

    def close(self) -> None:
        """Close it; what was not committed is rolled back."""
        self._connection.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (psycopg.Error, UnicodeError, OverflowError) as error:
            raise _as_store_error(self.name, error) from error


class PostgresDatabase(Database):
    """A PostgreSQL database, or one schema of it, named by the search path.

    The owner holds an advisory lock while its connection is open: connect to the server itself, not to a pool with
    one connection per transaction.
    """

    begin_reading = "BEGIN ISOLATION LEVEL REPEATABLE READ"

    def __init__(self, url: str, *, own: bool) -> None:
        try:
            self._parameters: dict[str, Any] = PATIENCE | conninfo_to_dict(
                url, fallback_application_name="askance"
            )
        except psycopg.Error as error:
            raise ValueError(f"not the URL of a PostgreSQL database: {error}") from error
        name = self._parameters.get("dbname", "")
        super().__init__(f"PostgreSQL database {name} on {self._parameters.get('host', 'this machine')}", own=own)
        self._known = False
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        if self._own:
            with self.writing() as connection:
                bring_up_to_date(connection, POSTGRES)
            return
        with self.reading() as connection:
            if connection.rows("SELECT to_regclass('schema_version') IS NULL")[0][0]:
                raise StoreError(f"{self.name}: there is no store in this database: start the service on it once")
            check_version(connection)

    def connect(self, *, writes: bool) -> PostgresConnection:
        """A new connection; the one that writes takes ownership of the store."""
        connection = PostgresConnection(self.name, self._parameters)
        try:
            # A plan that was cached while a table was short would scan all of it later.
            connection.run("SET plan_cache_mode = force_custom_plan")
            if writes:
                self._prepare_writer(connection)
            else:
                connection.run("SET default_transaction_read_only = on")
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The writer's connection. The journal is analysed once, or the planner would scan all of it."""
        with super().writing() as connection:
            yield connection
            self._known = self._known or _made_known(connection)

    def _prepare_writer(self, connection: PostgresConnection) -> None:
        if connection.rows("SHOW synchronous_commit") == [("off",)]:
            connection.run("SET synchronous_commit = on")
        # A lost owner must not hold the lock for hours.
        connection.run("SET tcp_keepalives_idle = 10")
        connection.run("SET tcp_keepalives_interval = 5")
        self._take_ownership(connection)

    def _take_ownership(self, connection: PostgresConnection) -> None:
        lock = "SELECT pg_try_advisory_lock(?, hashtext(COALESCE(current_schema(), '')))"
        deadline = time.monotonic() + OWNER_LEAVES
        while connection.rows(lock, (OWNED,)) != [(True,)]:
            if time.monotonic() > deadline:
                raise StoreError(f"{self.name}: another process owns this store: stop that service first")
            time.sleep(0.02)

    def problems(self, connection: Connection) -> list[str]:
        """The settings that make the server unsafe."""
        if connection.rows("SHOW fsync") == [("off",)]:
            return [
                "the server runs with fsync off: a crash of its machine may lose acknowledged labels: turn it on"
            ]
        return []

    def shrink(self) -> None:
        """Do nothing: autovacuum reuses free space."""


def _made_known(connection: Connection) -> bool:
    """Whether the journal has statistics; analyse it if it has none and is long enough."""
    counted = "SELECT 1 FROM pg_stats WHERE schemaname = current_schema() AND tablename = 'journal' LIMIT 1"
    if connection.rows(counted):
        return True
    if not connection.rows("SELECT 1 FROM journal OFFSET ? LIMIT 1", (WORTH_COUNTING,)):
        return False
    connection.run("ANALYZE journal")
    return True


def _placed(sql: str) -> bytes:
    return sql.replace("?", "%s").encode()


def _as_store_error(name: str, error: Exception) -> StoreError:
    reason = " ".join(str(error).split())
    if isinstance(error, psycopg.errors.DiskFull):
        return StoreError(
            f"{name}: the server's disk is full: free some space; nothing is lost: {reason}", full=True
        )
    return StoreError(f"{name}: {reason}")
