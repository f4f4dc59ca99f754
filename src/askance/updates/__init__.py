"""Update rules: how to learn from a label. This list is the register."""

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
)

__all__ = [
    "DualAveraging",
    "MirrorDescent",
    "PassiveAggressive",
    "PassiveAggressive1",
    "PassiveAggressive2",
    "Perceptron",
    "UpdateRule",
]
