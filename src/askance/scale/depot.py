"""A depot: models of a fleet as bytes under their keys, in a file of SQLite."""

import contextlib
import json
import os
import pathlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from askance.scale.keys import Key

AT_A_TIME = 10_000
TABLES = """
create table if not exists about (name text primary key, value text not null) without rowid;
create table if not exists models (key primary key, model blob not null) without rowid;
"""


class Depot:
    """The models in a file. What is put is there for as long as the file is, but a crash may damage it: a fleet
    that must survive is saved.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = pathlib.Path(path)
        # The threads of a fleet take turns; only the one that calls the fleet comes here.
        self._database = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            self._database.execute("pragma journal_mode = off")
            self._database.execute("pragma synchronous = off")
            self._database.executescript(TABLES)
        except sqlite3.DatabaseError as error:
            self._database.close()
            raise ValueError(f"{self.path} is no file of a fleet: {error}") from None

    def put(self, models: Iterable[tuple[Key, bytes]]) -> None:
        """Have these models, in place of those under the same keys."""
        with self._at_once() as database:
            database.executemany("insert or replace into models values (?, ?)", models)

    def get(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """Those of the keys that are there, and their models."""
        found: dict[Key, bytes] = {}
        for first in range(0, len(keys), AT_A_TIME):
            wanted = json.dumps(keys[first : first + AT_A_TIME])
            query = "select key, model from models where key in (select value from json_each(?))"
            found.update(self._database.execute(query, [wanted]))
        return found

    def remove(self, keys: Iterable[Key]) -> None:
        """Have these no longer."""
        with self._at_once() as database:
            database.executemany("delete from models where key = ?", ((key,) for key in keys))

    def keys(self) -> Iterator[Key]:
        """All keys, in no order."""
        return (key for (key,) in self._database.execute("select key from models"))

    def all(self) -> Iterator[tuple[Key, bytes]]:
        """All keys and models."""
        return iter(self._database.execute("select key, model from models"))

    def in_parts(self) -> Iterator[dict[Key, bytes]]:
        """All keys and models, some at a time."""
        cursor = self._database.execute("select key, model from models")
        while part := cursor.fetchmany(AT_A_TIME):
            yield dict(part)

    def about(self) -> dict[str, Any]:
        """What was said of the fleet."""
        return {name: json.loads(value) for name, value in self._database.execute("select name, value from about")}

    def say(self, about: dict[str, Any]) -> None:
        """Say something of the fleet."""
        with self._at_once() as database:
            pairs = ((name, json.dumps(value)) for name, value in about.items())
            database.executemany("insert or replace into about values (?, ?)", pairs)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __len__(self) -> int:
        count: int = self._database.execute("select count(*) from models").fetchone()[0]
        return count

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _at_once(self) -> Iterator[sqlite3.Connection]:
        self._database.execute("begin")
        yield self._database
        self._database.execute("commit")
