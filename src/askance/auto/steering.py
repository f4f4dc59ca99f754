"""Questions that let a part of a stream be certified: about confident rows, at random."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from askance.jit.kernels.doubt import Plan
from askance.jit.kernels.labelling import Found
from askance.jit.kernels.mixed import Mixed
from askance.metrics.certificate import EVERY, Certifier, log_odds_of_lead

SHARE = 0.9  # of the labels, for confident rows
# Of the rows, for the set that is certified first. The fewer mistakes are allowed, the more labels a certificate
# takes, and a smaller set, asked about more often, has fewer mistakes among them.
LEFT_OUT, SMALLEST = 0.004, 0.5


def widest(error: float) -> float:
    """The share of rows to be certified first, if this share of mistakes is allowed."""
    return max(SMALLEST, 1.0 - LEFT_OUT / error)


class Steering:
    """Follows a stream with a `Certifier`, and says which rows are confident enough for questions at random."""

    def __init__(self, error: float) -> None:
        self.certifier = Certifier(error, widest=widest(error))
        # Asked rows and their predictions, by content: that is how their labels come.
        self._awaited: dict[bytes, list[tuple[int, int]]] = {}

    def add(self, X: Mixed, found: Found, *, granted: bool) -> None:
        """Take in one row that was asked about, or not. One that is not `granted` had no chance of it."""
        if not granted:
            self.certifier.add(_confidence(found, 0), 0.0, False)
            return
        row = self._add(found, 0)
        if found.asked[0]:
            self._awaited.setdefault(_content(X), []).append((row, int(found.predicted[0])))

    def tell(self, X: Mixed, code: int) -> None:
        """Take in the label of one row. Labels that nobody asked for tell nothing."""
        content = _content(X)
        if content in self._awaited:
            row, predicted = self._awaited[content].pop(0)
            if not self._awaited[content]:
                del self._awaited[content]
            self.certifier.tell(row, predicted != code)

    def add_labelled(self, found: Found, codes: NDArray[np.int64]) -> None:
        """Take in rows whose labels are known if they were asked for."""
        for place in range(len(codes)):
            row = self._add(found, place)
            if found.asked[place]:
                self.certifier.tell(row, bool(found.predicted[place] != codes[place]))

    def stretches(self, count: int) -> Iterator[tuple[int, int]]:
        """The next rows, in parts between which the plan may change."""
        start = 0
        while start < count:
            stop = min(count, start + EVERY - self.certifier.rows % EVERY)
            yield start, stop
            start = stop

    def plan(self, plan: Plan) -> Plan:
        """The plan for the next rows."""
        threshold = self.certifier.threshold
        chosen = math.isfinite(threshold) and self.certifier.includes(threshold)
        chance = min(1.0, SHARE * plan.steady / self.certifier.widest) if plan.rate < 1 else 1.0
        return plan._replace(certain=math.tanh(threshold / 2) if chosen else math.inf, certain_chance=chance)

    def _add(self, found: Found, place: int) -> int:
        chance, asked = float(found.ask_probabilities[place]), bool(found.asked[place])
        return self.certifier.add(_confidence(found, place), chance, asked)


def _confidence(found: Found, place: int) -> float:
    return float(log_odds_of_lead(found.certainty[place]))


def _content(X: Mixed) -> bytes:
    return X.dense.tobytes() + X.indices.tobytes() + X.values.tobytes()
