"""Update rules: how to learn from a label. `RULES` is the register of all of them."""

from askance.rules.update.additive import PNorm, Winnow
from askance.rules.update.arow import AROW
from askance.rules.update.confidence_weighted import ConfidenceWeighted, ConfidenceWeightedStdev, deviations
from askance.rules.update.cost_sensitive import CPA, PAUM, CostSensitivePA1
from askance.rules.update.ellipsoid import IELLIP
from askance.rules.update.gradient import OCS1, OCS2, OGD
from askance.rules.update.herding import NHERD
from askance.rules.update.maximum_margin import ALMA, ROMMA, Pegasos
from askance.rules.update.narow import NAROW
from askance.rules.update.pam import PAM, PAM1, PAM2
from askance.rules.update.passive_aggressive import PassiveAggressive, PassiveAggressive1, PassiveAggressive2
from askance.rules.update.perceptron import Perceptron
from askance.rules.update.replay import Replay
from askance.rules.update.rule import UpdateRule
from askance.rules.update.second_order_perceptron import SecondOrderPerceptron
from askance.rules.update.soal import SOAL
from askance.rules.update.soft_confidence import SoftConfidence1, SoftConfidence2
from askance.rules.update.subgradient import DualAveraging, MirrorDescent

RULES: tuple[type, ...] = (
    Perceptron,
    PassiveAggressive,
    PassiveAggressive1,
    PassiveAggressive2,
    Replay,
    SecondOrderPerceptron,
    ConfidenceWeighted,
    ConfidenceWeightedStdev,
    SoftConfidence1,
    SoftConfidence2,
    AROW,
    NHERD,
    NAROW,
    IELLIP,
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
    ROMMA,
    ALMA,
    Pegasos,
)

__all__ = [
    "ALMA",
    "AROW",
    "CPA",
    "IELLIP",
    "NAROW",
    "NHERD",
    "OCS1",
    "OCS2",
    "OGD",
    "PAM",
    "PAM1",
    "PAM2",
    "PAUM",
    "ROMMA",
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
    "Pegasos",
    "Perceptron",
    "Replay",
    "SecondOrderPerceptron",
    "SoftConfidence1",
    "SoftConfidence2",
    "UpdateRule",
    "Winnow",
    "deviations",
]
