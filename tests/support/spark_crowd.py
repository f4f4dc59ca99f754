"""Very many keys for a fleet on Spark, as arrays: what goes in, and what must come out."""

import os
import pathlib
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.distributed.spark_fleet import StreamSettings

VALUES = 5  # of a row
COLUMNS = 40  # that a key ever uses
CLASSES = ("ham", "spam")

Array = NDArray[Any]


class Crowd(NamedTuple):
    """Rows in the order of their ids. A row's label comes in the micro-batch after its own."""

    settings: StreamSettings
    batch: Array
    key: Array
    order: Array
    indices: Array  # a line of VALUES columns a row
    values: Array
    truth: Array

    @classmethod
    def made(cls, settings: StreamSettings, keys: int, rows: int, batches: int, random_state: int = 0) -> "Crowd":
        random = np.random.default_rng(random_state)
        key = random.integers(keys, size=rows)
        steps = random.integers(1, COLUMNS // VALUES, size=(rows, VALUES))
        own = (key * 7919) % ((1 << settings.fleet.bits) - COLUMNS)
        indices = own[:, None] + np.cumsum(steps, axis=1) - 1
        values = random.normal(size=(rows, VALUES))
        truth = (values.sum(axis=1) + random.normal(size=rows) * 0.3 > 0).astype(int)
        batch = np.arange(rows) * batches // rows
        return cls(settings, batch, key, random.integers(100, size=rows), indices, values, truth)

    def write(self, folder: pathlib.Path) -> None:
        """Two files of rows and two of labels a micro-batch."""
        for batch in range(self.batch.max() + 1):
            rows = np.flatnonzero(self.batch == batch)
            known = np.flatnonzero(self.batch == batch - 1)
            _write(folder / "rows", batch, [self._rows(part) for part in np.array_split(rows, 2)])
            _write(folder / "labels", batch, [self._labels(part) for part in np.array_split(known, 2)])

    def expected(self) -> "Expected":
        """What one fleet in memory makes of the same micro-batches."""
        settings, rows = self.settings, len(self.key)
        fleet = settings.new_fleet()
        names = np.array([f"k{key}" for key in range(self.key.max() + 1)], dtype=object)
        ids = np.array([str(number) for number in range(rows)])
        rounds, seen = np.zeros(rows, np.int64), np.zeros(len(names), np.int64)
        found = Expected(fleet, np.empty(rows), np.empty(rows), np.zeros(rows, bool), np.empty(rows, "U4"), rounds)
        for batch in range(self.batch.max() + 1):
            now = np.flatnonzero(self.batch == batch)
            now = now[np.lexsort((ids[now], self.order[now], names[self.key[now]].astype(str)))]
            trace = fleet.decide(names[self.key[now]].tolist(), self._stacked(now))
            found.score[now], found.ask_probability[now] = trace.scores, trace.ask_probabilities
            found.asked[now], found.prediction[now] = trace.asked, trace.predictions
            for place in now:
                rounds[place] = seen[self.key[place]]
                seen[self.key[place]] += 1
            due = np.flatnonzero((self.batch == batch - 1) & found.asked)
            due = due[np.lexsort((rounds[due], names[self.key[due]].astype(str)))]
            if len(due):
                labels = [CLASSES[truth] for truth in self.truth[due]]
                keys = names[self.key[due]].tolist()
                fleet.partial_fit(keys, self._stacked(due), labels)
        return found

    def _rows(self, rows: Array) -> dict[str, Any]:
        return {
            "key": [f"k{key}" for key in self.key[rows]],
            "id": [str(row) for row in rows],
            "order": [str(order) for order in self.order[rows]],
            "indices": self.indices[rows].tolist(),
            "values": self.values[rows].tolist(),
        }

    def _labels(self, rows: Array) -> dict[str, Any]:
        return {
            "key": [f"k{key}" for key in self.key[rows]],
            "id": [str(row) for row in rows],
            "label": [CLASSES[truth] for truth in self.truth[rows]],
        }

    def _stacked(self, rows: Array) -> sp.csr_array:
        starts = np.arange(len(rows) + 1, dtype=np.int32) * VALUES
        columns = self.indices[rows].ravel().astype(np.int32)
        values = self.values[rows].ravel().astype(self.settings.fleet.dtype)
        return sp.csr_array((values, columns, starts), shape=(len(rows), 1 << self.settings.fleet.bits))


class Expected(NamedTuple):
    """The fleet in the end, and its decisions in the order of ids."""

    fleet: Any
    score: Array
    ask_probability: Array
    asked: Array
    prediction: Array
    round: Array


def _write(folder: pathlib.Path, batch: int, parts: list[dict[str, Any]]) -> None:
    """Files whose times are those of their micro-batches: Spark takes files by their times."""
    import pyarrow
    import pyarrow.parquet

    folder.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(parts):
        # Empty columns have no type of their own: labels, in the first micro-batch.
        types = dict.fromkeys(part, None if part["id"] else pyarrow.string())
        table = pyarrow.table({name: pyarrow.array(column, types[name]) for name, column in part.items()})
        path = folder / f"{batch:03}-{number}.parquet"
        pyarrow.parquet.write_table(table, path)
        os.utime(path, (1_700_000_000 + 2 * batch + number,) * 2)
