"""`python -m bench.hindsight`: how often a stream could be certified by somebody who knows all labels.

For the predictions of `AutoLearner(certify=0.02)`, the first row and the threshold of the set are the best ones in
hindsight, the bet is the best one for the mistakes that are found, and all of δ is for this set. Only the coins
are left to chance. Confident rows are asked about as the learner does it, or with all labels that the rate allows.
The set has to be certified after four fifths of the stream.
"""

import argparse
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.stats import binom

import askance
from askance.auto.steering import SHARE, widest
from bench.certified import LAST, Setting, stream
from bench.uniform import ERROR, LEVEL, RATE, SETS

BETS = np.linspace(0.3, 0.995, 60)
SHARES = np.arange(0.2, 1.01, 0.05)
FIRST, EVERY, FEWEST = 300, 200, 500  # rows: where sets may begin, and how many they have at least


class Best(NamedTuple):
    """The highest probability of a certificate, and the largest share of rows that is certified on average."""

    chance: float
    share: float


def mistakes_allowed(labels: int, probability: float) -> int:
    """The most mistakes among the labels with which the best bet certifies their set; -1 if none will do."""
    stakes = BETS * min(probability, 0.999)
    evidence = -labels / min(probability, 0.999) * ERROR * np.log1p(-stakes) + np.log(1 - LEVEL)
    allowed = np.floor(evidence / -np.log1p(-BETS)).max()
    return int(max(-1, allowed))


def best(confidences: NDArray[np.float64], wrong: NDArray[np.bool_], *, everything: bool) -> Best:
    """The best set in hindsight, as the learner asks or with `everything` that the rate allows."""
    chance = expected = 0.0
    end = int(len(wrong) * (1 - LAST))
    for since in range(FIRST, end - FEWEST, EVERY):
        order = np.argsort(-confidences[since:end], kind="stable")
        mistakes = np.cumsum(wrong[since:end][order])
        for share in SHARES:
            rows = int(share * len(order))
            probability = min(1.0, RATE / share) if everything else SHARE * RATE / widest(ERROR)
            labels = int(probability * rows)
            found = float(binom.cdf(mistakes_allowed(labels, probability), labels, mistakes[rows - 1] / rows))
            chance, expected = max(chance, found), max(expected, found * share)
    return Best(chance, expected)


def main() -> None:
    """Look back, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--orders", type=int, default=20)
    given = parser.parse_args()
    table = Table("set", "certified, as asked", "share", "certified, with all labels", "share")
    for name in given.sets:
        found = []
        for order in range(given.orders):
            X, y = stream(Setting(name, order, ERROR, RATE, 0, 0.0))
            trace = askance.AutoLearner(RATE, certify=ERROR, random_state=order).run(X, y)
            wrong = trace.predicted_codes != trace.true_codes
            found.append([*(best(trace.confidences, wrong, everything=one) for one in (False, True))])
        table.add_row(name, *(f"{one:.2f}" for one in np.mean(found, axis=0).ravel()))
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
