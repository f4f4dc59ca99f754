"""Dawid and Skene's model with the priors of `askance.annotators`, one vote at a time."""

import math
from collections.abc import Hashable

Votes = list[tuple[Hashable, Hashable, Hashable]]
Matrix = dict[tuple[Hashable, Hashable], float]


def posteriors(votes: Votes, classes: list[Hashable]) -> dict[Hashable, dict[Hashable, float]]:
    """The posterior of each item after at most 50 sweeps."""
    items = list(dict.fromkeys(item for item, _, _ in votes))
    found = {item: shares([label for one, _, label in votes if one == item], classes) for item in items}
    for _ in range(50):
        renewed = swept(votes, classes, found)
        change = max(abs(renewed[item][k] - found[item][k]) for item in items for k in classes)
        found = renewed
        if change < 1e-3:
            break
    found = swept(votes, classes, found)
    return {item: tempered(row, sum(one == item for one, _, _ in votes)) for item, row in found.items()}


def tempered(row: dict[Hashable, float], votes: int) -> dict[Hashable, float]:
    """A posterior if each vote beyond the first makes all of them worth less."""
    return normalised({k: math.log(value) / (1 + 0.2 * (votes - 1)) for k, value in row.items()})


def shares(labels: list[Hashable], classes: list[Hashable]) -> dict[Hashable, float]:
    return {k: labels.count(k) / len(labels) for k in classes}


def swept(
    votes: Votes, classes: list[Hashable], found: dict[Hashable, dict[Hashable, float]]
) -> dict[Hashable, dict[Hashable, float]]:
    """One sweep: the confusion matrices from the posteriors, and the posteriors from them."""
    right = sum(found[item][label] for item, _, label in votes)
    crowd = (right + 20 * 0.7) / (len(votes) + 20)
    annotators = {annotator for _, annotator, _ in votes}
    matrices = {
        one: matrix([vote for vote in votes if vote[1] == one], classes, found, crowd) for one in annotators
    }
    total = {k: 100 + sum(one[k] for one in found.values()) for k in classes}
    logs = {item: {k: math.log(total[k]) for k in classes} for item in found}
    for item, annotator, label in votes:
        for k in classes:
            logs[item][k] += math.log(matrices[annotator][k, label])
    return {item: normalised(row) for item, row in logs.items()}


def matrix(
    votes: Votes, classes: list[Hashable], found: dict[Hashable, dict[Hashable, float]], crowd: float
) -> Matrix:
    """The expected confusion matrix of one annotator."""
    accuracy = (sum(found[item][label] for item, _, label in votes) + 2 * crowd) / (len(votes) + 2)
    cells: Matrix = {}
    for k in classes:
        row = {one: 4 * (accuracy if one == k else (1 - accuracy) / (len(classes) - 1)) for one in classes}
        for item, _, label in votes:
            row[label] += found[item][k]
        cells |= {(k, one): value / sum(row.values()) for one, value in row.items()}
    return cells


def normalised(logs: dict[Hashable, float]) -> dict[Hashable, float]:
    highest = max(logs.values())
    values = {k: math.exp(value - highest) for k, value in logs.items()}
    return {k: value / sum(values.values()) for k, value in values.items()}
