"""Parameter mixing on Spark: files that arrive in a directory are learned side by side, and mixed batch by batch.

A partition is a file. Its content is sent to the worker, so that the directory may be anywhere that Spark reads.
After each batch the model is kept under the batch's number, whole or not at all. Spark may send a batch again
after an interruption: one whose model is there has been mixed, and is passed over.
"""

import os
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from askance._util.atomic_write import write_whole
from askance.data import read
from askance.distributed.mixing import Learned, check_mixable, learned_from, mixed
from askance.learners.files import from_bytes, to_bytes
from askance.learners.learner import Learner

SCHEMA = "path string, modificationTime timestamp, length long, content binary"
KEPT = 2  # models of the last batches


class Batch(NamedTuple):
    """What came of a batch: its number, its partitions, and rows, labels asked for and mistakes in all of them."""

    number: int
    partitions: int
    rows: int
    asked: int
    mistakes: int


class Wish(NamedTuple):
    """What to mix: files of `directory`, so many a batch, read in some way; and where models go."""

    directory: str
    output: Path
    checkpoint: Path
    files: int = 4
    forever: bool = False
    reading: Mapping[str, Any] = MappingProxyType({})


def mix(spark: Any, learner: Learner, wish: Wish, watch: Callable[[Batch], None] | None = None) -> Learner:
    """Mix all files that are there and not mixed yet, or go on for ever; the model in the end.

    `watch` is told of each batch when its model is on disk.
    """
    check_mixable(learner)
    if wish.files < 1:
        raise ValueError(f"files must be a whole number from 1 on, not {wish.files}")
    kept = Kept(wish.checkpoint / "models", to_bytes(learner))

    def batch(frame: Any, number: int) -> None:
        if number > kept.last:
            told = _one_batch(spark, frame, number, kept, wish)
            if watch is not None:
                watch(told)
        write_whole(wish.output, kept.model)

    files = spark.readStream.format("binaryFile").schema(SCHEMA).option("maxFilesPerTrigger", wish.files)
    stream = files.load(_found(wish.directory)).writeStream.foreachBatch(batch)
    stream = stream.option("checkpointLocation", str(wish.checkpoint.absolute() / "spark"))
    query = (stream if wish.forever else stream.trigger(availableNow=True)).start()
    try:
        query.awaitTermination()
    finally:
        query.stop()
    return from_bytes(kept.model)


def _found(directory: str) -> str:
    """Where Spark finds it, which may have begun in another directory; an address is left to Spark."""
    if "://" in directory:
        return directory
    if not Path(directory).is_dir():
        raise ValueError(f"{directory} is no directory: give the one in which files arrive")
    return str(Path(directory).absolute())


class Kept:
    """The models after the last batches, in files named by their numbers."""

    def __init__(self, place: Path, first: bytes) -> None:
        place.mkdir(parents=True, exist_ok=True)
        self._place = place
        there = self._files()
        self.last = int(there[-1].stem) if there else -1
        self.model = there[-1].read_bytes() if there else first
        if there and _rules(from_bytes(self.model)) != _rules(from_bytes(first)):
            raise ValueError(
                f"{place} has a model of other rules or parameters: give another checkpoint, or the same"
            )

    def keep(self, number: int, model: bytes) -> None:
        """Note the model after a batch: from now on the batch is mixed."""
        write_whole(self._place / f"{number:012d}.safetensors", model)
        self.last, self.model = number, model
        for old in self._files()[:-KEPT]:
            old.unlink()

    def _files(self) -> list[Path]:
        return sorted(self._place.glob("[0-9]*.safetensors"))


def _rules(learner: Learner) -> tuple[Any, ...]:
    return learner.update, learner.query, learner.random_state, learner.dtype, list(learner.classes or ())


def _one_batch(spark: Any, frame: Any, number: int, kept: Kept, wish: Wish) -> Batch:
    paths = sorted(row.path for row in frame.select("path").collect())
    sent = spark.sparkContext.broadcast((kept.model, {path: place for place, path in enumerate(paths)}))
    spread = frame.select("path", "content").rdd.repartition(max(1, len(paths)))
    found = dict(spread.map(partial(_learn_file, sent, dict(wish.reading))).collect())
    learned = [found[place] for place in range(len(paths))]
    kept.keep(number, mixed(kept.model, learned) if learned else kept.model)
    sent.destroy()
    rows, asked, mistakes = (sum(getattr(one, name) for one in learned) for name in ("rows", "asked", "mistakes"))
    return Batch(number, len(learned), rows, asked, mistakes)


def _learn_file(sent: Any, reading: dict[str, Any], row: Any) -> tuple[int, Learned]:
    """Learn one file, at a worker; readers want a file with its ending, so it becomes one."""
    model, places = sent.value
    name = os.path.basename(row.path)
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / name
        file.write_bytes(row.content)
        dtype = from_bytes(model).dtype
        return places[row.path], learned_from(model, places[row.path], read(file, dtype=dtype, **reading))
