"""Recorded crowds: `python -m bench.crowds` prints the tables of the guide.

All votes: the accuracy of `Crowd`, of the majority, and of crowd-kit's Dawid-Skene, GLAD and MACE. Half of the
votes: all votes on the first items, up to 5 % of the votes; then `VoteBuyer` chooses in rounds, among the recorded
votes, whom to ask about which item. An order is the recorded one or a random one: it says which items are first,
and which of equal offers. Crowd-kit is measured if it is installed, and without `--alone`: MACE takes hours.
"""

import sys
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.annotators import Crowd, Offer, VoteBuyer
from askance.datasets.finding import find

NAMES = ("rte", "dog", "web", "trec", "polarity", "sentiment", "faces", "product")
PEERS = ("DawidSkene", "GLAD", "MACE")
ORDERS = 5
SHARE, FIRST, ROUNDS = 0.5, 0.05, 40

Pairs = dict[tuple[int, int], int]


class Recorded(NamedTuple):
    """Recorded votes by item and annotator, in an order, and the true classes of some items."""

    votes: Pairs
    truth: dict[int, int]
    classes: range

    def ordered(self, order: int) -> "Recorded":
        """The same votes in another order; 0 is the recorded one."""
        votes = list(self.votes.items())
        places = range(len(votes)) if not order else np.random.default_rng(order).permutation(len(votes))
        return self._replace(votes=dict(votes[place] for place in places))

    def accuracy(self, predicted: dict[Any, Any]) -> float:
        """The accuracy in per cent; an item without a prediction counts as wrong."""
        return 100 * float(np.mean([predicted.get(item) == label for item, label in self.truth.items()]))


def recorded(name: str) -> Recorded:
    """Read a recorded crowd."""
    data = np.load(find(f"crowd_{name}").paths[0])
    keys = zip(data["items"].tolist(), data["workers"].tolist(), strict=True)
    votes = dict(zip(keys, data["labels"].tolist(), strict=True))
    truth = dict(zip(data["truth_items"].tolist(), data["truth"].tolist(), strict=True))
    return Recorded(votes, truth, range(max(votes.values()) + 1))


def crowd_of(votes: Pairs, classes: range) -> Crowd:
    """A crowd that has all these votes."""
    crowd = Crowd(classes)
    for (item, annotator), label in votes.items():
        crowd.tell(item, annotator, label)
    return crowd


# ---------------------------------------------------------------------- all votes


def majority(votes: Pairs, classes: range) -> dict[int, int]:
    """The class with the most votes; of equal ones, one at random."""
    table: dict[int, NDArray[np.float64]] = {}
    for (item, _), label in votes.items():
        table.setdefault(item, np.zeros(len(classes)))[label] += 1
    random = np.random.default_rng(0)
    return {item: int(np.argmax(row + 0.5 * random.random(len(row)))) for item, row in table.items()}


def peer(name: str, votes: Pairs) -> dict[int, int] | None:
    """The classes that a method of crowd-kit finds, or None if it is not installed."""
    try:
        import crowdkit.aggregation as peers
        import pandas
    except ImportError:
        return None
    method = {"DawidSkene": lambda: peers.DawidSkene(100), "GLAD": peers.GLAD, "MACE": peers.MACE}[name]()
    rows = [(item, annotator, label) for (item, annotator), label in votes.items()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = method.fit_predict(pandas.DataFrame(rows, columns=["task", "worker", "label"]))
    return {int(item): int(label) for item, label in found.items()}


def all_votes(name: str, peers: bool) -> list[float | None]:
    """The accuracies of `Crowd`, the majority and the peers."""
    crowd = recorded(name)
    found = [crowd_of(crowd.votes, crowd.classes).predict(), majority(crowd.votes, crowd.classes)]
    others = [peer(one, crowd.votes) if peers else None for one in PEERS]
    return [None if one is None else crowd.accuracy(one) for one in [*found, *others]]


# ---------------------------------------------------------------------- half of the votes


def bought(recorded: Recorded, share: float) -> Crowd:
    """Buy a share of the recorded votes."""
    budget = int(share * len(recorded.votes))
    crowd, left = Crowd(recorded.classes), dict(recorded.votes)
    by_item: dict[int, list[tuple[int, int]]] = {}
    for pair in recorded.votes:
        by_item.setdefault(pair[0], []).append(pair)
    for pairs in by_item.values():
        if crowd.n_votes + len(pairs) > FIRST * len(recorded.votes):
            break
        for pair in pairs:
            crowd.tell(*pair, left.pop(pair))
    step = max(1, (budget - crowd.n_votes) // ROUNDS)
    while crowd.n_votes < budget:
        offers = [Offer(*pair) for pair in left]
        for offer in VoteBuyer(level=1).best(crowd, offers, min(step, budget - crowd.n_votes)):
            crowd.tell(*offer, left.pop(offer))
    return crowd


def main(orders: int = ORDERS, *, peers: bool = True) -> None:
    """Print the tables."""
    print("| set | Crowd | majority | Dawid-Skene | GLAD | MACE | half, recorded order | half, random orders |")
    print("|---" * 8 + "|")
    rows = []
    for name in NAMES:
        row: list[float | None] = all_votes(name, peers)
        halves = [
            one.accuracy(bought(one, SHARE).predict()) for one in map(recorded(name).ordered, range(orders + 1))
        ]
        rows.append([*row, halves[0], float(np.mean(halves[1:]))])
        print_row(name, rows[-1])
    print_row("mean", [None if None in column else float(np.mean(column)) for column in zip(*rows, strict=True)])


def print_row(name: str, values: list[float | None]) -> None:
    """Print a line of a table."""
    cells = ["" if value is None else f"{value:.1f}" for value in values]
    print("| " + " | ".join([name, *cells]) + " |", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), peers="--alone" not in sys.argv)
