"""Algorithms for more than two classes: the same rules, applied to each label against its strongest rival."""

from collections.abc import Mapping

from askance.algorithms.entry import ACTIVE, ADAPTIVE, DISCRIMINATION, OURS, PASSIVE_AGGRESSIVE, Entry, many
from askance.algorithms.second_order import FORMS, MAHALANOBIS, SOFT_CONFIDENCE, inverse, meaning
from askance.algorithms.subgradient import always, discrimination, margin, random
from askance.rules.query import Always, Margin, Random
from askance.rules.update import (
    AROW,
    PAM,
    PAM1,
    PAM2,
    DualAveraging,
    MirrorDescent,
    PassiveAggressive,
    PassiveAggressive1,
    PassiveAggressive2,
    Perceptron,
    SoftConfidence1,
    SoftConfidence2,
    deviations,
)

HERE = "section 6.2"
AFTER_PAM = f"after {MAHALANOBIS}"
MANY_AROW = "Crammer, Kulesza, Dredze 2013"
MANY_CONFIDENCE = "Crammer, Dredze, Kulesza 2009"

ENTRIES: Mapping[str, Entry] = {
    "MPE": many(ACTIVE, HERE, lambda: (Perceptron(), Always())),
    "MRPE": many(ACTIVE, HERE, lambda ratio=0.5: (Perceptron(), Random(ratio))),
    "MPEA": many(ACTIVE, HERE, lambda delta=1.0: (Perceptron(), Margin(delta))),
    "MPA": many(PASSIVE_AGGRESSIVE, "section 8", lambda: (PassiveAggressive(), Always())),
    "MPA-I": many(PASSIVE_AGGRESSIVE, "section 8", lambda C=1.0: (PassiveAggressive1(C), Always())),
    "MPA-II": many(PASSIVE_AGGRESSIVE, "section 8", lambda C=1.0: (PassiveAggressive2(C), Always())),
    "MRPA": many(ACTIVE, HERE, lambda ratio=0.5: (PassiveAggressive(), Random(ratio))),
    "MRPA-I": many(ACTIVE, HERE, lambda ratio=0.5, C=1.0: (PassiveAggressive1(C), Random(ratio))),
    "MRPA-II": many(ACTIVE, HERE, lambda ratio=0.5, C=1.0: (PassiveAggressive2(C), Random(ratio))),
    "MPAA": many(ACTIVE, "algorithm 3", lambda delta=1.0: (PassiveAggressive(), Margin(delta))),
    "MPAA-I": many(ACTIVE, "algorithm 3", lambda delta=1.0, C=1.0: (PassiveAggressive1(C), Margin(delta))),
    "MPAA-II": many(ACTIVE, "algorithm 3", lambda delta=1.0, C=1.0: (PassiveAggressive2(C), Margin(delta))),
    "MDA": many(ADAPTIVE, "", always(DualAveraging)),
    "MMD": many(ADAPTIVE, "", always(MirrorDescent)),
    "MR-ADA": many(DISCRIMINATION, "section 5.2", random(DualAveraging)),
    "MM-ADA": many(DISCRIMINATION, "algorithm 2", margin(DualAveraging)),
    "MD-ADA": many(DISCRIMINATION, "algorithm 2", discrimination(DualAveraging, damped=True)),
    "MD-ADA-I": many(DISCRIMINATION, "algorithm 2", discrimination(DualAveraging, damped=False)),
    "MR-AMD": many(DISCRIMINATION, "section 5.2", random(MirrorDescent)),
    "MM-AMD": many(DISCRIMINATION, "algorithm 2", margin(MirrorDescent)),
    "MD-AMD": many(DISCRIMINATION, "algorithm 2", discrimination(MirrorDescent, damped=True)),
    "MD-AMD-I": many(DISCRIMINATION, "algorithm 2", discrimination(MirrorDescent, damped=False)),
    "MAROW-diag": many(MANY_AROW, "", lambda r=1.0, mode="drop": (AROW(r, inverse=inverse(mode)), Always())),
    "MCW-diag": many(
        MANY_CONFIDENCE,
        "",
        lambda eta=0.9, form="var", mode="inv": (
            meaning("form", form, FORMS)(deviations(eta), inverse=inverse(mode)),
            Always(),
        ),
    ),
    "MPAM-diag": many(AFTER_PAM, OURS, lambda mode="inv": (PAM(inverse=inverse(mode)), Always())),
    "MPAM-I-diag": many(AFTER_PAM, OURS, lambda C=1.0, mode="inv": (PAM1(C, inverse=inverse(mode)), Always())),
    "MPAM-II-diag": many(AFTER_PAM, OURS, lambda C=1.0, mode="inv": (PAM2(C, inverse=inverse(mode)), Always())),
    "MSCW-I-diag": many(
        SOFT_CONFIDENCE,
        "proposition 1",
        lambda eta=0.9, C=1.0, mode="inv": (SoftConfidence1(C, deviations(eta), inverse=inverse(mode)), Always()),
    ),
    "MSCW-II-diag": many(
        SOFT_CONFIDENCE,
        "proposition 2",
        lambda eta=0.9, C=1.0, mode="inv": (SoftConfidence2(C, deviations(eta), inverse=inverse(mode)), Always()),
    ),
}
