"""Adaptive subgradient learning: dual averaging (ADA) and mirror descent (AMD)."""

from collections.abc import Mapping

from askance.papers.entry import ADAPTIVE, DISCRIMINATION, Build, Entry, entry
from askance.queries import Always, Discrimination, Margin, Random
from askance.updates import DualAveraging, MirrorDescent


def _always(rule: type) -> Build:
    return lambda delta=1.0, eta=1.0: (rule(delta, eta), Always())


def _random(rule: type) -> Build:
    return lambda delta=1.0, eta=1.0, ratio=0.5: (rule(delta, eta), Random(ratio))


def _margin(rule: type) -> Build:
    return lambda delta=1.0, eta=1.0, b=1.0: (rule(delta, eta), Margin(b))


def _discrimination(rule: type, *, damped: bool) -> Build:
    return lambda delta=1.0, eta=1.0, b=1.0: (rule(delta, eta), Discrimination(b, eta, damped))


ENTRIES: Mapping[str, Entry] = {
    "DA": entry(ADAPTIVE, "", _always(DualAveraging)),
    "MD": entry(ADAPTIVE, "", _always(MirrorDescent)),
    "R-ADA": entry(DISCRIMINATION, "section 5.1", _random(DualAveraging)),
    "M-ADA": entry(DISCRIMINATION, "remark 3", _margin(DualAveraging)),
    "D-ADA": entry(DISCRIMINATION, "algorithm 1", _discrimination(DualAveraging, damped=True)),
    "D-ADA-I": entry(DISCRIMINATION, "remark 3", _discrimination(DualAveraging, damped=False)),
    "R-AMD": entry(DISCRIMINATION, "section 5.1", _random(MirrorDescent)),
    "M-AMD": entry(DISCRIMINATION, "remark 3", _margin(MirrorDescent)),
    "D-AMD": entry(DISCRIMINATION, "algorithm 1", _discrimination(MirrorDescent, damped=True)),
    "D-AMD-I": entry(DISCRIMINATION, "remark 3", _discrimination(MirrorDescent, damped=False)),
}
