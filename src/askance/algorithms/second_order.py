"""Second-order algorithms."""

from collections.abc import Mapping
from typing import Any

from askance.algorithms.entry import SELECTIVE, Entry, entry
from askance.rules.query import Always, Margin, Random, SpreadMargin
from askance.rules.update import (
    AROW,
    IELLIP,
    NAROW,
    NHERD,
    PAM,
    PAM1,
    PAM2,
    SOAL,
    ConfidenceWeighted,
    ConfidenceWeightedStdev,
    SecondOrderPerceptron,
    SoftConfidence1,
    SoftConfidence2,
    deviations,
)
from askance.rules.update.ellipsoid import decay_of

SECOND_ORDER_PERCEPTRON = "Cesa-Bianchi, Conconi, Gentile 2005"
CONFIDENCE = "Dredze, Crammer, Pereira 2008"
EXACT_CONFIDENCE = "Crammer, Dredze, Pereira 2008"
SOFT_CONFIDENCE = "Wang, Zhao, Hoi 2012"
ADAPTIVE = "Crammer, Kulesza, Dredze 2009"
HERDING = "Crammer, Lee 2010"
NARROW = "Orabona, Crammer 2010"
ELLIPSOID = "Yang, Jin, Ye 2009"
MAHALANOBIS = "Nguyen, Chang, Hui 2011"
ACTIVE_SECOND_ORDER = "Hao, Lu, Zhao, Zhang, Hoi 2018"

# The words of the papers: which part of a matrix is kept, how a row is scored, and what is bounded.
MODES = {"inv": True, "drop": False}
HERDS = {"exact": True, "project": False}
RULES = {"entry": False, "rank1": True}
FORMS = {"var": ConfidenceWeighted, "stdev": ConfidenceWeightedStdev}


def meaning(name: str, word: Any, words: Mapping[str, Any]) -> Any:
    """Return the meaning of a word; ValueError if it is unknown."""
    if not isinstance(word, str) or word not in words:
        raise ValueError(f"{name} must be {' or '.join(map(repr, words))}, not {word!r}")
    return words[word]


def perceptron(rule: str) -> SecondOrderPerceptron:
    """Return the variant that keeps the diagonal."""
    return SecondOrderPerceptron(rank1=meaning("rule", rule, RULES))


def inverse(mode: str) -> bool:
    """Return whether the diagonal is that of Σ⁻¹."""
    return bool(meaning("mode", mode, MODES))


ENTRIES: Mapping[str, Entry] = {
    "SEL-2ND": entry(SELECTIVE, "figure 3", lambda b=1.0: (SecondOrderPerceptron(full=True), Margin(b)), sgn0=-1),
    "SEL-2ND-FIXED": entry(
        SELECTIVE, "section 4", lambda ratio=0.5: (SecondOrderPerceptron(full=True), Random(ratio)), sgn0=-1
    ),
    "SEL-2ND-diag": entry(
        SELECTIVE, "figure 3", lambda b=1.0, rule="entry": (perceptron(rule), Margin(b)), sgn0=-1
    ),
    "SOP": entry(SECOND_ORDER_PERCEPTRON, "", lambda: (SecondOrderPerceptron(full=True), Always()), sgn0=-1),
    "SOP-diag": entry(SECOND_ORDER_PERCEPTRON, "", lambda rule="entry": (perceptron(rule), Always()), sgn0=-1),
    "CW": entry(
        CONFIDENCE,
        "",
        lambda eta=0.9, form="var": (meaning("form", form, FORMS)(deviations(eta), full=True), Always()),
    ),
    "CW-diag": entry(
        CONFIDENCE,
        "",
        lambda eta=0.9, form="var", mode="inv": (
            meaning("form", form, FORMS)(deviations(eta), inverse=inverse(mode)),
            Always(),
        ),
    ),
    "CW-stdev": entry(
        EXACT_CONFIDENCE, "", lambda eta=0.9: (ConfidenceWeightedStdev(deviations(eta), full=True), Always())
    ),
    "SCW-I": entry(
        SOFT_CONFIDENCE,
        "proposition 1",
        lambda eta=0.9, C=1.0: (SoftConfidence1(C, deviations(eta), full=True), Always()),
    ),
    "SCW-II": entry(
        SOFT_CONFIDENCE,
        "proposition 2",
        lambda eta=0.9, C=1.0: (SoftConfidence2(C, deviations(eta), full=True), Always()),
    ),
    "SCW-I-diag": entry(
        SOFT_CONFIDENCE,
        "proposition 1",
        lambda eta=0.9, C=1.0, mode="inv": (SoftConfidence1(C, deviations(eta), inverse=inverse(mode)), Always()),
    ),
    "SCW-II-diag": entry(
        SOFT_CONFIDENCE,
        "proposition 2",
        lambda eta=0.9, C=1.0, mode="inv": (SoftConfidence2(C, deviations(eta), inverse=inverse(mode)), Always()),
    ),
    "AROW": entry(ADAPTIVE, "figure 1", lambda r=1.0: (AROW(r, full=True), Always())),
    "AROW-diag": entry(
        ADAPTIVE, "figure 1", lambda r=1.0, mode="drop": (AROW(r, inverse=inverse(mode)), Always())
    ),
    "NHERD": entry(HERDING, "", lambda C=1.0: (NHERD(C, full=True), Always())),
    "NHERD-diag": entry(
        HERDING, "", lambda C=1.0, mode="project": (NHERD(C, exact=meaning("mode", mode, HERDS)), Always())
    ),
    "NAROW": entry(NARROW, "", lambda b=1.0: (NAROW(b, full=True), Always())),
    "NAROW-diag": entry(NARROW, "", lambda b=1.0: (NAROW(b), Always())),
    "IELLIP": entry(ELLIPSOID, "", lambda c=0.1, b=0.3: (IELLIP(c, decay_of(b), full=True), Always())),
    "IELLIP-diag": entry(
        ELLIPSOID,
        "",
        lambda c=0.1, b=0.3, mode="drop": (IELLIP(c, decay_of(b), inverse=inverse(mode)), Always()),
    ),
    "PAM": entry(MAHALANOBIS, "algorithm 1", lambda: (PAM(full=True), Always())),
    "PAM-I": entry(MAHALANOBIS, "algorithm 1", lambda C=1.0: (PAM1(C, full=True), Always())),
    "PAM-II": entry(MAHALANOBIS, "algorithm 1", lambda C=1.0: (PAM2(C, full=True), Always())),
    "PAM-diag": entry(MAHALANOBIS, "algorithm 1", lambda mode="inv": (PAM(inverse=inverse(mode)), Always())),
    "PAM-I-diag": entry(
        MAHALANOBIS, "algorithm 1", lambda C=1.0, mode="inv": (PAM1(C, inverse=inverse(mode)), Always())
    ),
    "PAM-II-diag": entry(
        MAHALANOBIS, "algorithm 1", lambda C=1.0, mode="inv": (PAM2(C, inverse=inverse(mode)), Always())
    ),
    "SOAL": entry(
        ACTIVE_SECOND_ORDER,
        "",
        lambda delta=1.0, eta=1.0, gamma=1.0: (SOAL(eta, gamma, full=True), SpreadMargin(delta, eta, gamma)),
    ),
    "SOAL-diag": entry(
        ACTIVE_SECOND_ORDER,
        "",
        lambda delta=1.0, eta=1.0, gamma=1.0, mode="drop": (
            SOAL(eta, gamma, inverse=inverse(mode)),
            SpreadMargin(delta, eta, gamma),
        ),
    ),
}
