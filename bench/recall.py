"""`python -m bench.recall`: how often the certificate of a screening promises more than has been found.

The rarest class of each data set is what a screening looks for, in pools of 600 rows of which one in ten is
positive. With `--hidden`, that share of the positives are rows like the others, so that no model ranks them high.
After every reading, the recall that is certified is compared with the true one. Labels cannot be late here: the
next row is chosen after the answer to the last.
"""

import argparse
import functools
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from askance.pool import Screening
from bench.certified import SETS
from bench.league.tasks import RAREST, folder, load

ROWS, POSITIVES = 600, 60
RECALL = 0.95


class Outcome(NamedTuple):
    """What became of one screening."""

    violated: bool  # at any time
    recall: float  # at the end
    saved: float  # the share of rows that were not read


@functools.lru_cache(maxsize=1)
def rows_of(name: str) -> tuple[Any, NDArray[np.int64]]:
    """The rows of a data set; the rarest class is 1, the others are 0."""
    return load(folder(), name + RAREST)


def pool(name: str, order: int, hidden: float) -> tuple[Any, NDArray[np.bool_]]:
    """Some rows of a data set, and which of them are positive."""
    X, y = rows_of(name)
    random = np.random.default_rng(order)
    rare, others = (random.permutation(np.flatnonzero(y == code)) for code in (1, 0))
    like_others = round(hidden * POSITIVES)
    alike = rare[: POSITIVES - like_others]
    rows = np.concatenate([alike, others[: ROWS - len(alike)]])
    positive = np.arange(len(rows)) < len(alike) + like_others
    mixed = random.permutation(len(rows))
    return X[rows[mixed]], positive[mixed]


def measure(name: str, hidden: float, order: int) -> Outcome:
    """Screen one pool, and look at the certificate after every reading."""
    X, positive = pool(name, order, hidden)
    screening = Screening(X, recall=RECALL, random_state=order)
    recall, violated = 0.0, False
    while (reading := screening.next()) is not None:
        screening.answer(bool(positive[reading.row]))
        recall = len(screening.positives) / int(positive.sum())
        violated |= screening.certifier.recall > recall
    return Outcome(violated, recall, 1 - screening.certifier.read / len(positive))


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--orders", type=int, default=20)
    parser.add_argument("--hidden", type=float, default=0.0, help="the share of positives that are like others")
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    table = Table("set", "pools", "wrong certificates", "recall below 95 %", "recall", "not read")
    with ProcessPoolExecutor(given.processes) as workers:
        for name in given.sets:
            work = functools.partial(measure, name, given.hidden)
            found = list(workers.map(work, range(given.orders), chunksize=10))
            table.add_row(
                name,
                str(len(found)),
                str(sum(one.violated for one in found)),
                str(sum(one.recall < RECALL for one in found)),
                f"{np.mean([one.recall for one in found]):.1%}",
                f"{np.mean([one.saved for one in found]):.0%}",
            )
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
