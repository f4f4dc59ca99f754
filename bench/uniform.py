"""`python -m bench.uniform`: labels for a certificate, and for betting on labels that are drawn uniformly.

`AutoLearner(certify=0.02)` asks about a tenth of a stream. The labels in its set when that is first certified are
counted. Beside it, labels are drawn from all rows with one probability, from the first row of the set on. Those of
the same set go into the upper limit for a mean by hedged betting, of Waudby-Smith and Ramdas (2024), until that is
below the error allowed. Many streams end before that: their labels count as if the last one had been enough.
"""

import argparse
import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import askance
from askance.metrics import Certifier
from bench.certified import Setting, stream

SETS = ("spamassassin", "spam_corpus", "reuters_r8")
ERROR, LEVEL, RATE = 0.02, 0.95, 0.1


class Way(NamedTuple):
    """How to bet: with a half of the capital on too small a mean or with none, and the most that is staked."""

    hedged: bool
    most: float


WAYS = {"as in confseq": Way(True, 0.5), "upper limit only, bolder": Way(False, 0.75)}


def labels_needed(losses: Iterable[float], error: float, level: float, way: Way) -> int | None:
    """The number of losses from 0 to 1 after which betting says that their mean is at most `error`."""
    needed = math.log((2 if way.hedged else 1) / (1 - level))
    total, squares, capital = 0.5, 0.25, 0.0
    for count, loss in enumerate(losses, 1):
        variance = squares / count
        stake = math.sqrt(2 * math.log(2 / (1 - level)) / (variance * count * math.log1p(count)))
        capital += math.log1p(-min(stake, way.most / (1 - error)) * (loss - error))
        total += loss
        squares += (loss - total / (count + 1)) ** 2
        if capital >= needed:
            return count
    return None


class Found(NamedTuple):
    """Labels in the set, and for each way the labels drawn from all rows and whether they were enough."""

    labels: int
    uniform: list[tuple[int, bool]]


def compare(name: str, order: int) -> Found | None:
    """Compare on one stream; None if nothing is certified."""
    X, y = stream(Setting(name, order, ERROR, RATE, 0, 0.0))
    trace = askance.AutoLearner(RATE, certify=ERROR, random_state=order).run(X, y)
    wrong = trace.predicted_codes != trace.true_codes
    first = _first_certified(trace, wrong)
    if first is None:
        return None
    labels, since, members = first
    drawn = np.random.default_rng(20_000 + order).random(len(wrong)) < RATE
    drawn[:since] = False
    rows = np.flatnonzero(drawn & members)
    found = []
    for way in WAYS.values():
        count = labels_needed(wrong[rows].astype(float), ERROR, LEVEL, way)
        until = len(wrong) if count is None else rows[count - 1] + 1
        found.append((int(np.count_nonzero(drawn[:until])), count is not None))
    return Found(labels, found)


def _first_certified(trace: askance.Trace, wrong: NDArray[np.bool_]) -> tuple[int, int, NDArray[np.bool_]] | None:
    """The labels and the first row of the set that is certified first, and which rows have its thresholds."""
    certifier, first = Certifier(ERROR, LEVEL, widest=trace.widest), None
    members = np.zeros(len(wrong), bool)
    columns = (trace.confidences, trace.ask_probabilities, trace.asked, wrong)
    for row, (confidence, chance, asked, is_wrong) in enumerate(
        zip(*(one.tolist() for one in columns), strict=True)
    ):
        members[row] = certifier.includes(confidence, chance)
        certifier.add(confidence, chance, asked)
        if asked:
            certifier.tell(row, is_wrong)
        if first is None and certifier.certified:
            certificate = certifier.certificate()
            first = certificate.labels, certificate.since
    return None if first is None else (*first, members)


def main() -> None:
    """Compare, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--orders", type=int, default=20)
    given = parser.parse_args()
    table = Table("set", "certified", "labels in the set, median", "betting", "enough", "labels, median", "ratio")
    for name in given.sets:
        found = [one for order in range(given.orders) if (one := compare(name, order)) is not None]
        for place, way in enumerate(WAYS):
            labels = np.array([one.labels for one in found])
            uniform = np.array([one.uniform[place][0] for one in found])
            enough = np.mean([one.uniform[place][1] for one in found])
            table.add_row(
                *(name, str(len(found)), f"{np.median(labels):.0f}", way, f"{enough:.0%}"),
                *(f"{np.median(uniform):.0f}", f"{np.median(labels / uniform):.2f}"),
            )
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
