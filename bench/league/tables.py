"""What the results of the league say, as sheets for the screen and for the documentation."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from bench.league.figures import (
    ALL,
    REFERENCE,
    Results,
    above_larger,
    ahead,
    calibration,
    labels_against_random,
    over_orders,
    points,
    ranks,
    share_at_or_above,
    times_cheaper,
    worst,
)
from bench.league.methods import FOR_F, METHODS
from bench.league.tasks import DERIVED, EMBEDDED, IN_TIME, RARE

NOTHING = "–"


def is_derived(one: dict[str, Any]) -> bool:
    """Whether a set is another one in a different form: it counts as a kind only."""
    return one["set"].endswith(DERIVED)


# Kinds of data, by what is known of a result.
KINDS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "text and other sparse rows": lambda one: not one["is_table"] and not is_derived(one),
    "tables": lambda one: one["is_table"] and not is_derived(one),
    "embeddings": lambda one: one["set"].endswith(EMBEDDED),
    "ten classes or more": lambda one: one["classes"] >= 10 and not is_derived(one),
    "rare positives": lambda one: one["classes"] == 2 and one["larger"] >= 1 - RARE,
    "in the order of time": lambda one: one["set"] in IN_TIME,
}


class Sheet(NamedTuple):
    """A table: the first column has names, the others have figures."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def shown(self) -> Table:
        """For the screen."""
        table = Table(box=None, title=self.title)
        for number, heading in enumerate(self.header):
            table.add_column(heading, justify="right" if number else "left")
        for row in self.rows:
            table.add_row(*row)
        return table


def sheets(results: Results) -> dict[str, Sheet]:
    """All sheets, by the names of their files."""
    whole = [one for one in results if not is_derived(one)]
    return {
        "methods": entrants(results),
        "overview": overview(whole),
        "against": against(whole),
        "quality": quality(whole),
        "ranks": by_rank(whole),
        "kinds": by_kind(results),
        "rare": rare(results),
        "sets": by_set(results),
    }


def ran(results: Results) -> list[str]:
    """The methods that have results, in the order of the register."""
    found = {one["method"] for one in results}
    return [name for name in METHODS if name in found]


def present(results: Results) -> list[str]:
    """The same without methods that are not after accuracy."""
    return [name for name in ran(results) if name not in FOR_F]


def others(results: Results) -> list[str]:
    """The methods that are compared with the script."""
    return [name for name in present(results) if name != REFERENCE]


def entrants(results: Results) -> Sheet:
    """A line per method: what it is, and on how many data sets and streams it ran."""
    rows = []
    for name in ran(results):
        own = [one for one in results if one["method"] == name and not is_derived(one)]
        streams = {(one["set"], one["order"]) for one in own}
        rows.append((name, METHODS[name].about, str(len({one["set"] for one in own})), str(len(streams))))
    return Sheet("methods", ("method", "what it does", "data sets", "streams"), rows)


def overview(results: Results) -> Sheet:
    """A line per method: points against the script, the share of wins, and the worst sets."""
    header = ("method", "sets", "stream", "held out", "at or above", "worst sets over the stream", "and held out")
    rows = []
    for name in present(results):
        sets = points(results, "stream", name)
        if not sets or name == REFERENCE:
            continue
        low, high = (
            ", ".join(f"{s} {v:+.1f}" for s, v in worst(results, f, name)) for f in ("stream", "held_out")
        )
        shares = " / ".join(f"{share_at_or_above(results, f, name):.0%}" for f in ("stream", "held_out"))
        intervals = (str(over_orders(results, f, name)) for f in ("stream", "held_out"))
        rows.append((name, str(len(sets)), *intervals, shares, low, high))
    return Sheet(f"points against the {REFERENCE}, mean over data sets", header, rows)


def against(results: Results, method: str = "auto") -> Sheet:
    """A line per other method: the points by which `method` is ahead on the sets that both ran on."""
    rows = []
    for other in present(results):
        found = [ahead(results, field, method, other) for field in ("stream", "held_out")]
        if other == method or not found[0]:
            continue
        gains = (f"{np.mean(list(one.values())):+.1f}" for one in found)
        wins = (f"{sum(value >= 0 for value in one.values())}" for one in found)
        rows.append((other, str(len(found[0])), *gains, " / ".join(wins)))
    header = ("against", "sets", "stream", "held out", "sets at or above")
    return Sheet(f"points by which {method} is ahead, where both ran", header, rows)


def quality(results: Results) -> Sheet:
    """A line per method: what else counts."""
    header = (
        *("method", "above the larger class", "cells below it"),
        *("labels needed, of random's", "calibration error", "times cheaper"),
    )
    rows = []
    for name in present(results):
        mean, below = above_larger(results, name)
        figures = (
            f"{labels_against_random(results, name):.2f}",
            f"{calibration(results, name):.3f}",
            f"{times_cheaper(results, name):.1f}",
        )
        rows.append((name, f"{mean:+.1f}", f"{below:.0%}", *(NOTHING if one == "nan" else one for one in figures)))
    return Sheet("beyond points", header, rows)


def by_rank(results: Results) -> Sheet:
    """A line per method: the mean rank over the stream at every budget, where the methods for all sets ran."""
    widest = max((len(points(results, "stream", name)) for name in present(results)), default=0)
    methods = [name for name in present(results) if len(points(results, "stream", name)) == widest]
    found = ranks(results, "stream", methods)
    shown = [budget for budget in budgets_of(results) if budget in found]
    rows = [(name, *(f"{found[budget][name]:.2f}" for budget in shown)) for name in methods]
    return Sheet("mean rank over the stream at each budget", ("method", *shown), rows)


def by_kind(results: Results) -> Sheet:
    """A line per method: points over the stream and on held-out rows, and the number of sets, in each kind."""
    kinds = {kind: [one for one in results if belongs(one)] for kind, belongs in KINDS.items()}
    kinds = {kind: own for kind, own in kinds.items() if any(points(own, "stream", name) for name in others(own))}
    rows = []
    for method in others(results):
        cells = [_pair(own, method) for own in kinds.values()]
        counts = [len(points(own, "stream", method)) for own in kinds.values()]
        shown = (f"{cell} ({count})" if count else cell for cell, count in zip(cells, counts, strict=True))
        rows.append((method, *shown))
    return Sheet(f"points against the {REFERENCE}, stream / held out (data sets)", ("method", *kinds), rows)


def rare(results: Results, budget: str = "10%") -> Sheet:
    """A line per set with rare positives: F over the stream and on held-out rows, at one budget."""
    own = [one for one in results if one["budget"] == budget and KINDS["rare positives"](one)]
    methods = ran(own)
    rows = []
    for name in sorted({one["set"] for one in own}):
        line = [name, f"{np.mean([1 - one['larger'] for one in own if one['set'] == name]):.1%}"]
        for method in methods:
            some = [one for one in own if (one["set"], one["method"]) == (name, method)]
            pair = [[one[field] for one in some] for field in ("f_stream", "f_held_out")]
            line.append(" / ".join(f"{np.mean(one):.2f}" for one in pair) if some else NOTHING)
        rows.append(line)
    return Sheet(
        f"F of rare positives with {budget} of the labels, stream / held out", ("data", "positive", *methods), rows
    )


def by_set(results: Results) -> Sheet:
    """A line per data set: points over the stream and on held-out rows."""
    rows = []
    for name in sorted({one["set"] for one in results}):
        own = [one for one in results if one["set"] == name]
        if others(own):
            rows.append((name, *(_pair(own, method) for method in others(results))))
    return Sheet(f"points against the {REFERENCE}, stream / held out", ("data", *others(results)), rows)


def _pair(results: Results, method: str) -> str:
    pair = [list(points(results, field, method).values()) for field in ("stream", "held_out")]
    return " / ".join(f"{np.mean(one):+.1f}" for one in pair) if pair[0] else NOTHING


def budgets_of(results: Results) -> list[str]:
    """The budgets that have results: numbers first, then shares."""
    found = {one["budget"] for one in results} - {ALL}
    return sorted(found, key=lambda name: (name.endswith("%"), float(name.rstrip("%"))))
