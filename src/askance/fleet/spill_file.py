"""An SQLite file of models: those of a fleet that are not in memory, or a saved fleet."""

import contextlib
import json
import os
import pathlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from askance._util.atomic_write import atomic_write
from askance.errors import ModelFileError
from askance.fleet.keys import Key

AT_A_TIME = 10_000
MAGIC = b"SQLite format 3\0"
APPLICATION_ID = int.from_bytes(b"askf", "big")  # bytes 68 to 71 of the file
# A page holds several models, and the cache holds many pages: reading the same pages again would dominate.
PRAGMAS = """
pragma page_size = 16384;
pragma journal_mode = memory;
pragma synchronous = off;
pragma locking_mode = exclusive;
pragma cache_size = -131072;
"""
TABLES = f"""
pragma application_id = {APPLICATION_ID};
create table metadata (name text primary key, value text not null) without rowid;
create table models (key primary key, model blob not null) without rowid;
"""


class SpillFile:
    """Models as bytes under their keys, in a file. A crash may damage it: save the fleet to keep it safe."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = pathlib.Path(path)
        # Only the thread that calls the fleet gets here, but it need not be the thread that created the fleet.
        self._database = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            self._database.executescript(PRAGMAS)
            if self._database.execute("pragma application_id").fetchone() != (APPLICATION_ID,):
                self._database.executescript(TABLES)
        except sqlite3.DatabaseError as error:
            self._database.close()
            raise ModelFileError(f"{self.path} is not a fleet file: {error}") from None

    def put(self, models: Iterable[tuple[Key, bytes]]) -> None:
        """Write models, replacing those with the same keys."""
        with self._transaction() as database:
            # Sorted by key, models that share a page are written together.
            database.executemany("insert or replace into models values (?, ?)", sorted(models))

    def get(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """Return the models of those keys that are in the file."""
        found: dict[Key, bytes] = {}
        for first in range(0, len(keys), AT_A_TIME):
            wanted = json.dumps(keys[first : first + AT_A_TIME])
            query = "select key, model from models where key in (select value from json_each(?))"
            found.update(self._database.execute(query, [wanted]))
        return found

    def remove(self, keys: Sequence[Key]) -> None:
        """Delete the models of these keys."""
        query = "delete from models where key in (select value from json_each(?))"
        for first in range(0, len(keys), AT_A_TIME):
            self._database.execute(query, [json.dumps(keys[first : first + AT_A_TIME])])

    def batches(self) -> Iterator[dict[Key, bytes]]:
        """Yield all keys and models, some at a time."""
        cursor = self._database.execute("select key, model from models")
        while part := cursor.fetchmany(AT_A_TIME):
            yield dict(part)

    def is_empty(self) -> bool:
        """Return whether the file holds no model."""
        return self._database.execute("select 1 from models limit 1").fetchone() is None

    def metadata(self) -> dict[str, Any]:
        """Return the metadata of the fleet."""
        rows = self._database.execute("select name, value from metadata")
        return {name: json.loads(value) for name, value in rows}

    def set_metadata(self, metadata: dict[str, Any]) -> None:
        """Write metadata of the fleet."""
        with self._transaction() as database:
            pairs = ((name, json.dumps(value)) for name, value in metadata.items())
            database.executemany("insert or replace into metadata values (?, ?)", pairs)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._database.execute("begin")
        try:
            yield self._database
        except BaseException:
            self._database.execute("rollback")
            raise
        self._database.execute("commit")


def write_models(
    path: str | os.PathLike[str], metadata: dict[str, Any], models: Iterable[tuple[Key, bytes]]
) -> None:
    """Write a fleet file completely or not at all, even if the machine stops half-way."""
    with atomic_write(path) as temporary, SpillFile(temporary) as file:
        file.set_metadata(metadata)
        file.put(models)
