"""Which rows of a stream to ask about: the most doubtful share of recent ones, and some at random."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined

RECENT = 400  # rows to which a row is compared
CATCHING_UP = 0.3  # how much more is asked for each label that the plan is behind
MOST_BEHIND = 60.0

ROWS, ASKED, REFUSED = range(3)  # positions in `Past.counts`


class Plan(NamedTuple):
    """What is wanted.

    Labels per row, and the share of them asked at random. In the beginning `first` labels at once, and until there
    are `burst` of them a higher rate.
    """

    rate: float
    audit: float
    first: int
    burst: int
    early_rate: float


class Past(NamedTuple):
    """The certainty of recent rows (a ring), how far the plan is behind, and counts."""

    recent: NDArray[np.float64]
    behind: NDArray[np.float64]
    counts: NDArray[np.int64]


@inlined
def decide(certainty: float, coin: float, plan: Any, past: Any, granted: bool) -> tuple[bool, float]:
    """Return whether to ask about the next row, and with which probability it is asked about."""
    counts, recent = past.counts, past.recent
    known = min(counts[ROWS], RECENT)
    lower = 0
    for place in range(known):
        lower += recent[place] < certainty
    early = counts[ASKED] < plan.burst
    rate = max(plan.rate, plan.early_rate) if early else plan.rate
    share = rate * (1.0 - plan.audit) * (1.0 + CATCHING_UP * max(0.0, past.behind[0]))
    doubtful = counts[ASKED] < plan.first or (lower <= share * known and past.behind[0] > -1.0)
    probability = 1.0 if doubtful else plan.audit * rate
    within = counts[ASKED] + 1 <= plan.burst + plan.rate * (counts[ROWS] + 1)
    if counts[ASKED] >= plan.first and granted:
        behind = past.behind[0] + rate - (probability if within else 0.0)
        past.behind[0] = min(MOST_BEHIND, max(-MOST_BEHIND, behind))
    recent[counts[ROWS] % RECENT] = certainty
    counts[ROWS] += 1
    wanted = coin < probability
    counts[ASKED] += wanted and within
    counts[REFUSED] += wanted and not within
    return wanted and within, probability if within else 0.0


def no_past() -> Past:
    """Return the past before the first row."""
    return Past(np.zeros(RECENT), np.zeros(1), np.zeros(3, np.int64))
