"""Importance-weighted active learning."""

import math

from naive.loop import CLOSE, View


class IWAL:
    """Algorithm 1: G = (c₁/√s - c₁ + 1) √ε + (c₂/s - c₂ + 1) ε, ε = C₀ log k/(k - 1), solved by bisection.

    G is the weight that turns the prediction over k - 1, with steps of η/(k - 1)^power.
    """

    def __init__(
        self, C0: float = 0.1, eta: float = 1.0, power: float = 0.5, c1: float = 5 + math.sqrt(8), c2: float = 5.0
    ) -> None:
        self.C0, self.eta, self.power, self.c1, self.c2 = C0, eta, power, c1, c2
        self.k, self.eagerness, self.close = 1, 1.0, False

    def __call__(self, view: View, coin: float) -> float:
        k = self.k
        self.k += view.counts
        self.close = False
        if k == 1 or view.p == 0:
            return 1.0
        weight = abs(view.p) / view.norm / (self.eta / (k - 1) ** self.power)
        G, epsilon = weight / (k - 1), self.C0 * self.eagerness * math.log(k) / (k - 1)
        self.close = abs(G - math.sqrt(epsilon) - epsilon) < CLOSE * G
        return self.solution(G, epsilon) if math.sqrt(epsilon) + epsilon < G else 1.0

    def solution(self, G: float, epsilon: float) -> float:
        """The s in (0, 1) at which the right side, which falls in s, is G."""
        low, high = -200.0, 0.0  # of log s
        for _ in range(100):
            middle = (low + high) / 2
            s = math.exp(middle)
            right = (self.c1 / math.sqrt(s) - self.c1 + 1) * math.sqrt(epsilon)
            right += (self.c2 / s - self.c2 + 1) * epsilon
            low, high = (middle, high) if right > G else (low, middle)
        return math.exp(low)
