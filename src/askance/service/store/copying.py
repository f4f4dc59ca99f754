"""Copies of a whole store: backup, restore, and moving between the two kinds of databases."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from askance.errors import StoreError
from askance.service.store.database import Connection
from askance.service.store.opening import is_postgres, open_store, sqlite_path
from askance.service.store.schema import TABLES
from askance.service.store.sqlite import settle
from askance.service.store.store import Store

ROWS_AT_ONCE = 500
LARGE_ROWS = ("snapshots", "images")  # copied one at a time


def copy(source: Store, target_url: str, tell: Callable[[float], None] = lambda _share: None) -> None:
    """Copy the current content of a store into an empty store, while others keep using it.

    A new SQLite file gets its name only when it is complete; any other target is filled in one transaction. `tell`
    is called with the share of the work that is done.
    """
    if is_postgres(target_url) or sqlite_path(target_url).exists():
        with open_store(target_url) as target:
            _fill(target, source, tell)
    else:
        _write_file(source, sqlite_path(target_url), tell)


def _write_file(source: Store, path: Path, tell: Callable[[float], None]) -> None:
    left = path.with_name(path.name + "-wal")
    if left.exists():
        raise StoreError(f"{left}: belongs to a database that is gone and would damage a new one: move it away")
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open_store(str(partial)) as target:
            _fill(target, source, tell)
        settle(partial)
        if path.exists():
            raise StoreError(f"{path}: another process has created this file: choose another name")
        partial.replace(path)
        _sync(path.parent)
    finally:
        for ending in ("", "-wal", "-shm", "-journal", ".lock"):
            partial.with_name(partial.name + ending).unlink(missing_ok=True)


def _fill(target: Store, source: Store, tell: Callable[[float], None]) -> None:
    with target.writing() as into, source.one_moment() as out:
        _refuse_filled(into)
        whole = out.rows("SELECT COUNT(*) FROM journal")[0][0]
        for table, columns in TABLES.items():
            names, done = ", ".join(columns), 0
            size = 1 if table in LARGE_ROWS else ROWS_AT_ONCE
            for rows in out.stream(f"SELECT {names} FROM {table} ORDER BY {columns[0]}, {columns[1]}", size):
                into.insert(table, columns, rows)
                done += len(rows)
                if table == "journal":
                    tell(done / whole)


def _refuse_filled(target: Connection) -> None:
    for table in TABLES:
        if target.rows(f"SELECT 1 FROM {table} LIMIT 1"):
            raise StoreError(f"the target is not empty: it has {table}: choose a new file or an empty database")


def _sync(directory: Path) -> None:
    """Sync the directory, so that the new name is on disk too."""
    if os.name != "nt":
        file = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
