"""`python -m bench.league.frequent`: always predict the class that is most frequent among the labels so far.

The first ten rows are labelled, and then rows at random. In how many cells (set and budget) is this more than half
a point worse over the stream than always predicting the larger class, which nobody knows beforehand?
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.league.scripts import FIRST
from bench.league.tasks import budgets, folder, load, names, task

CLEARLY = 0.5  # points


def points(y: NDArray[np.int64], labels: int, order: int) -> float:
    """By how many points of accuracy this is better over a stream than always predicting the larger class."""
    asked = np.arange(len(y)) < FIRST
    rest = np.random.default_rng(order).choice(np.arange(FIRST, len(y)), labels - FIRST, replace=False)
    asked[rest] = True
    seen = np.zeros((len(y) + 1, int(y.max()) + 1))
    seen[1:][asked, y[asked]] = 1
    predicted = seen.cumsum(axis=0)[:-1].argmax(axis=1)
    return 100 * float((predicted == y).mean() - np.bincount(y).max() / len(y))


def cells(directory: Path, orders: int) -> Iterator[tuple[str, str, float]]:
    """The mean points of every set and budget."""
    for name in names(directory):
        X, y = load(directory, name)
        streams = [task(name, X, y, order).y for order in range(orders)]
        for budget, labels in budgets(len(streams[0])).items():
            yield name, budget, float(np.mean([points(y, labels, order) for order, y in enumerate(streams)]))


def main() -> None:
    """Print the cells that are clearly below."""
    parser = argparse.ArgumentParser(prog="python -m bench.league.frequent", description=__doc__)
    parser.add_argument("--orders", type=int, default=10, metavar="N", help="random orders of every set")
    options = parser.parse_args()
    found = list(cells(folder(), options.orders))
    below = [cell for cell in found if cell[2] < -CLEARLY]
    for name, budget, mean in sorted(below, key=lambda cell: cell[2]):
        print(f"{name:20s} {budget:>4s} {mean:+6.1f}")
    print(f"{len(below)} of {len(found)} cells are more than {CLEARLY} points below the larger class")


if __name__ == "__main__":
    main()
