"""Update rules: how to learn from a label. `RULES` is the register of all of them."""

from askance.rules.update.additive import PNorm, Winnow
from askance.rules.update.arow import AROW
from askance.rules.update.confidence_weighted import ConfidenceWeighted, ConfidenceWeightedStdev, deviations
from askance.rules.update.cost_sensitive import CPA, PAUM, CostSensitiveDA, CostSensitiveMD, CostSensitivePA1
from askance.rules.update.ellipsoid import IELLIP
from askance.rules.update.gradient import OCS1, OCS2, OGD
from askance.rules.update.herding import NHERD
from askance.rules.update.losses import Hinge, Logistic, ModifiedHuber, PerceptronLoss, SquaredHinge
from askance.rules.update.maximum_margin import ALMA, ROMMA, Pegasos
from askance.rules.update.narow import NAROW
from askance.rules.update.pam import PAM, PAM1, PAM2
from askance.rules.update.passive_aggressive import PassiveAggressive, PassiveAggressive1, PassiveAggressive2
from askance.rules.update.perceptron import Perceptron
from askance.rules.update.proximal import COCOB, FTRL
from askance.rules.update.replay import Replay
from askance.rules.update.rule import UpdateRule
from askance.rules.update.second_order_perceptron import SecondOrderPerceptron
from askance.rules.update.sgd import SGD
from askance.rules.update.soal import SOAL
from askance.rules.update.soft_confidence import SoftConfidence1, SoftConfidence2
from askance.rules.update.sparse import RDA, AdaFOBOS, AdaRDA, TruncatedGradient
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
    CostSensitiveDA,
    CostSensitiveMD,
    PAUM,
    CPA,
    OGD,
    OCS1,
    OCS2,
    ROMMA,
    ALMA,
    Pegasos,
    SGD,
    TruncatedGradient,
    FTRL,
    AdaFOBOS,
    AdaRDA,
    COCOB,
    RDA,
)

__all__ = [
    "ALMA",
    "AROW",
    "COCOB",
    "CPA",
    "FTRL",
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
    "RDA",
    "ROMMA",
    "SGD",
    "SOAL",
    "AdaFOBOS",
    "AdaRDA",
    "ConfidenceWeighted",
    "ConfidenceWeightedStdev",
    "CostSensitiveDA",
    "CostSensitiveMD",
    "CostSensitivePA1",
    "DualAveraging",
    "Hinge",
    "Logistic",
    "MirrorDescent",
    "ModifiedHuber",
    "PNorm",
    "PassiveAggressive",
    "PassiveAggressive1",
    "PassiveAggressive2",
    "Pegasos",
    "Perceptron",
    "PerceptronLoss",
    "Replay",
    "SecondOrderPerceptron",
    "SoftConfidence1",
    "SoftConfidence2",
    "SquaredHinge",
    "TruncatedGradient",
    "UpdateRule",
    "Winnow",
    "deviations",
]
