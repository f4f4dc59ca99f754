"""Losses of the margin m = y p: how steep they are, and where a last bit decides whether a rule learns."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Loss(NamedTuple):
    """-ℓ'(m), and the margin at which it jumps or becomes 0."""

    slope: Callable[[float], float]
    kink: float


LOSSES: Mapping[str, Callable[[], Loss]] = {
    "Hinge": lambda: Loss(lambda m: 1.0 if m < 1 else 0.0, 1.0),
    "SquaredHinge": lambda: Loss(lambda m: 2 * (1 - m) if m < 1 else 0.0, 1.0),
    "Logistic": lambda: Loss(
        lambda m: math.exp(-m) / (1 + math.exp(-m)) if m > -30 else 1 / (1 + math.exp(m)), math.inf
    ),
    "ModifiedHuber": lambda: Loss(lambda m: 4.0 if m < -1 else 2 * (1 - m) if m < 1 else 0.0, 1.0),
    "PerceptronLoss": lambda: Loss(lambda m: 1.0 if m <= 0 else 0.0, 0.0),
}
