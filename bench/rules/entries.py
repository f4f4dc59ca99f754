"""The update rules, each with its default and two other values of its most important parameter."""

from collections.abc import Iterable, Mapping
from typing import Any

from askance.rules.update import (
    ALMA,
    AROW,
    COCOB,
    CPA,
    FTRL,
    IELLIP,
    NAROW,
    NHERD,
    OCS1,
    OCS2,
    PAM,
    PAM1,
    PAM2,
    PAUM,
    RDA,
    ROMMA,
    SGD,
    SOAL,
    AdaFOBOS,
    AdaRDA,
    ConfidenceWeighted,
    ConfidenceWeightedStdev,
    CostSensitivePA1,
    DualAveraging,
    Logistic,
    MirrorDescent,
    ModifiedHuber,
    PassiveAggressive,
    PassiveAggressive1,
    PassiveAggressive2,
    Pegasos,
    Perceptron,
    PNorm,
    Replay,
    SecondOrderPerceptron,
    SoftConfidence1,
    SoftConfidence2,
    SquaredHinge,
    TruncatedGradient,
    Winnow,
    deviations,
)
from askance.rules.update.rule import about

VISITS = 100  # of `Replay` after a label; its default is 1000, which takes longer
ETAS = COSTS = (0.1, 10.0)


def varied(rule: Any, name: str, others: Iterable[Any]) -> dict[str, Any]:
    """The rule as it is, and with other values of a parameter; by value, the default first."""
    return {f"{name}={value:.6g}": rule._replace(**{name: value}) for value in (getattr(rule, name), *others)}


def confidences(rule: Any) -> dict[str, Any]:
    """With several confidences, by which the papers know φ."""
    return {f"eta={eta:g}": rule._replace(phi=deviations(eta)) for eta in (0.9, 0.6, 0.99)}


def replays() -> dict[str, Any]:
    """With several C of the rule inside."""
    return {f"C={C:g}": Replay(PassiveAggressive2(C), visits=VISITS) for C in (1.0, 0.1, 10.0)}


def proximal() -> dict[str, Any]:
    """The default, which hardly learns from few labels, and less regularization at several learning rates."""
    default = {"alpha=0.1 l1=1": FTRL()}
    return default | {f"alpha={alpha:g} l1=0.01": FTRL(alpha=alpha, l1=0.01) for alpha in (1.0, 10.0)}


# By the names of the catalog, diagonal where a rule keeps a matrix.
RULES: Mapping[str, Mapping[str, Any]] = {
    "PE": {"": Perceptron()},
    "PA": {"": PassiveAggressive()},
    "PA-I": varied(PassiveAggressive1(), "C", COSTS),
    "PA-II": varied(PassiveAggressive2(), "C", COSTS),
    "Replay": replays(),
    "SOP-diag": {"": SecondOrderPerceptron()},
    "CW-diag": confidences(ConfidenceWeighted()),
    "CW-stdev-diag": confidences(ConfidenceWeightedStdev()),
    "SCW-I-diag": varied(SoftConfidence1(), "C", COSTS),
    "SCW-II-diag": varied(SoftConfidence2(), "C", COSTS),
    "AROW-diag": varied(AROW(), "r", COSTS),
    "NHERD-diag": varied(NHERD(), "C", COSTS),
    "NAROW-diag": varied(NAROW(), "b", COSTS),
    "IELLIP-diag": varied(IELLIP(), "c", (0.5, 0.9)),
    "PAM-diag": {"": PAM()},
    "PAM-I-diag": varied(PAM1(), "C", COSTS),
    "PAM-II-diag": varied(PAM2(), "C", COSTS),
    "SOAL-diag": varied(SOAL(), "eta", ETAS),
    "DA": varied(DualAveraging(), "eta", ETAS),
    "MD": varied(MirrorDescent(), "eta", ETAS),
    "Winnow": varied(Winnow(), "eta", (0.1, 2.0)),
    "p-norm": varied(PNorm(), "p", (2.0, 8.0)),
    "CSPA": varied(CostSensitivePA1(), "C", (0.2, 20.0)),
    "PAUM": varied(PAUM(), "eta", ETAS),
    "CPA": varied(CPA(), "C", (0.2, 20.0)),
    "OCS1-h": varied(OCS1(), "eta", (1.0, 10.0)),
    "OCS2-h": varied(OCS2(), "eta", (1.0, 10.0)),
    "ROMMA": {"": ROMMA()},
    "aROMMA": {"": ROMMA(aggressive=True)},
    "ALMA": varied(ALMA(), "alpha", (0.5, 0.7)),
    "Pegasos": varied(Pegasos(), "lam", (1e-2, 1e-1)),
    "SGD hinge": varied(SGD(), "eta", ETAS),
    "SGD squared hinge": varied(SGD(SquaredHinge()), "eta", ETAS),
    "SGD logistic": varied(SGD(Logistic()), "eta", ETAS),
    "SGD Huber": varied(SGD(ModifiedHuber()), "eta", ETAS),
    "TG": varied(TruncatedGradient(), "eta", (1.0, 10.0)),
    "FTRL": proximal(),
    "Ada-FOBOS": varied(AdaFOBOS(), "eta", ETAS),
    "Ada-RDA": varied(AdaRDA(), "eta", ETAS),
    "COCOB": varied(COCOB(), "alpha", (1.0, 10.0)),
    "RDA": varied(RDA(), "gamma", ETAS),
}
DOUBLED = ("Winnow",)  # has no negative weights, so every row is (x, -x)


def default_of(name: str) -> Any:
    """The rule with its default parameters."""
    return next(iter(RULES[name].values()))


def has_spread(name: str) -> bool:
    """Whether the rule knows how little it knows of a row, as some query rules need."""
    return about(default_of(name)).has_spread


def takes(name: str, classes: int) -> bool:
    """Whether the rule is for this number of classes."""
    return classes == 2 or about(default_of(name)).many_classes
