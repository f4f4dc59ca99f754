"""`python -m bench.drift`: how late alarms of drift are, how often they are false, and what they are good for.

Nine streams: three in the order of time, and six with a planted change. `AutoLearner` asks about a tenth of each.
ADWIN of river gets the same labels. The same rows in a random order have no change: every alarm there is false.
The accuracy over the stream is compared with that of scikit-activeml's stream strategies, with as many labels.
"""

import argparse
import warnings
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import askance
from askance.metrics import DriftDetector, ScoreDriftDetector
from bench.drift_peers import STRATEGIES, accuracy, adwin
from bench.drift_streams import NAMES, Stream, steady, stream
from bench.league.tasks import IN_TIME

RATE = 0.1
EVERY = 100_000  # rows per false alarm
FORGETS = (True, False)
HEADINGS = ("by labels", "by confidences", "by either", "ADWIN")


def alarms(one: Stream, order: int) -> tuple[list[int], list[int], list[int], list[int]]:
    """The rows of alarms by labels, by confidences, by either with half of the false alarms each, and of ADWIN."""
    trace = askance.AutoLearner(RATE, random_state=order, forget=False).run(one.X, one.y)
    wrong = trace.predicted_codes != trace.true_codes
    by_labels, by_scores = DriftDetector(EVERY), ScoreDriftDetector(EVERY)
    columns = (wrong, trace.ask_probabilities, trace.asked, trace.confidences)
    for mistake, chance, asked, confidence in zip(*(column.tolist() for column in columns), strict=True):
        by_labels.update(mistake if asked else None, chance or 1.0)
        by_scores.update(confidence)
    rows = np.flatnonzero(trace.asked)
    theirs = [int(rows[place]) for place in adwin(wrong[rows])]
    found = by_labels.drifts_, by_scores.drifts_, trace.drift(EVERY)
    ours = ([drift.row for drift in each] for each in found)
    return *ours, theirs


def delay(found: list[int], change: int, rows: int) -> int:
    """Rows from the change to the first alarm, or to the end of the stream."""
    return next((row - change for row in found if row >= change), rows - change)


def tell_delays(orders: int, console: Console) -> None:
    """How late the first alarm is after the first change."""
    table = Table("stream", *HEADINGS, "either / ADWIN", title="rows to the alarm")
    for name in NAMES:
        each = []
        for order in range(1 if name in IN_TIME else orders):
            one = stream(name, order, None if name in IN_TIME else 12_000)
            found = alarms(one, order)
            if not one.changes:
                console.print(name, *(f"{heading} {rows}" for heading, rows in zip(HEADINGS, found, strict=True)))
                continue
            each.append([delay(rows, one.changes[0], len(one.y)) for rows in found])
        if each:
            mean = np.mean(each, axis=0)
            table.add_row(name, *(f"{rows:.0f}" for rows in mean), f"{mean[-2] / mean[-1]:.2f}")
    console.print(table)


def tell_false_alarms(orders: int, console: Console) -> None:
    """How many alarms there are though nothing changes."""
    rows, counts = 0, np.zeros(len(HEADINGS))
    for name in NAMES:
        for order in range(orders):
            one = steady(name, order)
            rows += len(one.y)
            counts += [len(found) for found in alarms(one, order)]
    per = counts / rows * 100_000
    console.print(f"{rows:,} rows without a change; alarms {', '.join(HEADINGS)}: {counts}")
    console.print(f"per 100,000 rows: {per.round(2)}")


def tell_accuracies(most: int, peers: bool, console: Console) -> None:
    """The accuracy over the stream at equal numbers of labels."""
    ours = [f"forget={forget}" for forget in FORGETS]
    table = Table("stream", *ours, *(STRATEGIES if peers else ()), title=f"accuracy, up to {most:,} rows")
    for name in NAMES:
        one = stream(name, 0, most)
        labels = 30 + int(RATE * len(one.y))
        cells = [f"{_ours(one, forget):.4f}" for forget in FORGETS]
        for strategy in STRATEGIES if peers else ():
            found, asked = accuracy(strategy, one, labels, 0)
            cells.append(f"{found:.4f} ({asked})")
        console.print(name, *cells)
        table.add_row(name, *cells)
    console.print(table)


def _ours(one: Stream, forget: bool) -> float:
    trace: Any = askance.AutoLearner(RATE, forget=forget).run(one.X, one.y)
    return float((trace.predictions == trace.y).mean())


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["delays", "false", "accuracies"])
    parser.add_argument("--orders", type=int, default=5)
    parser.add_argument("--most", type=int, default=12_000, help="rows of a stream, for accuracies")
    parser.add_argument("--alone", action="store_true", help="without scikit-activeml")
    given = parser.parse_args()
    console = Console(width=200)
    warnings.simplefilter("ignore", UserWarning)  # a strategy says that it may not spend all
    if "delays" in given.parts:
        tell_delays(given.orders, console)
    if "false" in given.parts:
        tell_false_alarms(given.orders, console)
    if "accuracies" in given.parts:
        tell_accuracies(given.most, not given.alone, console)


if __name__ == "__main__":
    main()
