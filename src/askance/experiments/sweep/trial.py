"""Trials: learners on one permutation of a data set, side by side in banks where they can be."""

import time
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from askance.engine.bank import Bank, can_share, kind_of
from askance.experiments.dataset import Material, Shuffled
from askance.jit.simd.lane_tuples import LANES
from askance.learners.learner import Learner
from askance.metrics import Counts
from askance.metrics.tally import counted, events


class Candidate(NamedTuple):
    """A learner that is tried: its rules, and sgn(0)."""

    update: Any
    query: Any
    at_zero: int


class Trial(NamedTuple):
    """What a learner did: its counts after each part of the stream, and the seconds that it took."""

    counts: list[Counts]
    seconds: float


def play(candidates: list[Candidate], data: Material, stream: Shuffled, parts: int = 1) -> list[Trial]:
    """Send each through the stream; the counts are taken after each of `parts` equal parts."""
    kinds = defaultdict(list)
    for place, candidate in enumerate(candidates):
        kinds[kind_of(candidate.update, candidate.query), candidate.at_zero].append(place)
    trials: dict[int, Trial] = {}
    for places in kinds.values():
        alike = [candidates[place] for place in places]
        trials |= zip(places, _of_a_kind(alike, data, stream, parts), strict=True)
    return [trials[place] for place in range(len(candidates))]


def _of_a_kind(alike: list[Candidate], data: Material, stream: Shuffled, parts: int) -> list[Trial]:
    if not in_banks(alike[0], data):
        return [_alone(candidate, data, stream, parts) for candidate in alike]
    banks = [alike[first : first + LANES] for first in range(0, len(alike), LANES)]
    return [trial for bank in banks for trial in _together(bank, stream, parts)]


def in_banks(candidate: Candidate, data: Material) -> bool:
    """Whether banks can run learners of this kind."""
    return not data.many and can_share(candidate.update, candidate.query)


def _ends(rounds: int, parts: int) -> list[int]:
    """Where each part ends."""
    return [rounds * part // parts for part in range(1, parts + 1)]


def _together(candidates: list[Candidate], stream: Shuffled, parts: int) -> list[Trial]:
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


def _alone(candidate: Candidate, data: Material, stream: Shuffled, parts: int) -> Trial:
    began = time.perf_counter()
    classes = list(range(len(data.classes))) if data.many else [-1, 1]
    learner = Learner(
        candidate.update,
        candidate.query,
        dtype=str(stream.X.dtype),
        sgn0=candidate.at_zero,
        classes=classes,
        multiclass=data.many,
    )
    trace = learner.run(stream.X, stream.y.astype(int), coins=stream.coins)
    right = np.where(trace.predictions == stream.y, 1, -1)
    truth, guesses = (np.ones_like(right), right) if data.many else (stream.y, stream.y * right)
    seen = events(truth, guesses, trace.asked, trace.updated)
    counts = [counted(seen, 0, last).counts for last in _ends(len(stream.y), parts)]
    return Trial(counts, time.perf_counter() - began)
