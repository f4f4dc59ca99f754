"""Parameter mixing on Spark: files that arrive in a directory are learned in parallel and mixed batch by batch.

A partition is a file. Its content is sent to the worker, so the directory can be anywhere that Spark can read.
After each batch the model is written under the batch's number, completely or not at all. Spark can send a batch
again after an interruption: a batch whose model exists was mixed before and is skipped.
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
from askance.distributed.mixing import LearnedPartition, check_mixable, learned_from, mixed
from askance.learners.files import from_bytes, to_bytes
from askance.learners.learner import Learner

SCHEMA = "path string, modificationTime timestamp, length long, content binary"
KEPT = 2  # models of the most recent batches


class MixedBatch(NamedTuple):
    """The number of a batch, its partitions, and the rows, labels asked for and mistakes in all of them."""

    number: int
    partitions: int
    rows: int
    asked: int
    mistakes: int


class MixRequest(NamedTuple):
    """What to mix, `files` of `directory` per batch, how to read them, and where models are written."""

    directory: str
    output: Path
    checkpoint: Path
    files: int = 4
    forever: bool = False
    reading: Mapping[str, Any] = MappingProxyType({})


def mix(
    spark: Any, learner: Learner, request: MixRequest, watch: Callable[[MixedBatch], None] | None = None
) -> Learner:
    """Mix all files that were not mixed before, or wait for files for ever; return the final model.

    `watch` is called with each batch after its model was written.
    """
    check_mixable(learner)
    if request.files < 1:
        raise ValueError(f"files must be a positive integer, not {request.files}")
    history = ModelHistory(request.checkpoint / "models", to_bytes(learner))

    def batch(frame: Any, number: int) -> None:
        if number > history.last:
            mixed_batch = _one_batch(spark, frame, number, history, request)
            if watch is not None:
                watch(mixed_batch)
        write_whole(request.output, history.model)

    files = spark.readStream.format("binaryFile").schema(SCHEMA).option("maxFilesPerTrigger", request.files)
    stream = files.load(_found(request.directory)).writeStream.foreachBatch(batch)
    stream = stream.option("checkpointLocation", str(request.checkpoint.absolute() / "spark"))
    query = (stream if request.forever else stream.trigger(availableNow=True)).start()
    try:
        query.awaitTermination()
    finally:
        query.stop()
    return from_bytes(history.model)


def _found(directory: str) -> str:
    """Return an absolute path, because Spark may run in another directory; URLs are left to Spark."""
    if "://" in directory:
        return directory
    if not Path(directory).is_dir():
        raise ValueError(f"{directory} is not a directory: give the one in which files arrive")
    return str(Path(directory).absolute())


class ModelHistory:
    """The models after the most recent batches, in files named by batch number."""

    def __init__(self, place: Path, first: bytes) -> None:
        place.mkdir(parents=True, exist_ok=True)
        self._place = place
        there = self._files()
        self.last = int(there[-1].stem) if there else -1
        self.model = there[-1].read_bytes() if there else first
        if there and _rules(from_bytes(self.model)) != _rules(from_bytes(first)):
            raise ValueError(
                f"{place} has a model with other rules or parameters: use the same ones, or another checkpoint"
            )

    def add(self, number: int, model: bytes) -> None:
        """Write the model after a batch. From now on, the batch counts as mixed."""
        write_whole(self._place / f"{number:012d}.safetensors", model)
        self.last, self.model = number, model
        for old in self._files()[:-KEPT]:
            old.unlink()

    def _files(self) -> list[Path]:
        return sorted(self._place.glob("[0-9]*.safetensors"))


def _rules(learner: Learner) -> tuple[Any, ...]:
    return learner.update, learner.query, learner.random_state, learner.dtype, list(learner.classes or ())


def _one_batch(spark: Any, frame: Any, number: int, history: ModelHistory, request: MixRequest) -> MixedBatch:
    paths = sorted(row.path for row in frame.select("path").collect())
    sent = spark.sparkContext.broadcast((history.model, {path: place for place, path in enumerate(paths)}))
    spread = frame.select("path", "content").rdd.repartition(max(1, len(paths)))
    found = dict(spread.map(partial(_learn_file, sent, dict(request.reading))).collect())
    learned = [found[place] for place in range(len(paths))]
    history.add(number, mixed(history.model, learned) if learned else history.model)
    sent.destroy()
    rows, asked, mistakes = (sum(getattr(one, name) for one in learned) for name in ("rows", "asked", "mistakes"))
    return MixedBatch(number, len(learned), rows, asked, mistakes)


def _learn_file(sent: Any, reading: dict[str, Any], row: Any) -> tuple[int, LearnedPartition]:
    """Learn one file on a worker. It is written to disk again, because readers go by the file extension."""
    model, places = sent.value
    name = os.path.basename(row.path)
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / name
        file.write_bytes(row.content)
        dtype = from_bytes(model).dtype
        return places[row.path], learned_from(model, places[row.path], read(file, dtype=dtype, **reading))
