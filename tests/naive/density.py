"""Density-based questions: the local density factor of Ienco and others, and the memory of Liu and others."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from naive.loop import CLOSE, Query, View


def apart(one: list[float], other: list[float]) -> float:
    """‖one - other‖², summed in the order of features, so that even the last bits are settled."""
    width = max(len(one), len(other))
    one, other = (row + [0.0] * (width - len(row)) for row in (one, other))
    return sum((a - b) * (a - b) for a, b in zip(one, other, strict=True))


class LocalDensity:
    """The rows before are a list of [row, met, came, recalled, recalls], where `met` has distances to rows met.

    A row has the density Σ 1[d < min met] over the list. Below `least`, the coin first decides, with probability
    `audit`, whether the inner rule is asked at all.
    """

    def __init__(
        self,
        inner: Callable[[float], Query],
        window: int = 100,
        least: int = 1,
        audit: float = 0.1,
        count_all: bool = False,
    ) -> None:
        self.eager, self.window, self.least, self.audit, self.count_all = inner, window, least, audit, count_all
        self.kept: list[Any] = []
        self.eagerness, self.close = 1.0, False
        self.inner = inner(1.0)

    def __call__(self, view: View, coin: float) -> float:
        share = 1.0 if self.density(view) >= self.least else self.audit
        self.close = abs(coin - share) < CLOSE
        self.inner = self.eager(self.eagerness)
        if coin < share:
            return share * self.inner(view, coin / share)
        return share * self.inner(replace(view, counts=view.counts and self.count_all), 1.0)

    def density(self, view: View) -> int:
        """How many rows have this one as their new nearest neighbour; it enters the list, and another leaves."""
        found, met = 0, []
        for one in self.kept:
            distance, nearest = apart(one[0], view.x), min(one[1], default=math.inf)
            if distance < nearest:
                found += 1
                one[3], one[4] = view.t, one[4] + 1
            one[1].append(distance)
            met.append(distance)
        if len(self.kept) == self.window:
            self.kept.remove(self.forgotten(view.t))
        self.kept.append([view.x, met, view.t, view.t, 0])
        return found

    def forgotten(self, t: int) -> Any:
        """The row that leaves: the first that came."""
        return min(self.kept, key=lambda one: one[2])


class CognitiveWindow(LocalDensity):
    """The same, where the row with the least exp(-Δ/(1 + recalls)) leaves."""

    def __init__(
        self,
        inner: Callable[[float], Query],
        window: int = 10,
        least: int = 1,
        audit: float = 0.1,
        count_all: bool = False,
    ) -> None:
        super().__init__(inner, window, least, audit, count_all)

    def forgotten(self, t: int) -> Any:
        """The row with the least strength; of several, the first that came."""
        return max(self.kept, key=lambda one: ((t - one[3]) / (1 + one[4]), -one[2]))
