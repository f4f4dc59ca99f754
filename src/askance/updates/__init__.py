"""Update rules: how to learn from a label. This list is the register."""

from askance.updates.additive import PNorm, Winnow
from askance.updates.cost_sensitive import CPA, PAUM, CostSensitivePA1
from askance.updates.passive_aggressive import PassiveAggressive, PassiveAggressive1, PassiveAggressive2
from askance.updates.perceptron import Perceptron
from askance.updates.rule import UpdateRule
from askance.updates.subgradient import DualAveraging, MirrorDescent

RULES: tuple[type, ...] = (
    Perceptron,
    PassiveAggressive,
    PassiveAggressive1,
    PassiveAggressive2,
    DualAveraging,
    MirrorDescent,
    Winnow,
    PNorm,
    CostSensitivePA1,
    PAUM,
    CPA,
)

__all__ = [
    "CPA",
    "PAUM",
    "CostSensitivePA1",
    "DualAveraging",
    "MirrorDescent",
    "PNorm",
    "PassiveAggressive",
    "PassiveAggressive1",
    "PassiveAggressive2",
    "Perceptron",
    "UpdateRule",
    "Winnow",
]
