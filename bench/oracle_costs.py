"""`python -m bench.oracle_costs`: what the same quality costs with people, a model, both as features, and ours.

The worlds and streams are those of `bench.oracles`. Each strategy runs at several amounts of money; between them,
the cost of a quality is interpolated, and a larger amount never counts as worse than a smaller one.
"""

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench.oracles import PRICE, ROWS, WANTED, WORLDS, World, answers, learned, stream, with_features, with_oracles

LABELS = (50, 100, 200, 400)  # money for people, with the model as a feature or without
MONEY = (20, 33, 50, 67, 100, 150, 220, 440)  # for ours
MODEL = PRICE * ROWS
Numbers = NDArray[np.float64]


class Curves(NamedTuple):
    """The accuracy of each strategy at its amounts of money; the model alone has one."""

    people: Numbers
    feature: Numbers
    ours: Numbers
    model: float


class Costs(NamedTuple):
    """What a quality costs: with people, with the model, with both as features, and with ours."""

    people: float
    model: float
    feature: float
    ours: float

    @property
    def best(self) -> float:
        """The cost of the best of the pure strategies."""
        return min(self[:3])


def measure(name: str, world: World, order: int) -> Curves:
    """The accuracies in one world and one order of the rows."""
    X, y = stream(name, order)
    given = answers(world, y, order)
    both = with_features(X, given, int(y.max()) + 1)
    return Curves(
        np.array([learned(X, y, labels, order) for labels in LABELS]),
        np.array([learned(both, y, round(money - MODEL), order) for money in LABELS]),
        np.array([with_oracles(X, y, given, money, order).accuracy for money in MONEY]),
        float((given[0] == y).mean()),
    )


def cost(money: tuple[int, ...], accuracies: Numbers, quality: float) -> float:
    """The least money for a quality, interpolated; infinite if it is not reached."""
    best = np.maximum.accumulate(accuracies)
    if best[-1] < quality:
        return np.inf
    place = int(np.argmax(best >= quality))
    if not place:
        return float(money[0])
    return float(np.interp(quality, best[place - 1 : place + 1], money[place - 1 : place + 1]))


def costs(curves: Curves, quality: float) -> Costs:
    """What a quality costs with each strategy."""
    return Costs(
        cost(LABELS, curves.people, quality),
        MODEL if curves.model >= quality else np.inf,
        cost(LABELS, curves.feature, quality),
        cost(MONEY, curves.ours, quality),
    )


QUALITIES: dict[str, Callable[[Curves], float]] = {
    f"people with {WANTED}": lambda curves: float(curves.people[LABELS.index(WANTED)]),
    "the model alone": lambda curves: curves.model,
    f"features with {WANTED}": lambda curves: float(curves.feature[LABELS.index(WANTED)]),
}


def main() -> None:
    """Print what the quality of each pure strategy costs, in all worlds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=2, help="of the rows, for each world")
    parser.add_argument("--sets", nargs="*", default=["spamassassin", "magic04"])
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    table = Table(
        "set", "model is right", "quality of", "accuracy", *Costs._fields, "ours / best", "ours / people"
    )
    tasks = [(name, world) for name in options.sets for world in WORLDS]
    with ProcessPoolExecutor(options.jobs) as pool:
        waiting = [[pool.submit(measure, *task, order) for order in range(options.orders)] for task in tasks]
        for (name, world), each in zip(tasks, waiting, strict=True):
            found = [one.result() for one in each]
            curves = Curves(*(np.mean([one[place] for one in found], axis=0) for place in range(4)))
            for quality, accuracy_of in QUALITIES.items():
                accuracy = accuracy_of(curves)
                paid = costs(curves, accuracy)
                shares = (paid.ours / paid.best, paid.ours / paid.people)
                numbers = (f"{accuracy:.3f}", *(f"{one:.0f}" for one in paid), *(f"{one:.2f}" for one in shares))
                table.add_row(name, world.name, quality, *numbers)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
