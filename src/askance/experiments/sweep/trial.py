"""Trials: learners on one permutation of a data set, together in banks where possible."""

import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from askance.engine.bank import Bank, can_share, kind_of
from askance.experiments.dataset import Dataset, ShuffledDataset
from askance.experiments.sweep.pair import is_known
from askance.jit.simd.vector import LANES
from askance.learners.core import LearnerCore
from askance.learners.settings import Settings
from askance.metrics import Counts
from askance.metrics.tally import counted, events


class Candidate(NamedTuple):
    """The rules of a learner to try, and sgn(0)."""

    update: Any
    query: Any
    at_zero: int


class Trial(NamedTuple):
    """The counts of a learner after each part of the stream, and its time in seconds."""

    counts: list[Counts]
    seconds: float


def run_trials(
    candidates: list[Candidate], data: Dataset, stream: ShuffledDataset, parts: int = 1, threads: int = 1
) -> list[Trial]:
    """Run each candidate on the stream, with counts after each of `parts` equal parts.

    Banks, and learners outside of banks, are divided among `threads`: compiled passes hold no lock of Python.
    """
    groups = _groups(candidates, data)

    def run(places: list[int]) -> list[Trial]:
        alike = [candidates[place] for place in places]
        if in_banks(alike[0], data):
            return _run_bank(alike, stream, parts)
        return [_run_learner(candidate, data, stream, parts) for candidate in alike]

    with ThreadPoolExecutor(threads) as pool:
        found = list((pool.map if threads > 1 else map)(run, groups))
    trials = {
        place: trial
        for places, own in zip(groups, found, strict=True)
        for place, trial in zip(places, own, strict=True)
    }
    return [trials[place] for place in range(len(candidates))]


def _groups(candidates: list[Candidate], data: Dataset) -> list[list[int]]:
    """Return the places of candidates that run together: up to sixteen of a kind in a bank, others alone."""
    kinds = defaultdict(list)
    for place, candidate in enumerate(candidates):
        kinds[kind_of(candidate.update, candidate.query), candidate.at_zero].append(place)
    return [
        places[first : first + size]
        for places in kinds.values()
        for size in (LANES if in_banks(candidates[places[0]], data) else 1,)
        for first in range(0, len(places), size)
    ]


def in_banks(candidate: Candidate, data: Dataset) -> bool:
    """Return whether banks can run this candidate.

    Rules from outside the package run alone: there they need not work with vectors, and NaN is noticed.
    """
    update, query, _ = candidate
    return not data.many and is_known(update) and is_known(query) and can_share(update, query)


def _ends(rounds: int, parts: int) -> list[int]:
    """Return where each part ends."""
    return [rounds * part // parts for part in range(1, parts + 1)]


def _run_bank(candidates: list[Candidate], stream: ShuffledDataset, parts: int) -> list[Trial]:
    began, first, counts = time.perf_counter(), 0, []
    rules = [(candidate.update, candidate.query) for candidate in candidates]
    bank = Bank(rules, stream.X.shape[1], stream.X.dtype, float(candidates[0].at_zero))
    for last in _ends(len(stream.y), parts):
        bank.run(stream.rows.between(first, last), stream.y[first:last], stream.coins[first:last])
        counts.append(_of_lanes(bank, stream.y[:last]))
        first = last
    seconds = (time.perf_counter() - began) / len(candidates)
    return [Trial([moment[lane] for moment in counts], seconds) for lane in range(len(candidates))]


def _of_lanes(bank: Bank, y: Any) -> list[Counts]:
    positive = int((y > 0).sum())
    negative = len(y) - positive
    return [
        Counts(len(y), int(asked), int(updated), positive - int(p), int(n), negative - int(n), int(p))
        for asked, updated, p, n in zip(*bank.counts(), strict=True)
    ]


def _run_learner(candidate: Candidate, data: Dataset, stream: ShuffledDataset, parts: int) -> Trial:
    began = time.perf_counter()
    classes = list(range(len(data.classes))) if data.many else [-1, 1]
    settings = Settings(dtype=str(stream.X.dtype), sgn0=candidate.at_zero, classes=classes, multiclass=data.many)
    # The sweep warns of the scales of a data set once, so the core runs without the learner that warns each time.
    core = LearnerCore(candidate.update, candidate.query, settings)
    trace = core.run(stream.X, stream.y.astype(int), coins=stream.coins)
    right = np.where(trace.predictions == stream.y, 1, -1)
    truth, guesses = (np.ones_like(right), right) if data.many else (stream.y, stream.y * right)
    seen = events(truth, guesses, trace.asked, trace.updated)
    counts = [counted(seen, 0, last).counts for last in _ends(len(stream.y), parts)]
    return Trial(counts, time.perf_counter() - began)
