"""The Perceptron and passive-aggressive families."""

from collections.abc import Mapping

from askance.algorithms.entry import ACTIVE, OURS, PASSIVE_AGGRESSIVE, PERCEPTRON, SELECTIVE, Entry, entry
from askance.rules.query import Adaptive, Always, Margin, Random
from askance.rules.update import PassiveAggressive, PassiveAggressive1, PassiveAggressive2, Perceptron

ENTRIES: Mapping[str, Entry] = {
    "PE": entry(PERCEPTRON, "", lambda: (Perceptron(), Always())),
    "RPE": entry(ACTIVE, "section 6.1", lambda ratio=0.5: (Perceptron(), Random(ratio))),
    "PEA": entry(ACTIVE, "section 6.1", lambda delta=1.0: (Perceptron(), Margin(delta))),
    "LEPE": entry(ACTIVE, "section 6.3", lambda delta=1.0: (Perceptron(), Margin(delta))),
    "SEL-P": entry(SELECTIVE, "figure 1", lambda b=1.0: (Perceptron(), Margin(b)), sgn0=-1),
    "SEL-P-FIXED": entry(SELECTIVE, "section 4", lambda ratio=0.5: (Perceptron(), Random(ratio)), sgn0=-1),
    "PA": entry(PASSIVE_AGGRESSIVE, "figure 1", lambda: (PassiveAggressive(), Always())),
    "PA-I": entry(PASSIVE_AGGRESSIVE, "figure 1", lambda C=1.0: (PassiveAggressive1(C), Always())),
    "PA-II": entry(PASSIVE_AGGRESSIVE, "figure 1", lambda C=1.0: (PassiveAggressive2(C), Always())),
    "RPA": entry(ACTIVE, "section 6.1", lambda ratio=0.5: (PassiveAggressive(), Random(ratio))),
    "RPA-I": entry(ACTIVE, "section 6.1", lambda ratio=0.5, C=1.0: (PassiveAggressive1(C), Random(ratio))),
    "RPA-II": entry(ACTIVE, "section 6.1", lambda ratio=0.5, C=1.0: (PassiveAggressive2(C), Random(ratio))),
    "PAA": entry(ACTIVE, "algorithm 2", lambda delta=1.0: (PassiveAggressive(), Margin(delta))),
    "PAA-I": entry(ACTIVE, "algorithm 2", lambda delta=1.0, C=1.0: (PassiveAggressive1(C), Margin(delta))),
    "PAA-II": entry(ACTIVE, "algorithm 2", lambda delta=1.0, C=1.0: (PassiveAggressive2(C), Margin(delta))),
    "PAA-I-ada": entry(
        f"after {ACTIVE}",
        OURS,
        lambda beta=1.0, C=1.0: (PassiveAggressive1(C), Adaptive(beta, by_length=False)),
    ),
    "PAA(thm4)": entry(ACTIVE, "theorem 4", lambda delta=1.0: (PassiveAggressive(), Margin(delta, 1.0))),
    "PAA-I(thm4)": entry(
        ACTIVE, "theorem 4", lambda delta=1.0, C=1.0: (PassiveAggressive1(C), Margin(delta, 1.0))
    ),
    "PAA-II(thm4)": entry(
        ACTIVE, "theorem 4", lambda delta=1.0, C=1.0: (PassiveAggressive2(C), Margin(delta, 1.0))
    ),
}
