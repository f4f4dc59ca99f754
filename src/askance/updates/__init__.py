"""Update rules: how to learn from a label. This list is the register."""

from askance.updates.additive import PNorm, Winnow
from askance.updates.arow import AROW
from askance.updates.confidence_weighted import ConfidenceWeighted, ConfidenceWeightedStdev, deviations
from askance.updates.cost_sensitive import CPA, PAUM, CostSensitivePA1
from askance.updates.gradient import OCS1, OCS2, OGD
from askance.updates.pam import PAM, PAM1, PAM2
from askance.updates.passive_aggressive import PassiveAggressive, PassiveAggressive1, PassiveAggressive2
from askance.updates.perceptron import Perceptron
from askance.updates.rule import UpdateRule
from askance.updates.second_order_perceptron import SecondOrderPerceptron
from askance.updates.soal import SOAL
from askance.updates.subgradient import DualAveraging, MirrorDescent

RULES: tuple[type, ...] = (
    Perceptron,
    PassiveAggressive,
    PassiveAggressive1,
    PassiveAggressive2,
    SecondOrderPerceptron,
    ConfidenceWeighted,
    ConfidenceWeightedStdev,
    AROW,
    PAM,
    PAM1,
    PAM2,
    SOAL,
    DualAveraging,
    MirrorDescent,
    Winnow,
    PNorm,
    CostSensitivePA1,
    PAUM,
    CPA,
    OGD,
    OCS1,
    OCS2,
)

__all__ = [
    "AROW",
    "CPA",
    "OCS1",
    "OCS2",
    "OGD",
    "PAM",
    "PAM1",
    "PAM2",
    "PAUM",
    "SOAL",
    "ConfidenceWeighted",
    "ConfidenceWeightedStdev",
    "CostSensitivePA1",
    "DualAveraging",
    "MirrorDescent",
    "PNorm",
    "PassiveAggressive",
    "PassiveAggressive1",
    "PassiveAggressive2",
    "Perceptron",
    "SecondOrderPerceptron",
    "UpdateRule",
    "Winnow",
    "deviations",
]
