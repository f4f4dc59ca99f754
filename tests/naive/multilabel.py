"""A learner of several labels in plain NumPy: every label on its own, whole rows, no places, no lanes."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

EDGES = np.array([-1.5 + 0.05 * place for place in range(60)])
INTERCEPTS = {"dense": 0.5, "sparse": 0.3}


def features(row: Numbers, seen: Numbers, kind: str) -> Numbers:
    """What models see of a row, by the scales of the rows so far."""
    if kind == "dense":
        deviations = seen.std(axis=0)
        scaled = np.where(deviations > 0, (row - seen.mean(axis=0)) / np.where(deviations > 0, deviations, 1), 0)
        found = np.clip(scaled, -4, 4) / math.sqrt(len(row))
    else:
        damped = np.where(row > 1, 1 + np.log(np.maximum(row, 1)), row)
        found = damped * (np.log((1 + len(seen)) / (1 + (seen != 0).sum(axis=0))) + 1)
        found = found / (np.linalg.norm(found) or 1.0)
    return np.append(found, INTERCEPTS[kind])


class NaiveMultiLabel:
    """One machine per label, each with dual variables of the rows whose side it knows."""

    def __init__(self, labels: int, kind: str, rate: float, audit: float, C: float = 10.0) -> None:
        self.labels, self.kind, self.rate, self.audit, self.C = labels, kind, rate, audit, C
        self.rows: list[Numbers] = []  # all rows seen
        self.scaled_by: Numbers = np.empty((0, 0))
        self.known: dict[bytes, Numbers] = {}
        self.refresh_at = 1
        self.learned: list[tuple[Numbers, Numbers]] = []  # rows with sides
        self.duals: list[Numbers] = []
        self.swept_at = 0
        self.told: list[list[tuple[float, int, float]]] = [[] for _ in range(labels)]  # score, side, weight
        self.quantile, self.asked = 1.0, 0

    def weights(self) -> Numbers:
        total = np.zeros((self.labels, len(self.rows[0]) + 1))
        for (row, sides), duals in zip(self.learned, self.duals, strict=True):
            total += np.outer(sides * duals, self.features(row))
        return total

    def visit(self, order: Any) -> None:
        weights, damping = self.weights(), 1 / (2 * self.C)
        for place in order:
            row, sides = self.learned[place]
            x = self.features(row)
            for label in np.flatnonzero(sides):
                before, side = self.duals[place][label], sides[label]
                slope = 1 - side * (weights[label] @ x) - damping * before
                after = max(0.0, before + slope / (x @ x + damping))
                weights[label] += side * (after - before) * x
                self.duals[place][label] = after

    def observe(self, row: Numbers) -> None:
        self.rows.append(row)
        if len(self.rows) >= self.refresh_at:
            self.scaled_by, self.known = np.array(self.rows), {}
            self.refresh_at = len(self.rows) + (1 if len(self.rows) < 10 else min(len(self.rows), 2000))
            for _ in range(2):
                self.visit(range(len(self.learned) - 1, -1, -1))

    def scores(self, row: Numbers) -> Numbers:
        return self.weights() @ self.features(row)

    def features(self, row: Numbers) -> Numbers:
        """Remembered until the scales change, to save time."""
        if row.tobytes() not in self.known:
            self.known[row.tobytes()] = features(row, self.scaled_by, self.kind)
        return self.known[row.tobytes()]

    def thresholds(self) -> Numbers:
        every = [pair for pairs in self.told for pair in pairs]
        carried = sum(weight for _, side, weight in every if side > 0)
        found = []
        for own in self.told:
            if not own or not carried:
                found.append(-0.2)
                continue
            arrays = np.array(own).T, np.array(every).T
            f = [self._f(*arrays, 3.0 / carried, place) for place in range(60)]
            found.append(EDGES[int(np.argmax(f))])
        return np.array(found)

    @staticmethod
    def _f(own: Any, every: Any, scale: float, place: int) -> float:
        right = wrong = carried = 0.0
        for pairs, factor in ((own, 1.0), (every, scale)):
            scores, sides, weights = pairs
            predicted = np.clip(np.floor((scores + 1.5) / 0.05), 0, 59) >= place
            carried += factor * weights[sides > 0].sum()
            right += factor * weights[(sides > 0) & predicted].sum()
            wrong += factor * weights[(sides < 0) & predicted].sum()
        return float(2 * right / (right + wrong + carried))

    def step(self, row: Numbers, sides: Numbers, coins: Numbers) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
        """Ask about a row, and learn what was asked; return margins, probabilities, and what was asked."""
        self.observe(row)
        margins = self.scores(row) - self.stale_thresholds()
        chances = self._chances(np.abs(margins))
        asked = coins < chances
        self.asked += int(asked.sum())
        if asked.any():
            self._learn(row, np.where(asked, sides, 0.0), chances)
        return margins, chances, asked

    def stale_thresholds(self) -> Numbers:
        """The thresholds: that of a label is chosen again when it is told."""
        if not hasattr(self, "_kept"):
            self._kept = np.full(self.labels, -0.2)
        return self._kept

    def _chances(self, certainty: Numbers) -> Numbers:
        if len(self.rows) <= 10:
            return np.ones(self.labels)
        left = math.floor(10 * self.labels + self.rate * len(self.rows) * self.labels) - self.asked
        spare, at_random = left - 8, self.audit * self.rate
        doubtful = [label for label in range(self.labels) if certainty[label] < self.quantile]
        kept = sorted(doubtful, key=lambda label: certainty[label])[: max(0, spare)]
        wanted = max(0.0, (self.rate - at_random) * self.labels + spare / 50)
        self.quantile *= math.exp(0.1 * (wanted - len(doubtful)) / max(1.0, wanted + len(doubtful)))
        return np.array([1.0 if label in kept else at_random for label in range(self.labels)])

    def _learn(self, row: Numbers, sides: Numbers, chances: Numbers) -> None:
        scores = self.scores(row)
        for label in np.flatnonzero(sides):
            self.told[label].append((scores[label], int(sides[label]), min(10.0, 1 / chances[label])))
        self._kept = np.where(sides != 0, self.thresholds(), self.stale_thresholds())
        self.learned.append((row, sides))
        self.duals.append(np.zeros(self.labels))
        count = len(self.learned)
        grew = (count - self.swept_at) * 10 >= self.swept_at
        if grew:
            self.swept_at = count
        newest_first = range(count - 1, -1, -1)
        if count <= 50 or grew or count - 16 <= 16:
            for _ in range(3 if count <= 50 else 4 if grew else 1):
                self.visit(newest_first)
            return
        others = count - 16
        self.visit(range(count - 1, others - 1, -1))
        first = count * 16 % others
        self.visit(range(min(others, first + 16) - 1, first - 1, -1))
