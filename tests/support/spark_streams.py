"""What the tests of fleets on Spark share: whether there is Spark, and streams of rows and labels."""

import json
import os
import pathlib
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from needs import missing

Lines = list[dict[str, Any]]


class MicroBatch(NamedTuple):
    rows: Lines
    labels: Lines


def spark_or_missing() -> None:
    from askance.distributed.spark_session import check_installed

    try:
        check_installed()
    except ImportError as fault:
        missing("a fleet on Spark", str(fault).removeprefix("Spark needs "))


def made_up(keys: int, rows: int, batches: int, random_state: int = 0) -> list[MicroBatch]:
    """Rows of every form; most labels come a micro-batch later, some with their row, some before it, or twice."""
    random = np.random.default_rng(random_state)
    made = [MicroBatch([], []) for _ in range(batches)]
    for number in range(rows):
        batch = number * batches // rows
        truth = int(random.integers(2))
        row = {"key": f"user {random.integers(keys)}", "id": f"r{number}", "order": int(random.integers(1000))}
        made[batch].rows.append(row | features(random, truth))
        label = {"key": row["key"], "id": row["id"], "label": ["ham", "spam"][truth]}
        for late in random.choice([1, 1, 1, 1, 0, -1], size=1 + int(random.random() < 0.1)):
            if 0 <= batch + late < batches:
                made[batch + late].labels.append(label)
    for before, after in pairwise(made):
        after.rows.extend(before.rows[:5])  # a source may repeat itself
        after.labels.append(before.labels[0] | {"label": "eggs"})
    return made


def features(random: np.random.Generator, truth: int) -> dict[str, Any]:
    words = [f"w{int(random.integers(20)) + 12 * truth}" for _ in range(6)]
    match int(random.integers(3)):
        case 0:
            return {"text": " ".join(words)}
        case 1:
            return {"record": {"word": words, "length": float(random.normal()), "side": truth > 0}}
        case _:
            columns = random.choice(200, size=5, replace=False) + 50 * truth
            return {"indices": columns.tolist(), "values": random.normal(size=5).tolist()}


def write(batch: MicroBatch, number: int, rows: pathlib.Path, labels: pathlib.Path) -> None:
    """A file each; Spark takes files by their times, so these are made to differ."""
    for lines, folder in ((batch.rows, rows), (batch.labels, labels)):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{number:04}.json"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
