"""Opening a store by its URL."""

from pathlib import Path

from askance.service.store.database import Database
from askance.service.store.store import Store

SQLITE_PREFIX = "sqlite:///"
POSTGRES_PREFIXES = ("postgresql://", "postgres://")


def open_store(url: str, *, own: bool = True) -> Store:
    """Open the store at a URL: a plain path, sqlite:///path, or postgresql://user@host/database.

    The path starts after `sqlite:///`, so an absolute one has four slashes. Only one process at a time owns a
    store and writes to it; the owner creates or updates the tables. `own=False` is for readers, such as a backup.
    """
    return Store(_database(url, own=own))


def is_postgres(url: str) -> bool:
    """Whether a URL is that of a PostgreSQL database."""
    return url.startswith(POSTGRES_PREFIXES)


def sqlite_path(url: str) -> Path:
    """The file of an SQLite URL."""
    path = url.removeprefix(SQLITE_PREFIX)
    if not path or "://" in path:
        raise ValueError(
            f"{url!r} is not the URL of a store: give a path, sqlite:///path or postgresql://user@host/database"
        )
    return Path(path)


def _database(url: str, *, own: bool) -> Database:
    if is_postgres(url):
        from askance.service.store.postgres import PostgresDatabase

        return PostgresDatabase(url, own=own)
    from askance.service.store.sqlite import SqliteDatabase

    return SqliteDatabase(sqlite_path(url), own=own)
