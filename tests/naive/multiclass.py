"""Many classes: a vector of weights a class, each label against its strongest rival."""

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from naive import second_order
from naive.loop import CLOSE, Query, Run, View, dot, is_close, refused_by
from naive.queries import always, discrimination, margin, random
from naive.second_order import INV, phi


class Prototypes:
    """s_i = w^i·x; on y against r: w^y += τx, w^r -= τx, with τ from γ = s_y - s_r and ‖x‖²."""

    def __init__(self, tau: Callable[[float, float], float] | None) -> None:
        self.tau = tau

    def begin(self, classes: int, width: int) -> None:
        """Know nothing."""
        self.w = [[0.0] * width for _ in range(classes)]

    def look(self, x: list[float]) -> tuple[list[float], list[float]]:
        """The scores and the spreads of all classes."""
        return [dot(w, x) for w in self.w], [0.0] * len(self.w)

    def learn(self, x: list[float], y: int, scores: list[float], guess: int) -> bool:
        """Learn the label; whether the rule fired."""
        rival = best([score if i != y else -np.inf for i, score in enumerate(scores)])
        gamma = scores[y] - scores[rival]
        if self.tau is None:
            fires, tau = guess != y, 1.0
        else:
            fires, tau = gamma < 1, self.tau(1 - gamma, dot(x, x))
        if fires:
            self.move(x, y, tau)
            self.move(x, rival, -tau)
        return fires

    def move(self, x: list[float], i: int, step: float) -> None:
        """w^i += step x."""
        self.w[i] = [w + step * value for w, value in zip(self.w[i], x, strict=True)]


def best(values: list[float]) -> int:
    """The first of the largest."""
    return max(range(len(values)), key=lambda i: (values[i], -i))


def perceptron() -> Prototypes:
    """τ = 1 on a mistake."""
    return Prototypes(None)


def pa() -> Prototypes:
    """τ = ℓ/(2‖x‖²), and 0 for x = 0."""
    return Prototypes(lambda loss, norm: loss / (2 * norm) if norm else 0.0)


def pa_1(C: float = 1.0) -> Prototypes:
    """τ = min(C, ℓ/(2‖x‖²)), and 0 for x = 0."""
    return Prototypes(lambda loss, norm: min(C, loss / (2 * norm)) if norm else 0.0)


def pa_2(C: float = 1.0) -> Prototypes:
    """τ = ℓ/(2‖x‖² + 1/(2C))."""
    return Prototypes(lambda loss, norm: loss / (2 * norm + 1 / (2 * C)))


class Replay:
    """The machine of Crammer and Singer, one pair of classes of one row at a time.

    A row adds -β_m x to w^m for each rival m, and (Σ β) x to the w of its label y. Let v_m = s_m + 1 for rivals,
    and v_y = s_y + (Σ β)/(2C), or only s_y for PA-I. The label can give away C - Σ β, or any amount without that
    limit, and a rival m its β_m. The class with the smallest v that has something gives to the one with the
    largest v, so that the two become equal or the giver has nothing left.
    """

    def __init__(self, inner: Any = None, memory: int = 1000, visits: int = 1000) -> None:
        C, limited = (inner.C if inner else 1.0), type(inner).__name__ == "PassiveAggressive1"
        self.limit, self.damping = (C, 0.0) if limited else (math.inf, 1 / (2 * C))
        self.memory, self.visits = memory, visits

    def begin(self, classes: int, width: int) -> None:
        """Know nothing."""
        self.w = [[0.0] * width for _ in range(classes)]
        self.remembered: list[Any] = []  # x, y and the β of each row
        self.turn = 0
        self.near = False  # whether a choice between classes has hung on the last bits

    def look(self, x: list[float]) -> tuple[list[float], list[float]]:
        """The scores of all classes, and no spreads."""
        return [dot(w, x) for w in self.w], [0.0] * len(self.w)

    def learn(self, x: list[float], y: int, scores: list[float], guess: int) -> bool:
        """Remember the row, visit it, and then others in turn."""
        fires = scores[y] - max(score for i, score in enumerate(scores) if i != y) < 1
        if not any(x):
            return fires
        if len(self.remembered) == self.memory:
            self.remembered.pop(0)
            self.turn -= 1
        self.remembered.append((x, y, [0.0] * len(self.w)))
        self.visit(*self.remembered[-1])
        for _ in range(min(self.visits, len(self.remembered) - 1)):
            if not 0 <= self.turn < len(self.remembered) - 1:
                self.turn = 0
            self.visit(*self.remembered[self.turn])
            self.turn += 1
        return fires

    def visit(self, x: list[float], y: int, beta: list[float]) -> None:
        """One transfer from a class to another."""
        total = sum(beta)
        scores, _ = self.look(x)
        v = [score + 1.0 for score in scores]
        v[y] += self.damping * total - 1.0
        has = list(beta)
        has[y] = self.limit - total if total < self.limit * (1 - 1e-12) else 0.0
        # Of equals, the label gives first and takes last.
        givers = sorted((v[m], m != y, m) for m in range(len(v)) if has[m] > 0)
        takers = sorted((-v[m], m == y, m) for m in range(len(v)))
        if not givers:
            return
        giver, taker = givers[0][-1], takers[0][-1]
        bend = 2 * dot(x, x) + (self.damping if y in (giver, taker) else 0.0)
        step = min(has[giver], (v[taker] - v[giver]) / bend)
        if step <= 0:
            return
        # A transfer makes two classes equal but for rounding; only scores of 0 are equal for sure.
        pairs = [[one[-1] for one in part[:2]] for part in (givers, takers) if len(part) > 1]
        tied = any(abs(v[a] - v[b]) < CLOSE and (scores[a] or scores[b]) for a, b in pairs)
        unsure = tied or any(0 < left < CLOSE for left in has)
        self.near = self.near or (unsure and v[taker] - v[giver] > CLOSE)
        for m, change in ((giver, step), (taker, -step)):
            self.w[m] = [w + change * value for w, value in zip(self.w[m], x, strict=True)]
            if m != y:
                beta[m] = max(0.0, beta[m] - change)


class Adaptive(Prototypes):
    """An H a class: H^i = δ + √(Σ (g^i)²), with g^r = x and g^y = -x where 1 + s_r - s_y > 0."""

    def __init__(self, delta: float = 1.0, eta: float = 1.0) -> None:
        self.delta, self.eta = delta, eta

    def begin(self, classes: int, width: int) -> None:
        super().begin(classes, width)
        self.gradients: list[list[list[float]]] = [[] for _ in range(classes)]

    def diagonal(self, i: int) -> list[float]:
        """The diagonal of H^i."""
        return [self.delta + math.sqrt(sum(g[j] ** 2 for g in self.gradients[i])) for j in range(len(self.w[i]))]

    def look(self, x: list[float]) -> tuple[list[float], list[float]]:
        scores, _ = super().look(x)
        spreads = [
            sum(value**2 / H for value, H in zip(x, self.diagonal(i), strict=True)) for i in range(len(scores))
        ]
        return scores, spreads

    def learn(self, x: list[float], y: int, scores: list[float], guess: int) -> bool:
        rival = best([score if i != y else -np.inf for i, score in enumerate(scores)])
        fires = 1 + scores[rival] - scores[y] > 0
        for i, sign in ((y, -1), (rival, 1)) if fires else ():
            self.gradients[i].append([sign * value for value in x])
            self.follow(i)
        return fires

    def follow(self, i: int) -> None:
        """Move w^i."""
        raise NotImplementedError


class DualAveraging(Adaptive):
    """w = -η H⁻¹ Σ g."""

    def follow(self, i: int) -> None:
        totals = [sum(column) for column in zip(*self.gradients[i], strict=True)]
        self.w[i] = [-self.eta * total / H for total, H in zip(totals, self.diagonal(i), strict=True)]


class MirrorDescent(Adaptive):
    """w ← w - η H⁻¹ g."""

    def follow(self, i: int) -> None:
        parts = zip(self.w[i], self.gradients[i][-1], self.diagonal(i), strict=True)
        self.w[i] = [w - self.eta * g / H for w, g, H in parts]


class Gaussian(Prototypes):
    """A mean and a diagonal of Σ a class, and g = x for the label, -x for its rival: gᵀΣg = v_y + v_r.

    The twin of two classes has the length of a step and what it adds to Σ⁻¹, given the margin and gᵀΣg.
    """

    def __init__(self, two: Any) -> None:
        self.two = two

    def begin(self, classes: int, width: int) -> None:
        super().begin(classes, width)
        self.s = [[1.0] * width for _ in range(classes)]

    def look(self, x: list[float]) -> tuple[list[float], list[float]]:
        return super().look(x)[0], [sum(s * value**2 for s, value in zip(row, x, strict=True)) for row in self.s]

    def lacking(self, gamma: float, v: float) -> float:
        """How far the margin falls short."""
        return self.two.lacking(gamma, v) if hasattr(self.two, "lacking") else 1 - gamma

    def unsure(self, x: list[float], y: int, scores: list[float]) -> bool:
        """Whether it hangs on the last bits if the rule fires."""
        _, gamma, v = self.against(x, y, scores)
        return 0 < abs(self.lacking(gamma, v)) < CLOSE

    def against(self, x: list[float], y: int, scores: list[float]) -> tuple[int, float, float]:
        """The rival, the margin and gᵀΣg."""
        rival = best([score if i != y else -np.inf for i, score in enumerate(scores)])
        spreads = self.look(x)[1]
        return rival, scores[y] - scores[rival], spreads[y] + spreads[rival]

    def alpha_and_c(self, gamma: float, v: float) -> tuple[float, float]:
        """How far the means move along Σg, and what is added to Σ⁻¹ of each class, in units of x xᵀ."""
        if isinstance(self.two, second_order.PAM):
            return self.two.tau(1 - gamma, v), 1.0
        if isinstance(self.two, second_order.AROW):
            return (1 - gamma) / (v + self.two.r), 1 / self.two.r
        return self.two.alpha_and_c(gamma, v)

    def learn(self, x: list[float], y: int, scores: list[float], guess: int) -> bool:
        rival, gamma, v = self.against(x, y, scores)
        soft = hasattr(self.two, "lacking")
        fires = self.lacking(gamma, v) > 0 and (v > 0 or not soft)
        if fires and v > 0:
            alpha, c = self.alpha_and_c(gamma, v)
            for i, side in ((y, 1), (rival, -1)):
                parts = list(zip(self.w[i], self.s[i], x, strict=True))
                self.w[i] = [w + side * alpha * s * value for w, s, value in parts]
                shrunk = c if self.two.inverse else c / (1 + c * v)
                self.s[i] = [
                    s / (1 + shrunk * s * value**2) if self.two.inverse else s - shrunk * (s * value) ** 2
                    for _, s, value in parts
                ]
        return fires


def gaussian(two: Callable[..., Any]) -> Callable[..., Gaussian]:
    """The twin for many classes of a twin for two."""
    return lambda *parameters, **named: Gaussian(two(*parameters, **named))


DA, MD = DualAveraging, MirrorDescent

UPDATES: Mapping[str, Callable[..., Any]] = {
    "Perceptron": perceptron,
    "PassiveAggressive": pa,
    "PassiveAggressive1": pa_1,
    "PassiveAggressive2": pa_2,
    "Replay": Replay,
    "DualAveraging": DualAveraging,
    "MirrorDescent": MirrorDescent,
    "AROW": gaussian(second_order.AROW),
    "PAM": gaussian(second_order.PAM),
    "PAM1": gaussian(second_order.PAM1),
    "PAM2": gaussian(second_order.PAM2),
    "ConfidenceWeighted": gaussian(second_order.ConfidenceWeighted),
    "ConfidenceWeightedStdev": gaussian(second_order.ConfidenceWeightedStdev),
    "SoftConfidence1": gaussian(second_order.SoftConfidence1),
    "SoftConfidence2": gaussian(second_order.SoftConfidence2),
}

ALGORITHMS: Mapping[str, Callable[..., tuple[Prototypes, Query]]] = {
    "MPE": lambda: (perceptron(), always()),
    "MRPE": lambda ratio=0.5: (perceptron(), random(ratio)),
    "MPEA": lambda delta=1: (perceptron(), margin(delta)),
    "MPA": lambda C=1: (pa(), always()),
    "MPA-I": lambda C=1: (pa_1(C), always()),
    "MPA-II": lambda C=1: (pa_2(C), always()),
    "MRPA": lambda ratio=0.5, C=1: (pa(), random(ratio)),
    "MRPA-I": lambda ratio=0.5, C=1: (pa_1(C), random(ratio)),
    "MRPA-II": lambda ratio=0.5, C=1: (pa_2(C), random(ratio)),
    "MPAA": lambda delta=1, C=1: (pa(), margin(delta)),
    "MPAA-I": lambda delta=1, C=1: (pa_1(C), margin(delta)),
    "MPAA-II": lambda delta=1, C=1: (pa_2(C), margin(delta)),
    "MDA": lambda delta=1, eta=1: (DA(delta, eta), always()),
    "MMD": lambda delta=1, eta=1: (MD(delta, eta), always()),
    "MR-ADA": lambda delta=1, eta=1, ratio=0.5: (DA(delta, eta), random(ratio)),
    "MM-ADA": lambda delta=1, eta=1, b=1: (DA(delta, eta), margin(b)),
    "MD-ADA": lambda delta=1, eta=1, b=1: (DA(delta, eta), discrimination(b, eta)),
    "MD-ADA-I": lambda delta=1, eta=1, b=1: (DA(delta, eta), discrimination(b, eta, damped=False)),
    "MR-AMD": lambda delta=1, eta=1, ratio=0.5: (MD(delta, eta), random(ratio)),
    "MM-AMD": lambda delta=1, eta=1, b=1: (MD(delta, eta), margin(b)),
    "MD-AMD": lambda delta=1, eta=1, b=1: (MD(delta, eta), discrimination(b, eta)),
    "MD-AMD-I": lambda delta=1, eta=1, b=1: (MD(delta, eta), discrimination(b, eta, damped=False)),
    "MAROW-diag": lambda r=1, mode="drop": (Gaussian(second_order.AROW(r, False, INV[mode])), always()),
    "MCW-diag": lambda eta=0.9, form="var", mode="inv": (
        Gaussian(second_order.FORM[form](phi(eta), False, INV[mode])),
        always(),
    ),
    "MPAM-diag": lambda mode="inv": (Gaussian(second_order.PAM(False, INV[mode])), always()),
    "MPAM-I-diag": lambda C=1, mode="inv": (Gaussian(second_order.PAM1(C, False, INV[mode])), always()),
    "MPAM-II-diag": lambda C=1, mode="inv": (Gaussian(second_order.PAM2(C, False, INV[mode])), always()),
    "MSCW-I-diag": lambda eta=0.9, C=1, mode="inv": (
        Gaussian(second_order.SoftConfidence1(C, phi(eta), False, INV[mode])),
        always(),
    ),
    "MSCW-II-diag": lambda eta=0.9, C=1, mode="inv": (
        Gaussian(second_order.SoftConfidence2(C, phi(eta), False, INV[mode])),
        always(),
    ),
}


def run(X: Any, y: Any, coins: Any, twin: Any, query: Query, classes: int) -> Run:
    """Predict each row, ask where coin < probability, learn where asked; labels are 0 to classes - 1."""
    rows = np.asarray(X, float).tolist()
    twin.begin(classes, np.shape(X)[1])
    rounds = []
    settled = None
    mistakes, longest = 0, 0.0
    for t, (x, label, coin) in enumerate(zip(rows, np.asarray(y).tolist(), coins, strict=True)):
        scores, spreads = twin.look(x)
        guess = best(scores)
        others = [i for i in range(classes) if i != guess]
        p = scores[guess] - max(scores[i] for i in others)
        v = spreads[guess] + max(spreads[i] for i in others)
        probability = query(View(p, v, dot(x, x), mistakes, longest, t + 1, x=x), coin)
        gamma = scores[label] - max(score for i, score in enumerate(scores) if i != label)
        # Scores that are equal but for rounding decide who is first; only exact ties are sure.
        ranks = sorted(scores)
        near = is_close(query) or any(0 < high - low < CLOSE for low, high in itertools.pairwise(ranks))
        if settled is None and (near or abs(coin - probability) < CLOSE or 0 < abs(1 - gamma) < CLOSE):
            settled = t
        if settled is None and hasattr(twin, "unsure") and twin.unsure(x, label, scores):
            settled = t
        asked = coin < probability
        fired = asked and twin.learn(x, label, scores, guess)
        if settled is None and getattr(twin, "near", False):
            settled = t + 1
        if fired and guess != label:
            mistakes, longest = mistakes + 1, max(longest, dot(x, x))
        rounds.append((guess, p, probability, asked, fired))
    columns = [np.array(column) for column in zip(*rounds, strict=True)]
    # What the last label has done is not seen in any round: then the weights do not count as settled.
    settled = settled if settled is None or settled < len(rounds) else len(rounds) - 1
    return Run(*columns, np.array(twin.w), refused_by(query), len(rounds) if settled is None else settled)


def algorithm(name: str, X: Any, y: Any, coins: Any, classes: int, **parameters: Any) -> Run:
    """The run of a paper's algorithm."""
    twin, query = ALGORITHMS[name](**parameters)
    return run(X, y, coins, twin, query, classes)
