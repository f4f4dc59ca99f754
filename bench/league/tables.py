"""What the results of the league say."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.table import Table

from bench.league.methods import METHODS

REFERENCE = "script"
Results = list[dict[str, Any]]


def summary(results: Results) -> Iterator[Table]:
    """All tables."""
    yield overview(results)
    yield by_set(results)


def points(results: Results, field: str, method: str) -> dict[str, list[float]]:
    """The difference to the script in points, for every set: one for every budget and order that both have."""
    found: dict[tuple[Any, ...], dict[str, float]] = defaultdict(dict)
    for one in results:
        found[one["set"], one["budget"], one["order"]][one["method"]] = one[field]
    differences = defaultdict(list)
    for (name, *_), values in found.items():
        if method in values and REFERENCE in values:
            differences[name].append(100 * (values[method] - values[REFERENCE]))
    return differences


def ranks(results: Results, method: str) -> float:
    """The mean rank of a method over the stream, among those that ran on the same stream."""
    cells: dict[tuple[Any, ...], dict[str, float]] = defaultdict(dict)
    for one in results:
        cells[one["set"], one["budget"], one["order"]][one["method"]] = one["stream"]
    found = [sum(value > cell[method] for value in cell.values()) + 1 for cell in cells.values() if method in cell]
    return float(np.mean(found))


def overview(results: Results) -> Table:
    """A line per method: the mean over sets, the worst set, the rank, and the cost."""
    table = Table(box=None, title=f"points against the {REFERENCE}, mean over data sets")
    for heading in ("method", "stream", "held out", "worst set", "rank", "labels", "calibration", "times cheaper"):
        table.add_column(heading, justify="left" if heading == "method" else "right")
    for method in METHODS:
        own = [one for one in results if one["method"] == method]
        stream, held = (_means(points(results, field, method)) for field in ("stream", "held_out"))
        if not own or not stream:
            continue
        errors = [one["calibration_error"] for one in own if one["calibration_error"] is not None]
        table.add_row(
            method,
            f"{np.mean(stream):+.1f}",
            f"{np.mean(held):+.1f}",
            f"{min(stream):+.1f} / {min(held):+.1f}",
            f"{ranks(results, method):.2f}",
            f"{np.mean([one['labels'] for one in own]):.0f}",
            f"{np.mean(errors):.3f}" if errors else "–",
            f"{cheaper(results, method):.1f}",
        )
    return table


def by_set(results: Results) -> Table:
    """A line per data set: points over the stream and on held-out rows."""
    methods = [method for method in METHODS if method != REFERENCE and any(o["method"] == method for o in results)]
    table = Table(box=None, title=f"points against the {REFERENCE}, stream / held out")
    for heading in ("data", *methods):
        table.add_column(heading, justify="left" if heading == "data" else "right")
    stream, held = ({m: points(results, field, m) for m in methods} for field in ("stream", "held_out"))
    for name in sorted({one["set"] for one in results}):
        cells = [
            f"{np.mean(stream[m][name]):+.1f} / {np.mean(held[m][name]):+.1f}" if name in stream[m] else "–"
            for m in methods
        ]
        table.add_row(name, *cells)
    return table


def cheaper(results: Results, method: str) -> float:
    """How many times less processor time than the script, on the median set."""
    seconds: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for one in results:
        if one["method"] in (method, REFERENCE):
            seconds[one["set"]][one["method"]] += one["seconds"]
    ratios = [times[REFERENCE] / times[method] for times in seconds.values() if times.get(method)]
    return float(np.median(ratios)) if ratios else 1.0


def _means(differences: dict[str, list[float]]) -> list[float]:
    return [float(np.mean(values)) for values in differences.values()]
