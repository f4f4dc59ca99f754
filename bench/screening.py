"""`python -m bench.screening`: how much of a pool need not be read to find 95 % of the positives.

Fifteen topics of Reuters-21578, each with 1 to 10 % of the stories. Beside it, the test of Callaghan and
Müller-Hansen (2020), "Statistical stopping criteria for automated screening in systematic reviews": stories are
read by the same ranking, and reading stops when some last part of them, taken for a random sample, rejects that
the recall is too low.
"""

import argparse
import gzip
import json
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.stats import hypergeom
from sklearn.feature_extraction.text import CountVectorizer

from askance.auto.core import AutoCore
from askance.auto.rows import part, plain
from askance.auto.settings import AutoSettings
from askance.pool import Screening
from bench.league.tasks import folder

TOPICS, RAREST, COMMONEST = 15, 0.009, 0.1
RECALL, LEVEL = 0.95, 0.95
TEST_EVERY, BEGIN_EVERY = 100, 20  # readings: how often the peer tests, and the last parts that it tests


class Outcome(NamedTuple):
    """What was found, and which share of the pool was not read."""

    recall: float
    saved: float


def stories() -> tuple[list[str], list[set[str]]]:
    """The stories of the ModApte split, and their topics."""
    texts, topics = [], []
    with gzip.open(folder() / "reuters21578.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            story = json.loads(line)
            if story["lewissplit"] in ("TRAIN", "TEST") and story["topics_attr"] == "YES":
                texts.append(story["text"])
                topics.append(set(story["label"]))
    return texts, topics


def read_ranked(X: Any, y: NDArray[np.bool_], order: int) -> Outcome:
    """Read by the same ranking, and stop by the peer's test."""
    rows, random = plain(X), np.random.default_rng(order)
    core = AutoCore(AutoSettings(memory=3000, random_state=order, classes=[False, True]))
    core.start(rows)
    core.observe(rows)
    unread, given, learned, ranking = np.ones(len(y), bool), [], 0, list(random.permutation(len(y)))
    while len(given) < len(y):
        row = int(ranking.pop())
        if not unread[row]:
            continue
        unread[row] = False
        given.append(bool(y[row]))
        core.tell(part(rows, row, row + 1), np.array([bool(y[row])]))
        learned += 1
        if any(given) and learned >= 10:
            chances = np.where(unread, core.probabilities(rows)[:, 1], -1.0)
            ranking, learned = list(np.argsort(chances, kind="stable")), 0
        if len(given) % TEST_EVERY == 0 and any(given) and may_stop(np.array(given), len(y)):
            break
    return Outcome(sum(given) / y.sum(), 1 - len(given) / len(y))


def may_stop(given: NDArray[np.bool_], rows: int) -> bool:
    """Whether some last part of the readings would be unlikely as a random sample if the recall were too low."""
    found = np.concatenate([[0], np.cumsum(given)])
    before = np.arange(0, len(given), BEGIN_EVERY)  # readings before the part
    missed = np.floor(found[-1] / RECALL - found[before] + 1)
    chances = hypergeom.cdf(found[-1] - found[before], rows - before, missed, len(given) - before)
    return bool(np.nanmin(chances) < 1 - LEVEL)


def measure(job: tuple[Any, NDArray[np.bool_], int]) -> tuple[Outcome, Outcome]:
    """Both ways for one topic and order."""
    X, y, order = job
    ours = Screening(X, recall=RECALL, level=LEVEL, random_state=order).run(y)
    saved = 1 - ours.certifier.read / len(y)
    return Outcome(len(ours.positives) / y.sum(), saved), read_ranked(X, y, order)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=4)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    texts, topics = stories()
    X = CountVectorizer(min_df=2).fit_transform(texts).astype(float)
    counts = Counter(topic for each in topics for topic in each)
    usual = [name for name, count in counts.most_common() if RAREST <= count / len(texts) <= COMMONEST]
    table = Table(title=f"{len(texts):,} stories, {given.orders} orders, recall {RECALL:.0%} at level {LEVEL:.0%}")
    for heading in ("topic", "positives", "not read", "recall", "too low", "peer: not read", "recall", "too low"):
        table.add_column(heading)
    every, console = [], Console(width=120)
    with ProcessPoolExecutor(given.processes) as pool:
        for name in usual[:TOPICS]:
            y = np.array([name in each for each in topics])
            found = list(pool.map(measure, [(X, y, order) for order in range(given.orders)]))
            every += found
            table.add_row(name, str(y.sum()), *_cells(found))
            console.print(name, *_cells(found))  # it takes long
    table.add_row("all", "", *_cells(every))
    console.print(table)


def _cells(found: list[tuple[Outcome, Outcome]]) -> list[str]:
    cells = []
    for outcomes in zip(*found, strict=True):
        low = sum(one.recall < RECALL for one in outcomes)
        cells += [
            f"{np.mean([one.saved for one in outcomes]):.0%}",
            f"{np.mean([one.recall for one in outcomes]):.3f}",
            f"{low} of {len(outcomes)}",
        ]
    return cells


if __name__ == "__main__":
    main()
