"""Which questions to ask: about the pairs of a row and a label, or the rows, that are least certain.

What is less certain than a running quantile is asked about, and everything else with a small known probability.
The quantile follows the budget: after every row it moves towards the certainty below which as many questions lie
as are to be spent. All of it is decided before the coins of the row are known.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.splitmix import scrambled
from askance.jit.coins import coins
from askance.multilabel.settings import PAIRS, MultiLabelSettings

Numbers = NDArray[np.float64]

FIRST_ROWS = 10  # all labels are asked for: until then there is nothing to doubt
RESERVE = 8  # questions that the doubtful leave to those drawn at random
HORIZON = 50.0  # rows within which what was not spent is to be spent
SPEED = 0.1  # the largest change of the quantile's logarithm per row
LEAST, MOST = 1e-6, 1e6  # limits of the quantile

ROWS, ASKED, REFUSED, SEEN = range(4)  # positions in `Questions.counts`


class Questions(NamedTuple):
    """The quantile of certainty, and counts: rows seen, pairs asked about, refused, and seen."""

    quantile: Numbers
    counts: NDArray[np.int64]


class Answer(NamedTuple):
    """The probabilities of asking for each label, and which labels are asked for."""

    chances: Numbers
    asked: NDArray[np.bool_]


def no_questions() -> Questions:
    """Return the state before the first row."""
    return Questions(np.ones(1), np.zeros(4, np.int64))


def most_allowed(questions: Questions, labels: int, settings: MultiLabelSettings) -> float:
    """Return the number of pairs that may have been asked about by now."""
    limit = math.inf if settings.limit is None else settings.limit
    return min(limit, math.floor(FIRST_ROWS * labels + settings.rate * float(questions.counts[SEEN])))


def decide(
    margins: Numbers, questions: Questions, settings: MultiLabelSettings, *, granted: bool = True
) -> Answer:
    """Decide what to ask about a row with these distances of scores from thresholds. Advances the round."""
    labels, counts = len(margins), questions.counts
    by_pair = settings.questions == PAIRS
    certainty = np.abs(margins) if by_pair else np.abs(margins).min(keepdims=True, initial=math.inf)
    cost = 1 if by_pair else labels
    row = int(counts[ROWS])
    counts[ROWS] += 1
    counts[SEEN] += labels
    left = int((most_allowed(questions, labels, settings) - counts[ASKED]) // max(1, cost))
    chances = _chances(certainty, questions, settings, left, first=row < FIRST_ROWS)
    tossed = _coins(settings.random_state, row, len(certainty), by_pair=by_pair)
    wanted = tossed < chances
    within = np.cumsum(wanted) - wanted < left  # each coin is tossed if there is something left to spend
    chances = np.where(within, chances, 0.0)
    asked = wanted & within
    counts[REFUSED] += cost * int(np.count_nonzero(wanted & ~(within & granted)))
    counts[ASKED] += cost * int(np.count_nonzero(asked & granted))
    return Answer(np.broadcast_to(chances, labels).copy(), np.broadcast_to(asked, labels).copy())


def _chances(
    certainty: Numbers, questions: Questions, settings: MultiLabelSettings, left: int, *, first: bool
) -> Numbers:
    """Return the probabilities of asking, before it is known what is left. Moves the quantile."""
    rate, units = float(settings.rate), len(certainty)
    if first or rate >= 1.0:
        return np.ones(units)
    at_random = settings.audit * rate
    doubtful = certainty < questions.quantile[0]
    spare = left - RESERVE
    if np.count_nonzero(doubtful) > spare:
        keep = np.argsort(np.where(doubtful, certainty, math.inf), kind="stable")[: max(0, spare)]
        doubtful = np.isin(np.arange(units), keep) & doubtful
    wanted = max(0.0, (rate - at_random) * units + spare / HORIZON)
    found = float(np.count_nonzero(certainty < questions.quantile[0]))
    step = SPEED * (wanted - found) / max(1.0, wanted + found)
    questions.quantile[0] = min(MOST, max(LEAST, questions.quantile[0] * math.exp(step)))
    return np.where(doubtful, 1.0, at_random)


def _coins(random_state: int, row: int, units: int, *, by_pair: bool) -> Numbers:
    """Return the coins of a row: each is a function of the seed, the row and the number of the label alone."""
    if not by_pair:
        return coins(random_state, row, 1)
    with np.errstate(over="ignore"):  # 64-bit arithmetic is meant to wrap
        seed = int(scrambled(np.uint64(random_state) ^ scrambled(np.uint64(row + 1))))
    return coins(seed, 0, units)
