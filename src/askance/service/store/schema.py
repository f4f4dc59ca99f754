"""The tables, created by numbered steps: opening a store runs the steps that it has not run yet."""

from typing import NamedTuple

from askance.errors import StoreError
from askance.service.store.database import Connection


class Dialect(NamedTuple):
    """The names of the column types in one of the two databases."""

    INTEGER: str
    NUMBER: str
    BYTES: str


SQLITE = Dialect("INTEGER", "REAL", "BLOB")
POSTGRES = Dialect("BIGINT", "DOUBLE PRECISION", "BYTEA")

# Never edit a step once it has been released: add a new step.
STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE tasks (
            id {INTEGER} PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            settings {BYTES} NOT NULL,
            created {NUMBER} NOT NULL)""",
        """CREATE TABLE journal (
            task {INTEGER} NOT NULL REFERENCES tasks (id),
            seq {INTEGER} NOT NULL,
            at {NUMBER} NOT NULL,
            kind TEXT NOT NULL,
            item {INTEGER},
            key TEXT,
            who TEXT,
            body {BYTES} NOT NULL,
            PRIMARY KEY (task, seq))""",
        "CREATE UNIQUE INDEX journal_key ON journal (task, kind, key) WHERE key IS NOT NULL",
        # Most entries are items, which are found by their seq.
        "CREATE INDEX journal_item ON journal (task, item, seq) WHERE kind <> 'item'",
        """CREATE TABLE snapshots (
            task {INTEGER} NOT NULL REFERENCES tasks (id),
            seq {INTEGER} NOT NULL,
            content {BYTES} NOT NULL,
            PRIMARY KEY (task, seq))""",
        """CREATE TABLE tokens (
            name TEXT PRIMARY KEY,
            role TEXT NOT NULL,
            digest {BYTES} NOT NULL UNIQUE,
            created {NUMBER} NOT NULL,
            revoked {NUMBER})""",
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
        """CREATE TABLE sessions (
            digest {BYTES} PRIMARY KEY,
            number {INTEGER} NOT NULL UNIQUE,
            name TEXT NOT NULL REFERENCES tokens (name),
            created {NUMBER} NOT NULL,
            seen {NUMBER} NOT NULL,
            until {NUMBER} NOT NULL,
            agent TEXT NOT NULL)""",
        """CREATE TABLE audit (
            seq {INTEGER} PRIMARY KEY,
            at {NUMBER} NOT NULL,
            who TEXT,
            action TEXT NOT NULL,
            task_name TEXT,
            subject TEXT,
            detail TEXT)""",
    ),
    (
        "ALTER TABLE journal ADD COLUMN checksum {INTEGER}",
        # Entries up to here were written without one.
        """INSERT INTO settings (name, value)
            SELECT 'entries of task ' || task || ' without checksums', CAST(MAX(seq) AS TEXT)
            FROM journal GROUP BY task""",
    ),
    (
        "ALTER TABLE tokens ADD COLUMN tasks TEXT",
        "ALTER TABLE tokens ADD COLUMN expires {NUMBER}",
        "ALTER TABLE tokens ADD COLUMN previous {BYTES}",
        "ALTER TABLE tokens ADD COLUMN previous_until {NUMBER}",
        "ALTER TABLE tokens ADD COLUMN subject TEXT",
        "CREATE UNIQUE INDEX tokens_subject ON tokens (subject) WHERE subject IS NOT NULL",
        """CREATE TABLE links (
            digest {BYTES} PRIMARY KEY,
            name TEXT NOT NULL REFERENCES tokens (name),
            created {NUMBER} NOT NULL,
            until {NUMBER} NOT NULL,
            used {NUMBER})""",
    ),
    (
        """CREATE TABLE webhooks (
            id {INTEGER} PRIMARY KEY,
            task {INTEGER} NOT NULL REFERENCES tasks (id),
            url TEXT NOT NULL,
            secret TEXT NOT NULL,
            events TEXT NOT NULL,
            position {INTEGER} NOT NULL,
            failures {INTEGER} NOT NULL,
            error TEXT,
            disabled TEXT,
            created {NUMBER} NOT NULL)""",
    ),
    (
        """CREATE TABLE images (
            task {INTEGER} NOT NULL REFERENCES tasks (id),
            name TEXT NOT NULL,
            content {BYTES} NOT NULL,
            PRIMARY KEY (task, name))""",
    ),
)

# All tables with their columns, those of the primary key first. A copy holds all of them.
TABLES = {
    "tasks": ("id", "name", "settings", "created"),
    "journal": ("task", "seq", "at", "kind", "item", "key", "who", "body", "checksum"),
    "snapshots": ("task", "seq", "content"),
    "images": ("task", "name", "content"),
    "tokens": (
        *("name", "role", "digest", "created", "revoked"),
        *("tasks", "expires", "previous", "previous_until", "subject"),
    ),
    "settings": ("name", "value"),
    "sessions": ("digest", "number", "name", "created", "seen", "until", "agent"),
    "links": ("digest", "name", "created", "until", "used"),
    "webhooks": (
        *("id", "task", "url", "secret", "events", "position", "failures", "error", "disabled", "created"),
    ),
    "audit": ("seq", "at", "who", "action", "task_name", "subject", "detail"),
}


def unsealed_name(task: int) -> str:
    """The name of the setting that says up to which entry a journal has no checksums."""
    return f"entries of task {task} without checksums"


def statements(step: tuple[str, ...], dialect: Dialect) -> list[str]:
    """Return the SQL statements of a step for one database."""
    return [statement.format(**dialect._asdict()) for statement in step]


def bring_up_to_date(
    connection: Connection, dialect: Dialect, steps: tuple[tuple[str, ...], ...] | None = None
) -> None:
    """Run the steps that the database has not run yet, within the caller's transaction."""
    connection.run("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
    steps = STEPS if steps is None else steps
    done = _version(connection)
    _refuse_newer(done, len(steps))
    if done == len(steps):
        return
    for step in steps[done:]:
        for statement in statements(step, dialect):
            connection.run(statement)
    connection.run("DELETE FROM schema_version")
    connection.run("INSERT INTO schema_version (version) VALUES (?)", (len(steps),))


def check_version(connection: Connection) -> None:
    """Raise StoreError if the database has not run all steps: readers do not change it."""
    done = _version(connection)
    _refuse_newer(done, len(STEPS))
    if done < len(STEPS):
        raise StoreError(
            f"the store has schema version {done}, but this askance reads version {len(STEPS)}: start the service "
            "on it once to update it"
        )


def _version(connection: Connection) -> int:
    rows = connection.rows("SELECT version FROM schema_version")
    return int(rows[0][0]) if rows else 0


def _refuse_newer(done: int, known: int) -> None:
    if done > known:
        raise StoreError(
            f"the store has schema version {done}, but this askance knows only {known}: install a newer askance"
        )
