"""A fleet: a million models, each with a hundred features, in memory and with most of them in a file."""

import resource
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import askance
from askance.fleet import Fleet
from bench.report import Line, Report, at_most
from bench.setting import Setting

FEATURES = 100  # of each key, 20 of them in a row
IN_A_ROW = 20
BITS = 18
BATCH = 500_000
ROWS_A_KEY = 20
ROWS_A_KEY_SPILLED = 3  # seven rows of eight bring a model back from the file
GIVEN: dict[str, Any] = {"classes": [-1, 1], "bits": BITS, "random_state": 1}


class Pass(NamedTuple):
    """What a pass of a fleet over all rows came to."""

    rows: int
    seconds: float
    wrong: int


def measure(setting: Setting, report: Report) -> None:
    """All models in memory, an eighth of them, and the same rows with a learner a key."""
    keys = 2_000 if setting.quick else 1_000_000
    memory_before = peak()
    with Fleet("PAA-II", **GIVEN) as fleet:
        found = run(fleet, keys, ROWS_A_KEY)
        told = f"{found.rows:,} rows of {keys:,} keys, {found.wrong / found.rows:.1%} wrong"
        add(report, "rows a second", found.rows / found.seconds, "", told)
        bytes_a_model = fleet.nbytes / len(fleet)
        add(report, "memory a model, of 100 features", bytes_a_model, "B", f"{fleet.nbytes / 1e9:.2f} GB in all")
        grown = (peak() - memory_before) / 1e9
        remark = "with a batch of rows and what made it"
        report.add(Line("fleet", "peak of the process", grown, grown, "GB", False, None, remark))
        in_all = bytes_a_model / 1e3  # of a million, in GB
        report.add(Line("fleet", "a million such models", in_all, in_all, "GB", False, at_most(2), ""))
    with Fleet("PAA-II", **GIVEN, resident=max(1_000, keys // 8)) as fleet:
        spilled = run(fleet, keys, ROWS_A_KEY_SPILLED)
        told = f"{fleet.spilled:,} models left memory, {fleet.spilled / spilled.seconds:,.0f} a second"
        add(report, "rows a second, 1/8 of the models in memory", spilled.rows / spilled.seconds, "", told)
    alone = run_alone(min(keys, 2_000))
    add(report, "rows a second, a learner a key in a dictionary", alone.rows / alone.seconds, "", "2,000 keys")


def add(report: Report, what: str, value: float, unit: str, remark: str) -> None:
    """A figure that was measured once."""
    report.add(Line("fleet", what, value, value, unit, False, None, remark))


def run(fleet: Fleet, keys: int, rows_a_key: int) -> Pass:
    """So many rows a key, in random order."""
    warm = next(batches(keys, 1_000))
    with Fleet("PAA-II", **GIVEN) as other:
        other.run(*warm)
    seconds, rows, wrong = 0.0, 0, 0
    for who, X, y in batches(keys, rows_a_key * keys):
        start = time.perf_counter()
        trace = fleet.run(who, X, y)
        seconds += time.perf_counter() - start
        rows += len(who)
        wrong += int(np.count_nonzero(trace.predictions != y))
    return Pass(rows, seconds, wrong)


def run_alone(keys: int) -> Pass:
    """The same with an ordinary learner for each key, which gets its row by itself."""
    learners = {key: askance.make("PAA-II", classes=[-1, 1], random_state=key) for key in range(keys)}
    ((who, X, y),) = batches(keys, ROWS_A_KEY * keys)
    rows = [askance.Row(X.indices[a:b], X.data[a:b]) for a, b in zip(X.indptr, X.indptr[1:], strict=False)]
    wrong = 0
    learners[0].resize(1 << BITS)
    start = time.perf_counter()
    for key, row, label in zip(who.tolist(), rows, y.tolist(), strict=True):
        decision = learners[key].ask(row)
        wrong += decision.prediction != label
        if decision.ask:
            learners[key].tell(row, label)
    return Pass(len(rows), time.perf_counter() - start, wrong)


def batches(keys: int, rows: int) -> Iterator[tuple[Any, Any, Any]]:
    """Keys, rows and labels. A key has features of its own, and each feature of a key votes for a class."""
    chance = np.random.default_rng(1)
    for first in range(0, rows, BATCH):
        count = min(BATCH, rows - first)
        who = chance.integers(0, keys, count)
        step = FEATURES // IN_A_ROW
        nth = np.arange(IN_A_ROW) * step + chance.integers(0, step, (count, IN_A_ROW))
        mixed = (who[:, np.newaxis] * 2654435761 + nth * 2654435789).astype(np.uint64)
        features = np.sort(mixed % np.uint64(1 << BITS), axis=1).astype(np.int64)
        once = np.diff(features, axis=1, prepend=-1) > 0
        votes = (features * 40503 >> 7) & 1
        ends = np.concatenate([[0], np.cumsum(once.sum(axis=1))])
        values = np.full(ends[-1], IN_A_ROW**-0.5, np.float32)
        X = sp.csr_array((values, features[once].astype(np.int32), ends), shape=(count, 1 << BITS))
        yield who, X, np.where(2 * (votes * once).sum(axis=1) > once.sum(axis=1), 1, -1)


def peak() -> float:
    """The most memory that this process has had, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)
