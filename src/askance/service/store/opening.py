"""Which kind of store a URL means."""

from pathlib import Path

from askance.service.store.database import Database
from askance.service.store.store import Store

SQLITE_PREFIX = "sqlite:///"
POSTGRES_PREFIXES = ("postgresql://", "postgres://")


def open_store(url: str, *, own: bool = True) -> Store:
    """The store at a URL: a plain path or sqlite:///path, or postgresql://user@host/database.

    After `sqlite:///` the path begins, so that an absolute one has four slashes. The owner writes, and there is
    one at a time; it creates the tables, or brings them up to date. `own=False` is for readers, such as a backup.
    """
    return Store(_database(url, own=own))


def is_postgres(url: str) -> bool:
    """Whether a URL means a PostgreSQL database."""
    return url.startswith(POSTGRES_PREFIXES)


def sqlite_path(url: str) -> Path:
    """The file that a URL means."""
    path = url.removeprefix(SQLITE_PREFIX)
    if not path or "://" in path:
        raise ValueError(f"{url!r} is no store: give a path, sqlite:///path or postgresql://user@host/database")
    return Path(path)


def _database(url: str, *, own: bool) -> Database:
    if is_postgres(url):
        from askance.service.store.postgres import PostgresDatabase

        return PostgresDatabase(url, own=own)
    from askance.service.store.sqlite import SqliteDatabase

    return SqliteDatabase(sqlite_path(url), own=own)
