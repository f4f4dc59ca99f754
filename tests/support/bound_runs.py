"""Plain simulations of the algorithms that theorems are about, from the papers' formulas: none of askance's rules.

Each remembers what its theorem needs, so that the right side can be worked out here a second time.
"""

import math
from typing import Any

import numpy as np

import askance


class Run:
    """A run: what was decided in each round, as a trace, and the algorithm as it ended."""

    def __init__(self, algorithm: Any, X: Any, y: Any, coins: Any) -> None:
        self.algorithm, self.X, self.y = algorithm, X, y
        algorithm.begin(X.shape[1])
        self.rounds = [self._round(x, label, coin) for x, label, coin in zip(X, y.tolist(), coins, strict=True)]

    def _round(self, x: Any, label: Any, coin: float) -> tuple[Any, ...]:
        guess, score, probability = self.algorithm.look(x)
        asked = coin < probability
        updated = bool(asked and self.algorithm.learn(x, label))
        return guess, score, probability, bool(asked), updated

    def column(self, place: int) -> Any:
        """All rounds of a decision."""
        return np.array([each[place] for each in self.rounds])

    @property
    def mistakes(self) -> Any:
        """Where the guess was wrong."""
        return self.column(0) != self.y

    @property
    def updated(self) -> Any:
        """Where the rule learned."""
        return self.column(4)

    @property
    def trace(self) -> askance.Trace:
        """As a learner would return it."""
        classes = getattr(self.algorithm, "classes", None)
        return askance.Trace(
            true_codes=self.y.astype(np.int32),
            predicted_codes=self.column(0).astype(np.int32),
            scores=self.column(1),
            ask_probabilities=self.column(2),
            asked=self.column(3),
            updated=self.updated,
            classes=np.array([-1, 1]) if classes is None else np.arange(classes),
            first_round=0,
            mode="float64 exact",
            algorithm=type(self.algorithm).__name__,
            spent=0,
            refused=0,
            kind="binary" if classes is None else "multiclass",
        )


class Sign:
    """Two classes: the sign of p, with sgn(0) = sgn0."""

    def __init__(self, sgn0: int = 1) -> None:
        self.sgn0 = sgn0

    def guess(self, p: float) -> int:
        """ŷ."""
        self.p, self.guessed = p, self.sgn0 if p == 0 else int(np.sign(p))
        return self.guessed


class SelAda(Sign):
    """SEL-ADA: b = β X'² √(1 + K)."""

    def __init__(self, beta: float, sgn0: int = -1) -> None:
        super().__init__(sgn0)
        self.beta = beta

    def begin(self, width: int) -> None:
        """w = 0, X = 0, K = 0."""
        self.w, self.longest, self.updates = np.zeros(width), 0.0, 0

    def look(self, x: Any) -> tuple[int, float, float]:
        """Guess, margin, probability."""
        self.here = max(self.longest, math.sqrt(x @ x))
        b = self.beta * self.here**2 * math.sqrt(1 + self.updates)
        guess = self.guess(self.w @ x)
        return guess, self.p, b / (b + abs(self.p)) if b > 0 else 0.0

    def learn(self, x: Any, y: int) -> bool:
        """On an observed mistake."""
        if self.guessed != y:
            self.w = self.w + y * x
            self.longest, self.updates = self.here, self.updates + 1
        return self.guessed != y


class Sel2nd(Sign):
    """SEL-2ND: p = vᵀ(A + xxᵀ)⁻¹x; b = ∞ is SOP."""

    def __init__(self, b: float = math.inf, sgn0: int = -1) -> None:
        super().__init__(sgn0)
        self.b = b

    def begin(self, width: int) -> None:
        """v = 0, A = I."""
        self.v, self.A = np.zeros(width), np.eye(width)

    def look(self, x: Any) -> tuple[int, float, float]:
        """Guess, margin, probability."""
        guess = self.guess(float(self.v @ np.linalg.inv(self.A + np.outer(x, x)) @ x))
        return guess, self.p, 1.0 if self.b == math.inf else self.b / (self.b + abs(self.p))

    def learn(self, x: Any, y: int) -> bool:
        """On an observed mistake."""
        if self.guessed != y:
            self.v, self.A = self.v + y * x, self.A + np.outer(x, x)
        return self.guessed != y


class Additive(Sign):
    """Observed mistake: θ += ηyx; w = f(θ); b/(b + |p|)."""

    def __init__(self, b: float, eta: float, sgn0: int = -1) -> None:
        super().__init__(sgn0)
        self.b, self.eta = b, eta

    def begin(self, width: int) -> None:
        """θ = 0."""
        self.theta = np.zeros(width)

    def look(self, x: Any) -> tuple[int, float, float]:
        """Guess, margin, probability."""
        guess = self.guess(float(self.link() @ x))
        return guess, self.p, self.b / (self.b + abs(self.p))

    def learn(self, x: Any, y: int) -> bool:
        """On an observed mistake."""
        if self.guessed != y:
            self.theta = self.theta + self.eta * y * x
        return self.guessed != y

    def link(self) -> Any:
        """f(θ)."""
        raise NotImplementedError


class Winnow(Additive):
    """w_i = e^θ_i / Σ e^θ_j."""

    def link(self) -> Any:
        """In the simplex."""
        return np.exp(self.theta) / np.exp(self.theta).sum()


class PNorm(Additive):
    """w_i = sign(θ_i) |θ_i|^(p-1) / ‖θ‖_p^(p-2)."""

    def __init__(self, b: float, eta: float, p: float, sgn0: int = -1) -> None:
        super().__init__(b, eta, sgn0)
        self.power = p

    def link(self) -> Any:
        """w(0) = 0."""
        if not self.theta.any():
            return self.theta
        size = (abs(self.theta) ** self.power).sum() ** (1 / self.power)
        return np.sign(self.theta) * abs(self.theta) ** (self.power - 1) / size ** (self.power - 2)


class PaaAda(Sign):
    """PAA-I with δ = β√(1 + K); remembers t, δ_t, τ_t, y_t p_t and whether there was a mistake, of its updates."""

    def __init__(self, beta: float, C: float, sgn0: int = 1) -> None:
        super().__init__(sgn0)
        self.beta, self.C = beta, C

    def begin(self, width: int) -> None:
        """w = 0, K = 0."""
        self.w, self.known, self.t = np.zeros(width), 0, -1
        self.steps: list[tuple[int, float, float, float, bool]] = []

    def look(self, x: Any) -> tuple[int, float, float]:
        """Guess, margin, probability."""
        self.t += 1
        self.delta = self.beta * math.sqrt(1 + self.known)
        guess = self.guess(float(self.w @ x))
        return guess, self.p, self.delta / (self.delta + abs(self.p))

    def learn(self, x: Any, y: int) -> bool:
        """On a loss. A row of zeros moves nothing, so that its step may be said to be C."""
        loss = 1 - y * self.p
        if loss > 0:
            tau = min(self.C, loss / (x @ x)) if x.any() else self.C
            self.steps.append((self.t, self.delta, tau, y * self.p, self.guessed != y))
            self.w = self.w + tau * y * x
            self.known += self.guessed != y
        return loss > 0


class Cspaa(Sign):
    """CSPAA: ℓ = max(0, ρ_t - yp), τ = min(C, ℓ/‖x‖²)."""

    def __init__(self, delta: float, C: float, rho: float, sgn0: int = 1) -> None:
        super().__init__(sgn0)
        self.delta, self.C, self.rho = delta, C, rho

    def begin(self, width: int) -> None:
        """w = 0."""
        self.w = np.zeros(width)

    def look(self, x: Any) -> tuple[int, float, float]:
        """Guess, margin, probability."""
        guess = self.guess(float(self.w @ x))
        return guess, self.p, self.delta / (self.delta + abs(self.p))

    def learn(self, x: Any, y: int) -> bool:
        """On a loss."""
        loss = (self.rho if y > 0 else 1.0) - y * self.p
        if loss > 0 and x.any():
            self.w = self.w + min(self.C, loss / (x @ x)) * y * x
        return loss > 0


class Pam(Sign):
    """PAM (`step` ""), PAM-I, PAM-II, with all labels; remembers v_t, m_t, τ_t, x_t and y_t of its updates."""

    def __init__(self, step: str = "", C: float = 1.0, sgn0: int = 1) -> None:
        super().__init__(sgn0)
        self.step, self.C = step, C

    def begin(self, width: int) -> None:
        """w = 0, Σ = I."""
        self.w, self.sigma = np.zeros(width), np.eye(width)
        self.steps: list[tuple[float, float, float, Any, int]] = []
        self.after: list[float] = []  # x_tᵀΣ_tx_t, which the printed theorems have

    def look(self, x: Any) -> tuple[int, float, float]:
        """Guess, margin, probability."""
        return self.guess(float(self.w @ x)), self.p, 1.0

    def learn(self, x: Any, y: int) -> bool:
        """On a loss."""
        loss = 1 - y * self.p
        if loss <= 0:
            return False
        v = float(x @ self.sigma @ x)
        tau = loss / (v + 1 / (2 * self.C)) if self.step == "-II" else loss / v
        tau = min(self.C, tau) if self.step == "-I" else tau
        self.steps.append((v, y * self.p, tau, x, y))
        self.w = self.w + tau * y * self.sigma @ x
        self.sigma = np.linalg.inv(np.linalg.inv(self.sigma) + np.outer(x, x))
        self.after.append(float(x @ self.sigma @ x))
        return True


class Subgradient:
    """DA or MD with a lane a class, or one for two; `weight` is a_t: "M" 0, "D" 1/max{1, x·x}, "I" 1.

    With two classes, a mistake on a positive row may cost ρ.
    """

    def __init__(
        self,
        delta: float,
        eta: float,
        b: float,
        weight: str,
        mirror: bool,
        classes: int | None = None,
        rho: float = 1.0,
    ):
        self.delta, self.eta, self.b, self.weight, self.mirror = delta, eta, b, weight, mirror
        self.classes, self.rho = classes, rho

    def begin(self, width: int) -> None:
        """w = 0, s = 0."""
        self.lanes = self.classes or 1
        self.w, self.squares, self.sums = (np.zeros((self.lanes, width)) for _ in range(3))
        self.past: list[dict[str, Any]] = []

    def diagonal(self) -> Any:
        """H = δ + √Σg²."""
        return self.delta + np.sqrt(self.squares)

    def look(self, x: Any) -> tuple[int, float, float]:
        """Guess, margin, probability."""
        scores, spreads = self.w @ x, (x * x / self.diagonal()).sum(axis=1)
        if self.classes is None:
            p = float(scores[0])
            guess, v = (1 if p >= 0 else -1), spreads[0]
        else:
            guess = int(np.argmax(scores))
            others = [i for i in range(self.lanes) if i != guess]
            p = float(scores[guess] - scores[others].max())
            v = spreads[guess] + spreads[others].max()
        a = {"M": 0.0, "D": 1 / max(1.0, x @ x), "I": 1.0}[self.weight]
        q = abs(p) - self.eta / 2 * a * v
        b = self.b * (self.rho if guess == -1 else 1.0)
        probability = b / (b + max(q, 0.0))
        self.past.append({"w": self.w.copy(), "a": a, "q": q, "p": p, "guess": guess, "before": 0.0, "after": 0.0})
        return guess, p, probability

    def learn(self, x: Any, y: int) -> bool:
        """On a loss."""
        now = self.past[-1]
        if self.classes is None:
            fires, moves = y * now["p"] < (self.rho if y == 1 else 1.0), [(0, y)]
        else:
            scores = self.w @ x
            rival = max((i for i in range(self.lanes) if i != y), key=lambda i: (scores[i], -i))
            fires, moves = scores[y] - scores[rival] < 1, [(y, 1), (rival, -1)]
        for lane, sign in moves if fires else ():
            now["before"] += (x * x / self.diagonal()[lane]).sum()
            self.squares[lane] += x * x
            now["after"] += (x * x / self.diagonal()[lane]).sum()
            self.sums[lane] -= sign * x
            step = self.eta * sign * x / self.diagonal()[lane]
            self.w[lane] = (
                self.w[lane] + step if self.mirror else -self.eta * self.sums[lane] / self.diagonal()[lane]
            )
        return bool(fires)


def hinge(u: Any, X: Any, y: Any, margin: Any = 1.0) -> Any:
    """max(0, margin - y u·x)."""
    return np.maximum(0.0, margin - y * (X @ u))


def many_hinge(u: Any, X: Any, y: Any) -> Any:
    """max(0, 1 - u^y·x + the best wrong score)."""
    losses = []
    for x, label in zip(X, y, strict=True):
        scores = u @ x
        losses.append(max(0.0, 1 - scores[label] + max(s for i, s in enumerate(scores) if i != label)))
    return np.array(losses)


# ---------------------------------------------------------------------- right sides, as the papers have them


def second_order_bound(runs: list[Run], u: Any, b: float, gamma: float) -> float:
    """Theorem 3 of selective sampling."""
    loss = np.mean([hinge(u, run.X, run.y, gamma)[run.updated].sum() for run in runs])
    matrix = np.mean([run.algorithm.A for run in runs], axis=0)
    logs = np.mean([np.log(np.linalg.eigvalsh(run.algorithm.A)).sum() for run in runs])
    return float(loss / gamma + b / (2 * gamma**2) * (u @ matrix @ u) + logs / (2 * b))


def adaptive_bound(runs: list[Run], u: Any, beta: float, gamma: float) -> float:
    """Theorem 2 of selective sampling."""
    loss = np.mean([hinge(u, run.X, run.y, gamma)[run.updated].sum() for run in runs]) / gamma
    R = np.linalg.norm(u) * np.linalg.norm(runs[0].X, axis=1).max() / gamma
    B = R + (1 + 3 * R / 2) / beta
    return float(loss + R / (2 * beta) + B**2 / 2 + B * np.sqrt(loss + R / (2 * beta) + B**2 / 4))


def adaptive_aggressive_bound(runs: list[Run], u: Any, beta: float, C: float) -> float:
    """The smallest m with κ(1 + m) = κ + A + B √(1 + m), the inequality that ends the proof of decision 75."""
    known, other = (
        np.mean([hinge(u, run.X, run.y)[run.updated & (run.mistakes == wrong)].sum() for run in runs])
        for wrong in (True, False)
    )
    longest, size = np.linalg.norm(runs[0].X, axis=1).max(), np.linalg.norm(u)
    kappa = min(C, 1 / longest**2)
    if beta >= 1:
        A = C * (known + (1 + 1 / beta) * other) + size**2 * (2 + 1 / beta) / 4
        B = 2 * C * (1 + longest * size) / beta + beta * size**2 / 4
    else:
        A = C * (known + 2 / beta * other) + size**2 / beta
        B = 4 * C * (1 + longest * size) / beta + beta * size**2 / 4
    root = (B + math.sqrt(B**2 + 4 * kappa * (kappa + A))) / (2 * kappa)
    return float(root**2 - 1)


def adaptive_aggressive_sides(run: Run, u: Any) -> tuple[float, float]:
    """Both sides of the inequality of decision 75 that holds in every run."""
    rule, losses = run.algorithm, hinge(u, run.X, run.y)
    left = right = 0.0
    for t, delta, tau, margin, _ in rule.steps:
        larger = max(delta, 1.0)
        left += tau * (larger - margin) / delta
        right += tau * (larger + 1) / delta * losses[t]
    start, last = rule.beta, rule.delta
    grown = (last + 2 + 1 / start) / 4 if start >= 1 else 1 / start + max(last - 1, 0) / 4
    return left, right + float(u @ u) * grown


def winnow_bound(runs: list[Run], u: Any, alpha: float, gamma: float) -> float:
    """Theorem 4 of selective sampling."""
    loss = np.mean([hinge(u, run.X, run.y, gamma)[run.updated].sum() for run in runs])
    X = runs[0].X
    return float(
        loss / (alpha * gamma) + abs(X).max() ** 2 * np.log(X.shape[1]) / (2 * alpha * (1 - alpha) * gamma**2)
    )


def p_norm_bound(runs: list[Run], u: Any, b: float, p: float, gamma: float) -> float:
    """Theorem 1 of selective sampling with the norms of the p-norm Perceptron, for η = 1."""
    loss = np.mean([hinge(u, run.X, run.y, gamma)[run.updated].sum() for run in runs])
    square = (p - 1) * max(np.linalg.norm(x, p) for x in runs[0].X) ** 2
    size = np.linalg.norm(u, p / (p - 1)) ** 2
    return float((1 + square / (2 * b)) * loss / gamma + size * (2 * b + square) ** 2 / (8 * b * gamma**2))


def pam_bound(run: Run, u: Any) -> float:
    """The corrected theorems on PAM."""
    steps, C, step = run.algorithm.steps, run.algorithm.C, run.algorithm.step
    longest = max(v for v, *_ in steps)
    price = u @ u + sum((m + tau * v - y * (u @ x)) ** 2 for v, m, tau, x, y in steps)
    losses = [max(0.0, 1 - y * (u @ x)) for *_, x, y in steps]
    if step == "":
        return float(longest * price)
    if step == "-I":
        return float(max(longest, 1 / C) * (price + 2 * C * sum(losses)))
    return float((longest + 1 / (2 * C)) * (price + 2 * C * sum(loss**2 for loss in losses)))


def printed_pam_bound(run: Run, u: Any) -> float:
    """Theorem 1 on PAM as it is printed."""
    return float((u @ u + sum((u @ x) ** 2 for *_, x, _ in run.algorithm.steps)) * max(run.algorithm.after))


def subgradient_bound(runs: list[Run], u: Any) -> float:
    """Theorems 1 and 2 on adaptive subgradient methods: the mean over runs of what is in the expectations."""
    return float(np.mean([_one_subgradient_bound(run, np.atleast_2d(u)) for run in runs]))


def _one_subgradient_bound(run: Run, u: Any) -> float:
    rule = run.algorithm
    costs = np.where(run.y == 1, rule.rho, 1.0)
    losses = hinge(u[0], run.X, run.y, costs) if rule.classes is None else many_hinge(u, run.X, run.y)
    a1 = (abs(u).max()) ** 2
    a2 = max(abs(u - now["w"]).max() for now in rule.past) ** 2
    total = losses[run.column(3)].sum()
    trace = rule.diagonal().sum()
    if rule.mirror:
        total += (a2 + (rule.b - 1) ** 2 * a1) / (rule.eta * rule.b) * trace
    else:
        total += rule.b * a1 / (2 * rule.eta) * trace
    for now, right, updated, cost in zip(rule.past, ~run.mistakes, run.updated, costs, strict=True):
        norm = now["after"] if rule.mirror else now["before"]
        if now["q"] <= 0:
            total += rule.eta / (2 * rule.b) * now["a"] * norm - cost * (right and updated) / rule.b
        total += rule.eta / (2 * rule.b) * (1 - now["a"]) * norm
    return float(total)
