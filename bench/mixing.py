"""Parameter mixing compared with the sequential learner: `python -m bench.mixing` prints the table of the docs.

Each permutation of a data set is split into a test part and a stream. The stream is mixed with the functions that
Spark calls: in batches, each cut into partitions.
"""

import sys
from typing import Any, NamedTuple

import numpy as np

import askance
from askance.data import read
from askance.datasets import load
from askance.distributed.mixing import learned_from, mixed
from askance.learners.files import from_bytes, to_bytes

DATA = ("a8a", "rcv1_binary")
NAMES = ("PA-II", "PAA-II", "AROW-diag")
PARTITIONS = (1, 2, 4, 8)
BATCHES = (500, 2000, 8000)
PERMUTATIONS = 5
TEST = 0.2


class Score(NamedTuple):
    """Accuracy in per cent: of predictions before each label, and on the test part."""

    online: float
    test: float


def mixed_score(X: Any, y: Any, name: str, partitions: int, batch: int, permutation: int) -> Score:
    """Mix one stream and return its accuracies."""
    order = np.random.default_rng(permutation).permutation(len(y))
    test, stream = np.split(order, [int(TEST * len(y))])
    model = to_bytes(askance.make(name, classes=np.unique(y).tolist(), dtype="float64", random_state=permutation))
    mistakes = 0
    for first in range(0, len(stream), batch):
        parts = np.array_split(stream[first : first + batch], partitions)
        read_in = [read(X[part], y=y[part], dtype="float64") for part in parts if len(part)]
        learned = [learned_from(model, place, part) for place, part in enumerate(read_in)]
        mistakes += sum(part.mistakes for part in learned)
        model = mixed(model, learned)
    right = from_bytes(model).predict(X[test]) == y[test]
    return Score(100 * (1 - mistakes / len(stream)), 100 * float(np.mean(right)))


def mean_score(X: Any, y: Any, name: str, partitions: int, batch: int, permutations: int) -> Score:
    """Return the mean over permutations."""
    scores = [mixed_score(X, y, name, partitions, batch, number) for number in range(permutations)]
    return Score(*np.mean(scores, axis=0))


def main(permutations: int = PERMUTATIONS) -> None:
    """Print one line per data set, algorithm and number of rows per batch."""
    heads = ["data", "algorithm", "rows per batch", *(f"{one} partitions" for one in PARTITIONS[1:])]
    print("| " + " | ".join([*heads[:2], "sequential", *heads[2:]]) + " |")
    print("|---" * (len(heads) + 1) + "|")
    for data in DATA:
        X, y = load(data)
        for name in NAMES:
            alone = mean_score(X, y, name, 1, len(y), permutations)
            for batch in BATCHES:
                found = [mean_score(X, y, name, one, batch, permutations) for one in PARTITIONS[1:]]
                cells = [f"{one.online:.1f} / {one.test:.1f}" for one in (alone, *found)]
                print("| " + " | ".join([data, name, cells[0], f"{batch:,}", *cells[1:]]) + " |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
