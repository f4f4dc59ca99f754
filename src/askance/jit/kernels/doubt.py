"""Which rows of a stream to ask about: the most doubtful share of recent ones, and some at random.

While labels are few, a part of the questions is about the rows that are least like those with a label: models that
have not seen a class are not in doubt about it.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined
from askance.jit.select import where

RECENT = 400  # rows to which a row is compared
CATCHING_UP = 0.3  # how much more is asked for each label that the plan is behind
MOST_BEHIND = 60.0
# Labels kept for questions at random, so that their probability is seldom 0: one in 50 so far, and at most three.
AUDITS, PER_AUDIT = 3.0, 50.0
CONFIDENT = 20.0  # labels kept for confident rows while a part of the stream is to be certified
PER_LOGARITHM = 7.0  # questions for each e-fold of rows, while all labels are of one class

ROWS, ASKED, REFUSED = range(3)  # positions in `Past.counts`


class Plan(NamedTuple):
    """What is wanted.

    At most `burst` labels and `rate` more per row, of which the learner asks for `steady` now, and the share of
    them asked at random. In the beginning `first` labels at once, and until the burst is spent, `early_rate` of
    the rows beyond those of the steady rate. Of the first `burst` labels, `unusual` is the share that is about
    unusual rows. Never more than `limit` in all. Rows of at least the certainty `certain` are asked about with one
    probability, so that it can be certified how few mistakes they have. After a number of labels, `pause_at`, the
    loop returns.
    """

    rate: float
    steady: float
    audit: float
    first: int
    burst: int
    early_rate: float
    limit: float
    unusual: float
    certain: float = math.inf
    certain_chance: float = 0.0
    pause_at: float = math.inf


class Past(NamedTuple):
    """Of recent rows, the certainty and the likeness to labelled ones (rings), the plan's delay, and counts."""

    recent: NDArray[np.float64]
    likeness: NDArray[np.float64]
    behind: NDArray[np.float64]
    counts: NDArray[np.int64]


@inlined
def chance(certainty: float, recent: Any, rows: int, behind: float, rate: float, audit: float) -> float:
    """Return the probability of asking about a row, given the certainty of recent ones.

    It is 1 for the least certain share of rows, unless the plan is more than a label ahead, and `audit` · `rate`
    for all others. At rate 1 it is 1 for all rows.
    """
    known = min(rows, recent.shape[0])
    lower = 0
    for place in range(known):
        lower += recent[place] < certainty
    share = rate * (1.0 - audit) * (1.0 + CATCHING_UP * max(0.0, behind))
    doubtful = (lower <= share * known) & (share > 0.0) & (behind > -1.0)
    probability: float = where(doubtful | (rate >= 1.0), 1.0, audit * rate)
    return probability


@inlined
def further_behind(behind: float, rate: float, probability: float) -> float:
    """Return how many labels the plan is behind after a row that was asked about with this probability."""
    return min(MOST_BEHIND, max(-MOST_BEHIND, behind + rate - probability))


@inlined
def decide(
    certainty: float, likeness: float, coin: float, plan: Any, past: Any, granted: bool, several: bool
) -> tuple[bool, float]:
    """Return whether to ask about the next row, and with which probability it is asked about.

    While not `several` classes are known, early questions become rarer: a stream may begin with rows of one class.
    Rows after the limit, or whose label is not `granted`, do not put the plan behind.
    """
    counts = past.counts
    more = (1.0 - plan.steady) * plan.early_rate
    is_early = counts[ASKED] < plan.burst or (counts[ROWS] - plan.first) * more < plan.burst - plan.first
    early = plan.steady + more if several else min(plan.steady + more, PER_LOGARITHM / (counts[ROWS] + 1.0))
    rate = max(plan.steady, early) if is_early else plan.steady
    most = plan.burst + plan.rate * (counts[ROWS] + 1)  # labels that may have been asked for by now
    probability = 1.0
    if counts[ASKED] >= plan.first:
        # Doubtful rows wait while what is left is kept for others.
        kept = min(AUDITS, counts[ASKED] / PER_AUDIT) if plan.certain == np.inf else CONFIDENT
        behind = past.behind[0] if counts[ASKED] + kept < most else -MOST_BEHIND
        unusual = plan.unusual * rate if counts[ASKED] < plan.burst and rate < 1.0 else 0.0
        probability = chance(certainty, past.recent, counts[ROWS], behind, rate - unusual, plan.audit)
        if unusual > 0.0:
            probability += chance(likeness, past.likeness, counts[ROWS], behind, unusual, plan.audit)
            probability = min(1.0, probability)
        if certainty >= plan.certain:
            probability = plan.certain_chance
    left = counts[ASKED] < plan.limit
    within = left and counts[ASKED] + 1 <= most
    if counts[ASKED] >= plan.first and granted and left:
        past.behind[0] = further_behind(past.behind[0], rate, probability if within else 0.0)
    past.recent[counts[ROWS] % RECENT] = certainty
    past.likeness[counts[ROWS] % RECENT] = likeness
    counts[ROWS] += 1
    wanted = coin < probability
    counts[ASKED] += wanted and within and granted
    counts[REFUSED] += wanted and not (within and granted)
    return wanted and within, probability if within else 0.0


def no_past() -> Past:
    """Return the past before the first row."""
    return Past(np.zeros(RECENT), np.zeros(RECENT), np.zeros(1), np.zeros(3, np.int64))
