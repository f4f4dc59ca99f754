"""`python -m bench.forecast`: do forecasts of accuracy hold? On streams, or with `--pools` in the live service.

A fifth to a third of the rows is held out. The automatic learner goes over the others, and after 50, 100, 200 and
400 labels it forecasts the accuracy with 100 and with 500 more labels. The truth is its accuracy on the rows held
out when it has them. In the service, all rows are pushed at once, and an oracle answers ten questions at a time.

The constants of forecasts were chosen on every other data set (`CHOSEN`).
"""

import argparse
import itertools
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import askance
import askance.service
from askance.learners.trace import Trace
from askance.service.messages import Item
from bench.league.tasks import IN_TIME, LONG, RAREST, Task, folder, load, names, task

MOMENTS, MORE = (50, 100, 200, 400), (100, 500)
POINTS = sorted({*MOMENTS, *(moment + more for moment in MOMENTS for more in MORE)})
RATES = (0.05, 0.1, 0.3)  # shares of rows to ask about, in turn
RARE = (
    "20newsgroups",
    "cnae9",
    "covtype_20k",
    "landuse21",
    "letter",
    "mfeat",
    "optdigits",
    "reuters_r8",
    "satimage",
)
POOLS = ("letter", "magic04", "optdigits", "satimage", "segment", "spambase", "svmguide1", "usps", "letter:rarest")
# The sets on which the constants were chosen: every other one in alphabetical order.
CHOSEN = (
    "20newsgroups",
    "aloi10_views",
    "basehock",
    "cnae9",
    "cora",
    "creditcard_sample",
    "dna",
    "farm_ads",
    "landuse21",
    "letter",
    "magic04",
    "mnist",
    "outdoor",
    "protein_2871",
    "relathe",
    "satimage",
    "segment",
    "spam_corpus",
    "spambase",
    "svmguide1",
    "url_mini",
    "w8a",
    "wiki_xmodal",
)
FEWEST_ROWS, MOST_OF_POOL, HELD_OF_POOL, AT_ONCE = 600, 3500, 1500, 10


class Measured(NamedTuple):
    """Forecasts at one moment, and the accuracy on the rows held out."""

    labels: int
    accuracy: float
    forecasts: dict[int, tuple[Any, Any]]  # by more labels: accuracy and gain, with their limits


class Met(NamedTuple):
    """A forecast and the truth: whether the intervals of the accuracy and of the gain hold, and their widths."""

    name: str
    labels: int
    more: int
    holds: bool
    too_high: bool
    width: float
    gain_holds: bool
    gain_width: float


def stream(data: Task, rate: float, random_state: int) -> Iterator[Measured]:
    """The forecasts of the automatic learner on a stream."""
    learner = askance.AutoLearner(rate=rate, random_state=random_state, classes=range(data.classes))
    pieces: list[Trace] = []
    rows = labels = 0
    for point in POINTS:
        while labels < point and rows < len(data.y):
            end = rows + max(1, int((point - labels) / (2 * rate)))  # about half-way, so that few are too many
            pieces.append(learner.run(data.X[rows:end], data.y[rows:end]))
            rows, labels = end, labels + int(pieces[-1].asked.sum())
        if labels < point:
            return
        forecasts = {}
        if point in MOMENTS and not (found := Trace.join(pieces).forecast()).note:
            forecasts = {more: (found.accuracy(more), found.gain(more)) for more in MORE}
        yield Measured(point, float(np.mean(learner.predict(data.X_held) == data.y_held)), forecasts)


def pool(data: Task, random_state: int) -> Iterator[Measured]:
    """The forecasts of the service when all rows are pushed at once."""
    rows = [Item(vector=row.tolist(), id=str(place)) for place, row in enumerate(data.X[:MOST_OF_POOL])]
    held, truth = list(data.X_held[:HELD_OF_POOL]), data.y_held[:HELD_OF_POOL]
    names = [f"class {place}" for place in range(data.classes)]
    made = {"name": "pool", "classes": names, "item": "vector", "vector_length": data.X.shape[1]}
    with (
        askance.service.start(tasks=[{**made, "random_state": random_state}], open_to_all=True) as service,
        askance.Client(service.url, task="pool", timeout=300.0) as client,
    ):
        client.decide(rows)
        given = 0
        for point in [one for one in POINTS if one < 0.8 * len(rows)]:
            while given < point:
                leased = client.questions(min(AT_ONCE, point - given))
                client.label_all([(one, names[data.y[int(one.id)]]) for one in leased])
                given += len(leased)
            predicted = [one.prediction for one in client.predict(held)]
            accuracy = float(np.mean([one == names[label] for one, label in zip(predicted, truth, strict=True)]))
            outlooks = client.forecast().outlooks
            yield Measured(point, accuracy, {one.more: (one.accuracy, one.gain) for one in outlooks})


def met(name: str, found: Iterable[Measured]) -> Iterator[Met]:
    """The forecasts whose truth was measured."""
    measured = {one.labels: one for one in found}
    for labels, more in itertools.product(MOMENTS, MORE):
        if labels + more not in measured or more not in measured[labels].forecasts:
            continue
        later, (accuracy, gain) = measured[labels + more].accuracy, measured[labels].forecasts[more]
        grown = later - measured[labels].accuracy
        yield Met(
            name,
            labels,
            more,
            accuracy.low <= later <= accuracy.high,
            later < accuracy.low,
            accuracy.high - accuracy.low,
            gain.low <= grown <= gain.high,
            gain.high - gain.low,
        )


def study(sets: list[str], orders: int, *, pools: bool) -> Iterator[Met]:
    """All forecasts of some data sets in some random orders."""
    for name in sets:
        X, y = load(folder(), name)
        if len(y) < FEWEST_ROWS:
            continue
        for order in range(orders):
            if pools:
                yield from met(name, pool(task(name, X, y, order), order))
            else:
                data = task(name if name in IN_TIME else name + LONG, X, y, order)
                yield from met(name, stream(data, RATES[(order + len(name)) % len(RATES)], order))


def chosen(name: str) -> bool:
    """Whether the constants were chosen on this set or on one that was made from it."""
    return name.split(":")[0] in CHOSEN


def main() -> None:
    """Run what the command line asks for, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.forecast", description=__doc__)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--orders", type=int, default=2)
    parser.add_argument("--pools", action="store_true")
    options = parser.parse_args()
    every = POOLS if options.pools else (*names(folder()), *(name + RAREST for name in RARE))
    found = list(study(list(options.sets or every), options.orders, pools=options.pools))
    parts = {
        "chosen on these": [one for one in found if chosen(one.name) and one.name not in IN_TIME],
        "checked on these": [one for one in found if not chosen(one.name) and one.name not in IN_TIME],
        "of these, rare classes": [one for one in found if one.name.endswith(RAREST) or one.name == "w8a"],
        "rows in time, with drift": [one for one in found if one.name in IN_TIME],
    }
    for title, part in parts.items():
        Console(width=120).print(shown(title, part))


def shown(title: str, found: list[Met]) -> Table:
    """A table: how often the intervals hold, and their mean widths, in points."""
    table = Table(
        "labels", "more", "cases", "accuracy holds", "too high", "width", "gain holds", "width", title=title
    )
    for more in MORE:
        for labels in (*MOMENTS, 0):
            some = [one for one in found if one.more == more and labels in (one.labels, 0)]
            if some:
                holds, high, width, gain, gain_width = np.mean([one[3:] for one in some], axis=0)
                shares = (
                    f"{holds:.1%}",
                    f"{high:.1%}",
                    f"{100 * width:.1f}",
                    f"{gain:.1%}",
                    f"{100 * gain_width:.1f}",
                )
                table.add_row(str(labels or "all"), f"+{more}", str(len(some)), *shares)
    return table


if __name__ == "__main__":
    main()
