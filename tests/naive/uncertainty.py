"""The strategies for drifting streams of Žliobaitė, Bifet, Pfahringer and Holmes.

Twins of rules that remember something keep it in `self`. `AtRate` sets their `eagerness` before each row.
"""

from statistics import NormalDist

from naive.loop import CLOSE, View


class Uncertainty:
    """The budget of all four: ask while û/w < B, with û ← û λ + labelling, λ = (w - 1)/w.

    The margin is the confidence. No probability is below audit·B. Rows that a budget forbids change nothing.
    """

    def __init__(self, theta: float = 1.0, rate: float = 0.1, window: int = 100, audit: float = 0.1) -> None:
        self.theta, self.rate, self.window, self.audit = theta, rate, window, audit
        self.u, self.eagerness, self.close = 0.0, 1.0, False

    def __call__(self, view: View, coin: float) -> float:
        budget = min(1.0, self.rate * self.eagerness)
        self.close = 0 < abs(self.u / self.window - budget) < CLOSE
        wanted, theta = (
            self.strategy(abs(view.p), coin, budget) if self.u / self.window < budget else (0.0, self.theta)
        )
        probability = max(wanted, self.audit * budget)
        if view.counts:
            self.u = self.u * (self.window - 1) / self.window + (coin < probability)
            self.theta = theta
        return probability

    def strategy(self, margin: float, coin: float, budget: float) -> tuple[float, float]:
        """The probability, and the threshold for the next row."""
        raise NotImplementedError

    def is_below(self, margin: float, threshold: float) -> bool:
        """Whether the margin is below the threshold, and whether that hangs on the last bits."""
        self.close |= abs(margin - threshold) < CLOSE * max(1.0, threshold)
        return margin < threshold


class FixedUncertainty(Uncertainty):
    """Label if the confidence is below θ."""

    def strategy(self, margin: float, coin: float, budget: float) -> tuple[float, float]:
        return float(self.is_below(margin, self.theta * self.eagerness)), self.theta


class VariableUncertainty(Uncertainty):
    """Label and shrink θ by s if the confidence is below θ; else, or if the label is withheld, widen it by s."""

    def __init__(
        self, rate: float = 0.1, s: float = 0.01, theta: float = 1.0, window: int = 100, audit: float = 0.1
    ) -> None:
        super().__init__(theta, rate, window, audit)
        self.s = s

    def strategy(self, margin: float, coin: float, budget: float) -> tuple[float, float]:
        if self.is_below(margin, self.theta):
            return 1.0, self.theta * (1 - self.s if coin < 1 else 1 + self.s)
        return 0.0, self.theta * (1 + self.s)


class RandomVariableUncertainty(Uncertainty):
    """The same with θη for θ, η ~ N(1, δ): labelled where η > confidence/θ."""

    def __init__(
        self,
        rate: float = 0.1,
        s: float = 0.01,
        delta: float = 1.0,
        theta: float = 1.0,
        window: int = 100,
        audit: float = 0.1,
    ) -> None:
        super().__init__(theta, rate, window, audit)
        self.s, self.delta = s, delta

    def strategy(self, margin: float, coin: float, budget: float) -> tuple[float, float]:
        chance = NormalDist(1, self.delta).cdf(2 - margin / self.theta)  # the distribution is symmetric about 1
        self.close |= abs(coin - chance) < CLOSE
        return chance, self.theta * (1 - self.s if coin < chance else 1 + self.s)


class Split(Uncertainty):
    """With probability ν, label at random with probability B; else as VariableUncertainty does.

    The coin falls into four parts: at random and labelled, by the threshold, at random and not labelled.
    """

    def __init__(
        self,
        rate: float = 0.1,
        s: float = 0.01,
        nu: float = 0.1,
        theta: float = 1.0,
        window: int = 100,
        audit: float = 0.1,
    ) -> None:
        super().__init__(theta, rate, window, audit)
        self.s, self.nu = s, nu

    def strategy(self, margin: float, coin: float, budget: float) -> tuple[float, float]:
        below = self.is_below(margin, self.theta)
        chance = self.nu * budget + (1 - self.nu) * below
        parts = [self.nu * budget, self.nu * budget + 1 - self.nu]
        self.close |= any(abs(coin - part) < CLOSE for part in parts)
        if parts[0] <= coin < parts[1]:
            return chance, self.theta * (1 - self.s if below else 1 + self.s)
        return chance, self.theta
