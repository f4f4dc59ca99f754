"""Update rules: how to learn from a label. This list is the register."""

from askance.updates.passive_aggressive import PassiveAggressive, PassiveAggressive1, PassiveAggressive2
from askance.updates.perceptron import Perceptron
from askance.updates.rule import UpdateRule

RULES: tuple[type, ...] = (
    Perceptron,
    PassiveAggressive,
    PassiveAggressive1,
    PassiveAggressive2,
)

__all__ = ["PassiveAggressive", "PassiveAggressive1", "PassiveAggressive2", "Perceptron", "UpdateRule"]
