"""The loop over a stream, and what a twin is."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

CLOSE = 1e-9


class Twin:
    """The twin of an update rule: it begins at `width` features and keeps what it has learned in `self`."""

    def begin(self, width: int) -> None:
        """Know nothing."""
        self.w = [0.0] * width

    def look(self, x: list[float]) -> tuple[float, float]:
        """The score p and the spread v."""
        return dot(self.w, x), 0.0

    def learn(self, x: list[float], y: float, p: float, v: float, guess: float) -> bool:
        """Learn the label; whether the rule fired."""
        raise NotImplementedError

    def close(self, x: list[float], y: float, p: float, v: float) -> bool:
        """Whether a decision of the rule hangs on the last bits."""
        return 0 < abs(p) < CLOSE or 0 < abs(1 - y * p) < CLOSE

    def distances(self, y: float, p: float, v: float) -> list[float]:
        """How far what the rule decides by is from where it would decide otherwise."""
        return [abs(p), abs(1 - y * p)]

    def norm(self, x: list[float]) -> float:
        """x·x."""
        return dot(x, x)

    def weights(self) -> Any:
        """What `coef_` should be."""
        return np.array(self.w)


@dataclass
class View:
    """What a query rule knows: p, v, x·x, the mistakes that labels have shown and the longest x·x among them, and
    which round it is, from 1 on; `counts` is false where a budget forbids the question. x is the row itself.
    """

    p: float
    v: float
    norm: float
    mistakes: int
    longest: float
    t: int = 1
    counts: bool = True
    x: list[float] = field(default_factory=list)


Query = Callable[[View, float], float]


@dataclass
class Run:
    """What a run returned, round by round, and the last weights."""

    predictions: Any
    scores: Any
    ask_probabilities: Any
    asked: Any
    updated: Any
    w: Any
    refused: int
    # The rounds before the first that hangs on the last bits: up to there, decisions must agree exactly.
    settled: int
    # How far each round was from another decision.
    distances: Any = None


def dot(one: list[float], other: list[float]) -> float:
    """Σ one_j other_j."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def run(X: Any, y: Any, coins: Any, twin: Twin, query: Query, sgn0: float = 1.0) -> Run:
    """Predict each row, ask where coin < probability, learn where asked."""
    rows = np.asarray(X, float).tolist()
    twin.begin(np.shape(X)[1])
    rounds, distances = [], []
    settled = None
    mistakes, longest = 0, 0.0
    for t, (x, label, coin) in enumerate(zip(rows, np.asarray(y).tolist(), coins, strict=True)):
        p, v = twin.look(x)
        guess = sgn0 if p == 0 else math.copysign(1.0, p)
        probability = query(View(p, v, twin.norm(x), mistakes, longest, t + 1, x=x), coin)
        hangs = abs(coin - probability) < CLOSE or twin.close(x, label, p, v) or is_close(query)
        if settled is None and hangs:
            settled = t
        distances.append(min(abs(coin - probability), *twin.distances(label, p, v)))
        asked = coin < probability
        fired = asked and twin.learn(x, label, p, v, guess)
        if fired and guess != label:
            mistakes, longest = mistakes + 1, max(longest, twin.norm(x))
        rounds.append((guess, p, probability, asked, fired))
    columns = [np.array(column) for column in zip(*rounds, strict=True)]
    until = len(rounds) if settled is None else settled
    return Run(*columns, twin.weights(), refused_by(query), until, np.array(distances))


def refused_by(query: Any) -> int:
    """What the budgets around a rule refused."""
    inner = getattr(query, "inner", None)
    return getattr(query, "refused", 0) + (0 if inner is None else refused_by(inner))


def is_close(query: Any) -> bool:
    """Whether the last decision of a query rule, or of one that it wraps, hangs on the last bits."""
    inner = getattr(query, "inner", None)
    return getattr(query, "close", False) or (inner is not None and is_close(inner))
