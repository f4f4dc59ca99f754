"""Adaptive subgradient learning: dual averaging (ADA) and mirror descent (AMD)."""

from collections.abc import Mapping

from askance.algorithms.entry import ADAPTIVE, DISCRIMINATION, Build, Entry, entry
from askance.rules.query import Always, Discrimination, Margin, Random
from askance.rules.update import DualAveraging, MirrorDescent


def always(rule: type) -> Build:
    """Ask for every label."""
    return lambda delta=1.0, eta=1.0: (rule(delta, eta), Always())


def random(rule: type) -> Build:
    """Ask at random."""
    return lambda delta=1.0, eta=1.0, ratio=0.5: (rule(delta, eta), Random(ratio))


def margin(rule: type) -> Build:
    """Ask if the margin is small."""
    return lambda delta=1.0, eta=1.0, b=1.0: (rule(delta, eta), Margin(b))


def discrimination(rule: type, *, damped: bool) -> Build:
    """Ask if the margin is small or the features are rare."""
    return lambda delta=1.0, eta=1.0, b=1.0: (rule(delta, eta), Discrimination(b, eta, damped))


ENTRIES: Mapping[str, Entry] = {
    "DA": entry(ADAPTIVE, "", always(DualAveraging)),
    "MD": entry(ADAPTIVE, "", always(MirrorDescent)),
    "R-ADA": entry(DISCRIMINATION, "section 5.1", random(DualAveraging)),
    "M-ADA": entry(DISCRIMINATION, "remark 3", margin(DualAveraging)),
    "D-ADA": entry(DISCRIMINATION, "algorithm 1", discrimination(DualAveraging, damped=True)),
    "D-ADA-I": entry(DISCRIMINATION, "remark 3", discrimination(DualAveraging, damped=False)),
    "R-AMD": entry(DISCRIMINATION, "section 5.1", random(MirrorDescent)),
    "M-AMD": entry(DISCRIMINATION, "remark 3", margin(MirrorDescent)),
    "D-AMD": entry(DISCRIMINATION, "algorithm 1", discrimination(MirrorDescent, damped=True)),
    "D-AMD-I": entry(DISCRIMINATION, "remark 3", discrimination(MirrorDescent, damped=False)),
}
