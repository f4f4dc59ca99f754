"""A depot: models of a fleet as bytes under their keys, in a file of SQLite."""

import contextlib
import json
import os
import pathlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from askance.fleet.keys import Key

AT_A_TIME = 10_000
# Pages that hold several models, and some of them at hand: else most of the time goes to the same pages again.
PRAGMAS = """
pragma page_size = 16384;
pragma journal_mode = memory;
pragma synchronous = off;
pragma locking_mode = exclusive;
pragma cache_size = -131072;
"""
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
            self._database.executescript(PRAGMAS + TABLES)
        except sqlite3.DatabaseError as error:
            self._database.close()
            raise ValueError(f"{self.path} is no file of a fleet: {error}") from None

    def put(self, models: Iterable[tuple[Key, bytes]]) -> None:
        """Have these models, in place of those under the same keys."""
        with self._at_once() as database:
            # In the order of the keys, neighbours meet the same page.
            database.executemany("insert or replace into models values (?, ?)", sorted(models))

    def get(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """Those of the keys that are there, and their models."""
        found: dict[Key, bytes] = {}
        for first in range(0, len(keys), AT_A_TIME):
            wanted = json.dumps(keys[first : first + AT_A_TIME])
            query = "select key, model from models where key in (select value from json_each(?))"
            found.update(self._database.execute(query, [wanted]))
        return found

    def remove(self, keys: Sequence[Key]) -> None:
        """Have these no longer."""
        query = "delete from models where key in (select value from json_each(?))"
        for first in range(0, len(keys), AT_A_TIME):
            self._database.execute(query, [json.dumps(keys[first : first + AT_A_TIME])])

    def in_parts(self) -> Iterator[dict[Key, bytes]]:
        """All keys and models, some at a time."""
        cursor = self._database.execute("select key, model from models")
        while part := cursor.fetchmany(AT_A_TIME):
            yield dict(part)

    def is_empty(self) -> bool:
        """Whether there is no model."""
        return self._database.execute("select 1 from models limit 1").fetchone() is None

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _at_once(self) -> Iterator[sqlite3.Connection]:
        self._database.execute("begin")
        try:
            yield self._database
        except BaseException:
            self._database.execute("rollback")
            raise
        self._database.execute("commit")
