"""Panels of classifiers, thresholds and pairs, for rare positive rows; all that was seen is summed up anew."""

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from naive.gradient import SCHEDULES, sigma
from naive.loop import CLOSE, Query, Run, View, dot, refused_by
from naive.queries import always

Noted = list[tuple[float, float, float]]  # the score, the label and the weight of each label told


def f_measure(noted: Noted) -> float:
    """2 TP / (positives + called positive), 0/0 = 0."""
    hits = sum(w for score, y, w in noted if score > 0 and y > 0)
    calls = sum(w for score, _, w in noted if score > 0) + sum(w for _, y, w in noted if y > 0)
    return 2 * hits / calls if calls else 0.0


def bin_of(score: float, m: int) -> int:
    """i with σ in [(i-1)/m, i/m), and m for σ = 1."""
    return min(m, math.floor(sigma(score) * m) + 1)


def by_bin(noted: Noted, m: int) -> tuple[list[float], list[float]]:
    """The weights of the positive and of the negative rows in each bin."""
    tables = [0.0] * (m + 1), [0.0] * (m + 1)
    for score, y, w in noted:
        tables[y < 0][bin_of(score, m)] += w
    return tables


def auroc(noted: Noted, m: int = 100) -> float:
    """The share of pairs in the right order, where those in one bin count half."""
    positive, negative = by_bin(noted, m)
    right = sum(u * (sum(negative[:i]) + negative[i] / 2) for i, u in enumerate(positive) if u)
    total = sum(positive) * sum(negative)
    return right / total if total else 0.0


def auprc(noted: Noted, m: int = 100) -> float:
    """½ Σ (R(i) - R(i+1))(P(i) + P(i+1)) with R and P of the rows in bins above i; P of none is 1."""
    positive, negative = by_bin(noted, m)
    positives = sum(positive)
    if not positives:
        return 0.0
    hits, calls, points = 0.0, 0.0, [(0.0, 1.0)]
    for i in range(m, 0, -1):
        hits, calls = hits + positive[i], calls + positive[i] + negative[i]
        points.append((hits / positives, hits / calls if calls else 1.0))
    return sum((R - r) * (P + p) for (r, p), (R, P) in itertools.pairwise(points)) / 2


MEASURES: Mapping[str, Callable[..., float]] = {"F": f_measure, "AUROC": auroc, "AUPRC": auprc}


class Panel:
    """Several w; `speak` says score, guess and what is left of the coin, `learn` moves them all."""

    members = 1

    def begin(self, width: int) -> None:
        """Know nothing."""
        self.w = [[0.0] * width for _ in range(self.members)]
        self.told = 0

    def look(self, x: list[float]) -> list[float]:
        """All scores."""
        return [dot(w, x) for w in self.w]

    def speak(self, scores: list[float], coin: float) -> tuple[float, float, float]:
        """Score, guess, coin."""
        return scores[0], 1.0 if scores[0] > 0 else -1.0, coin

    def learn(self, x: list[float], y: float, scores: list[float], weight: float, draws: Any) -> bool:
        """Learn the label; whether the rule fired."""
        raise NotImplementedError

    def close(self, scores: list[float], y: float, coin: float) -> bool:
        """Whether a decision hangs on the last bits."""
        return any(0 < abs(p) < CLOSE or 0 < abs(1 - y * p) < CLOSE for p in scores)

    def move(self, member: int, x: list[float], step: float) -> None:
        """w += step x."""
        self.w[member] = [w + step * value for w, value in zip(self.w[member], x, strict=True)]


class Descending(Panel):
    """A panel that moves by the gradient of the hinge or the logistic loss."""

    def __init__(self, eta: float, logistic: bool, decaying: bool) -> None:
        self.eta, self.logistic, self.decaying = eta, logistic, decaying

    def slope(self, margin: float) -> float:
        """-ℓ'(margin)."""
        return sigma(-margin) if self.logistic else float(margin < 1)

    def rate(self) -> float:
        """η_t."""
        return self.eta / math.sqrt(self.told + 1) if self.decaying else self.eta


class ManyCosts(Descending):
    """OMCSL: θ_j = j/(K+1), c_+ = 1-θ_j/2, c_- = θ_j/2, p^j ~ exp(γM^j)."""

    def __init__(
        self,
        measure: str = "F",
        K: int = 9,
        gamma: float = 1.0,
        eta: float = 1.0,
        decaying: bool = True,
        logistic: bool = False,
        m: int = 100,
    ) -> None:
        super().__init__(eta, logistic, decaying)
        self.measure, self.members, self.gamma, self.m = measure, K, gamma, m

    def begin(self, width: int) -> None:
        super().begin(width)
        self.noted: list[Noted] = [[] for _ in self.w]

    def measures(self) -> list[float]:
        """M^j of every member."""
        bins = {} if self.measure == "F" else {"m": self.m}
        return [MEASURES[self.measure](noted, **bins) for noted in self.noted]

    def sums(self) -> list[float]:
        """p^1 + … + p^j for every j."""
        parts = [math.exp(self.gamma * M) for M in self.measures()]
        return [sum(parts[: j + 1]) / sum(parts) for j in range(self.members)]

    def speak(self, scores: list[float], coin: float) -> tuple[float, float, float]:
        sums = self.sums()
        self.near = any(abs(total - coin) < CLOSE for total in sums[:-1])
        j = next((j for j, total in enumerate(sums) if total > coin), self.members - 1)
        before = sums[j - 1] if j else 0.0
        return scores[j], 1.0 if scores[j] > 0 else -1.0, (coin - before) / (sums[j] - before)

    def close(self, scores: list[float], y: float, coin: float) -> bool:
        places = [sigma(p) * self.m for p in scores]
        edges = self.measure != "F" and any(0 < abs(place - round(place)) < CLOSE for place in places)
        return edges or self.near or super().close(scores, y, coin)

    def learn(self, x: list[float], y: float, scores: list[float], weight: float, draws: Any) -> bool:
        for j, p in enumerate(scores):
            theta = (j + 1) / (self.members + 1)
            cost = 1 - theta / 2 if y > 0 else theta / 2
            self.move(j, x, self.rate() * cost * self.slope(y * p) * y)
            self.noted[j].append((p, y, weight))
        return True


class OFO(Descending):
    """Positive where σ(p) ≥ τ; a += w y ŷ, b += w (y + ŷ) with labels 0 and 1; τ = a/b."""

    def begin(self, width: int) -> None:
        super().begin(width)
        self.a = self.b = 0.0

    def speak(self, scores: list[float], coin: float) -> tuple[float, float, float]:
        tau = self.a / self.b if self.b else 0.0
        self.near = 0 < abs(sigma(scores[0]) - tau) < CLOSE
        return scores[0], 1.0 if sigma(scores[0]) >= tau else -1.0, coin

    def close(self, scores: list[float], y: float, coin: float) -> bool:
        return self.near or super().close(scores, y, coin)

    def learn(self, x: list[float], y: float, scores: list[float], weight: float, draws: Any) -> bool:
        _, guess, _ = self.speak(scores, 0.0)
        self.a += weight * (y > 0 and guess > 0)
        self.b += weight * ((y > 0) + (guess > 0))
        self.move(0, x, self.rate() * self.slope(y * scores[0]) * y)
        return True


class OnlineBagging(Descending):
    """s_c = 0.9 s_c + 0.1·1[y=c]; λ = max(s)/s_y or min(s)/s_y; each member repeats its step Poisson(λ) times."""

    def __init__(
        self,
        under: bool = False,
        members: int = 5,
        eta: float = 0.1,
        logistic: bool = False,
        decaying: bool = False,
    ) -> None:
        super().__init__(eta, logistic, decaying)
        self.under, self.members = under, members

    def begin(self, width: int) -> None:
        super().begin(width)
        self.sizes = {-1.0: 0.5, 1.0: 0.5}

    def speak(self, scores: list[float], coin: float) -> tuple[float, float, float]:
        mean = sum(1 if p > 0 else -1 for p in scores) / self.members
        return mean, 1.0 if mean > 0 else -1.0, coin

    def learn(self, x: list[float], y: float, scores: list[float], weight: float, draws: Any) -> bool:
        self.sizes = {c: 0.9 * s + 0.1 * (c == y) for c, s in self.sizes.items()}
        rate = (min if self.under else max)(self.sizes.values()) / self.sizes[y]
        for i in range(self.members):
            times, total = 0, math.exp(-rate)
            while total < draws[i]:
                times += 1
                total += math.exp(-rate) * rate**times / math.factorial(times)
            for _ in range(times):
                self.move(i, x, self.rate() * self.slope(y * dot(self.w[i], x)) * y)
        return True


class OPAUC(Panel):
    """w -= η(λw + (x-c)((x-c)·w - y) + S w), c and S (with 1/n) of the other class."""

    def __init__(self, eta: float = 0.05, lam: float = 0.01, diagonal: bool = False, rank: int = 0) -> None:
        self.eta, self.lam, self.diagonal = eta, lam, diagonal
        assert not rank, "signs of a sketch are its own affair"

    def begin(self, width: int) -> None:
        super().begin(width)
        self.rows: dict[float, list[Any]] = {-1.0: [], 1.0: []}

    def close(self, scores: list[float], y: float, coin: float) -> bool:
        return 0 < abs(scores[0]) < CLOSE

    def learn(self, x: list[float], y: float, scores: list[float], weight: float, draws: Any) -> bool:
        others, w, row = np.array(self.rows[-y]), np.array(self.w[0]), np.array(x)
        self.rows[y].append(x)
        if not len(others):
            return False
        c = others.mean(axis=0)
        S = (others - c).T @ (others - c) / len(others)
        S = np.diag(np.diag(S)) if self.diagonal else S
        gradient = self.lam * w + (row - c) * ((row - c) @ w - y) + S @ w
        self.w[0] = (w - self.eta * gradient).tolist()
        return True


UPDATES: Mapping[str, Callable[..., Panel]] = {
    "ManyCosts": ManyCosts,
    "OFO": OFO,
    "OnlineBagging": OnlineBagging,
    "OPAUC": OPAUC,
}


def _many(measure: str, logistic: bool) -> Callable[..., Panel]:
    return lambda K=9, gamma=1.0, eta=1.0, schedule="sqrt", m=100: ManyCosts(
        measure, K, gamma, eta, SCHEDULES[schedule], logistic, m
    )


def _bagging(under: bool, logistic: bool) -> Callable[..., Panel]:
    return lambda eta=0.1, schedule="const", members=5: OnlineBagging(
        under, members, eta, logistic, SCHEDULES[schedule]
    )


def _ofo(logistic: bool) -> Callable[..., Panel]:
    return lambda eta=1.0, schedule="sqrt": OFO(eta, logistic, SCHEDULES[schedule])


ALGORITHMS: Mapping[str, Callable[..., Panel]] = {
    **{f"OMCSL-{name}-{letter}": _many(name, letter == "l") for name in MEASURES for letter in "hl"},
    **{f"OFO-{letter}": _ofo(letter == "l") for letter in "hl"},
    **{f"iOOB-{letter}": _bagging(False, letter == "l") for letter in "hl"},
    **{f"iUOB-{letter}": _bagging(True, letter == "l") for letter in "hl"},
    "OPAUC": OPAUC,
}


def run(X: Any, y: Any, coins: Any, draws: Any, twin: Panel, query: Query) -> Run:
    """Draw who speaks, predict, ask with what is left of the coin, learn where asked; a row of `draws` a label."""
    rows = np.asarray(X, float).tolist()
    twin.begin(np.shape(X)[1])
    rounds = []
    settled = None
    mistakes, longest = 0, 0.0
    for t, (x, label, coin) in enumerate(zip(rows, np.asarray(y, float).tolist(), coins, strict=True)):
        scores = twin.look(x)
        p, guess, left = twin.speak(scores, coin)
        probability = query(View(p, 0.0, dot(x, x), mistakes, longest, t + 1, x=x), left)
        if settled is None and (abs(left - probability) < CLOSE or twin.close(scores, label, coin)):
            settled = t
        asked = left < probability
        fired = False
        if asked:
            fired = twin.learn(x, label, scores, 1 / probability, draws[twin.told])
            twin.told += 1
        if fired and guess != label:
            mistakes, longest = mistakes + 1, max(longest, dot(x, x))
        rounds.append((guess, p, probability, asked, fired))
    columns = [np.array(column) for column in zip(*rounds, strict=True)]
    w = np.array(twin.w if twin.members > 1 else twin.w[0])
    return Run(*columns, w, refused_by(query), len(rounds) if settled is None else settled)


def algorithm(name: str, X: Any, y: Any, coins: Any, draws: Any, **parameters: Any) -> Run:
    """The run of a paper's algorithm."""
    return run(X, y, coins, draws, ALGORITHMS[name](**parameters), always())
