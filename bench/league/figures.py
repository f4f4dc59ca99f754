"""The figures of the league: what the stored results say, as numbers."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

Results = list[dict[str, Any]]
Cell = tuple[str, str, int]  # a set, a budget and an order

REFERENCE, RANDOM = "script", "random"
ALL_LABELS, ALL = "all labels", "all"  # the name and the budget of logistic regression with every label
ENOUGH = 0.95  # of the accuracy with all labels


class Interval(NamedTuple):
    """A mean, and by how much chance may have moved it; half is NaN if no set ran in two orders."""

    mean: float
    half: float

    def __str__(self) -> str:
        return f"{self.mean:+.1f}" if np.isnan(self.half) else f"{self.mean:+.1f} ± {self.half:.1f}"


def cells(results: Results, field: str) -> dict[Cell, dict[str, float]]:
    """A field of the results: for each set, budget and order, the values by method."""
    found: dict[Cell, dict[str, float]] = defaultdict(dict)
    for one in results:
        if one["budget"] != ALL and one[field] is not None:
            found[one["set"], one["budget"], one["order"]][one["method"]] = one[field]
    return found


def differences(results: Results, field: str, method: str) -> dict[Cell, float]:
    """The points by which a method is ahead of the script, wherever both ran."""
    return {
        cell: 100 * (values[method] - values[REFERENCE])
        for cell, values in cells(results, field).items()
        if method in values and REFERENCE in values
    }


def points(results: Results, field: str, method: str) -> dict[str, float]:
    """The points of each set: the mean over budgets and orders."""
    return means((name, value) for (name, _, _), value in differences(results, field, method).items())


def ahead(results: Results, field: str, method: str, other: str) -> dict[str, float]:
    """The points by which a method is ahead of another in each set that both ran on."""
    found = (
        (name, 100 * (values[method] - values[other]))
        for (name, _, _), values in cells(results, field).items()
        if method in values and other in values
    )
    return means(found)


def means(pairs: Iterable[tuple[Any, float]]) -> dict[Any, float]:
    """The mean of the values of each key."""
    gathered = defaultdict(list)
    for key, value in pairs:
        gathered[key].append(value)
    return {key: float(np.mean(values)) for key, values in gathered.items()}


def over_orders(results: Results, field: str, method: str) -> Interval:
    """The mean over sets of the points, with a 95 % interval for the choice of orders.

    A set that ran in one order has no spread of its own: the spread is pooled over all sets.
    """
    found = means(
        ((name, order), value) for (name, _, order), value in differences(results, field, method).items()
    )
    by_set = defaultdict(list)
    for (name, _), value in found.items():
        by_set[name].append(value)
    mean = float(np.mean([np.mean(values) for values in by_set.values()])) if by_set else float("nan")
    freedom = sum(len(values) - 1 for values in by_set.values())
    if not freedom:
        return Interval(mean, float("nan"))
    variance = sum(float(np.var(values)) * len(values) for values in by_set.values()) / freedom
    error = np.sqrt(sum(variance / len(values) for values in by_set.values())) / len(by_set)
    return Interval(mean, float(stats.t.ppf(0.975, freedom) * error))


def worst(results: Results, field: str, method: str, count: int = 3) -> list[tuple[str, float]]:
    """The sets with the fewest points, the worst first."""
    return sorted(points(results, field, method).items(), key=lambda one: one[1])[:count]


def share_at_or_above(results: Results, field: str, method: str) -> float:
    """The share of sets, budgets and orders in which a method is at least as good as the script."""
    return float(np.mean([value >= 0 for value in differences(results, field, method).values()]))


def ranks(results: Results, field: str, methods: Collection[str]) -> dict[str, dict[str, float]]:
    """For each budget the mean rank of each method, where all of them ran; equal values share their ranks."""
    found: dict[str, list[Any]] = defaultdict(list)
    for (_, budget, _), values in cells(results, field).items():
        if all(method in values for method in methods):
            found[budget].append(stats.rankdata([-values[method] for method in methods]))
    return {
        budget: dict(zip(methods, np.mean(places, axis=0).tolist(), strict=True))
        for budget, places in found.items()
    }


class AboveLarger(NamedTuple):
    """The points above always predicting the larger class: the mean over sets, and the share of cells below."""

    mean: float
    share_below: float


def above_larger(results: Results, method: str) -> AboveLarger:
    """How far a method is above the larger class of the stream."""
    own = [one for one in results if one["method"] == method and one["budget"] != ALL]
    found = [(one["set"], 100 * (one["stream"] - one["larger"])) for one in own]
    below = float(np.mean([value < 0 for _, value in found]))
    return AboveLarger(float(np.mean(list(means(found).values()))), below)


class Needed(NamedTuple):
    """The labels that a goal needs; `at_once` if the smallest budget was enough, so that it may need fewer."""

    labels: float
    at_once: bool


def labels_needed(results: Results, method: str) -> dict[tuple[str, int], Needed]:
    """The labels that reach 95 % of the accuracy with all labels on held-out rows, for each set and order.

    Between two budgets the accuracy is taken to grow with the logarithm of labels. Infinite if none is enough.
    """
    goals = {(one["set"], one["order"]): ENOUGH * one["held_out"] for one in results if one["budget"] == ALL}
    reached = defaultdict(list)
    for one in results:
        if one["method"] == method and one["budget"] != ALL and (one["set"], one["order"]) in goals:
            reached[one["set"], one["order"]].append((one["labels"], one["held_out"]))
    return {key: _crossing(sorted(curve), goals[key]) for key, curve in reached.items()}


def _crossing(curve: list[tuple[int, float]], goal: float) -> Needed:
    before: tuple[int, float] | None = None
    for labels, value in curve:
        if value >= goal:
            if before is None:
                return Needed(labels, at_once=True)
            share = (goal - before[1]) / (value - before[1])
            return Needed(before[0] * (labels / before[0]) ** share, at_once=False)
        before = (labels, value)
    return Needed(float("inf"), at_once=False)


def labels_against_random(results: Results, method: str) -> float:
    """The median, over sets and orders, of the labels needed as a share of those that random asking needs.

    Only streams on which random asking ran with every budget of the method count, and these budgets. Where neither
    reaches the goal, or both do at once, there is nothing to compare.
    """
    ran = {cell: values.keys() for cell, values in cells(results, "held_out").items() if method in values}
    unfair = {(name, order) for (name, _, order), methods in ran.items() if RANDOM not in methods}
    kept = [
        one
        for one in results
        if (one["set"], one["order"]) not in unfair
        and (one["budget"] == ALL or (one["set"], one["budget"], one["order"]) in ran)
    ]
    own, others = (labels_needed(kept, name) for name in (method, RANDOM))
    pairs = [(own[key], others[key]) for key in own.keys() & others.keys()]
    ratios = [
        0.0 if np.isinf(other.labels) else one.labels / other.labels
        for one, other in pairs
        if min(one.labels, other.labels) < np.inf and not (one.at_once and other.at_once)
    ]
    return float(np.median(ratios)) if ratios else float("nan")


def times_cheaper(results: Results, method: str) -> float:
    """How many times less processor time than the script, on the median set."""
    seconds: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for (name, _, _), values in cells(results, "seconds").items():
        if method in values and REFERENCE in values:
            seconds[name]["own"] += values[method]
            seconds[name]["script"] += values[REFERENCE]
    ratios = [times["script"] / times["own"] for times in seconds.values() if times["own"]]
    return float(np.median(ratios)) if ratios else float("nan")


def calibration(results: Results, method: str, budget: str = "10%") -> float:
    """The mean over sets of the expected calibration error on held-out rows, at one budget."""
    own = [one for one in results if one["method"] == method and one["budget"] == budget]
    found = means((one["set"], one["calibration_error"]) for one in own if one["calibration_error"] is not None)
    return float(np.mean(list(found.values()))) if found else float("nan")
