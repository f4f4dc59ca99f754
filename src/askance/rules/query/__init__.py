"""Query rules: when to ask for a label. `RULES` and `WRAPPERS` are the register of all of them."""

from askance.rules.query.adaptive import Adaptive
from askance.rules.query.always import Always
from askance.rules.query.at_rate import AtRate
from askance.rules.query.cognitive_window import CognitiveWindow
from askance.rules.query.decaying import Decaying
from askance.rules.query.discrimination import CostSensitiveDiscrimination, Discrimination
from askance.rules.query.iwal import IWAL
from askance.rules.query.least_certain import LeastCertain
from askance.rules.query.local_density import LocalDensity
from askance.rules.query.margin import Margin
from askance.rules.query.random import Random
from askance.rules.query.rule import QueryRule, RowQueryRule, ScalableRule
from askance.rules.query.spread_margin import SpreadMargin
from askance.rules.query.uncertainty import (
    FixedUncertainty,
    RandomVariableUncertainty,
    Split,
    VariableUncertainty,
)
from askance.rules.query.within import Within

RULES: tuple[type, ...] = (
    Always,
    Random,
    Margin,
    Adaptive,
    Decaying,
    Discrimination,
    CostSensitiveDiscrimination,
    SpreadMargin,
    LeastCertain,
    FixedUncertainty,
    VariableUncertainty,
    RandomVariableUncertainty,
    Split,
    IWAL,
)
WRAPPERS: tuple[type, ...] = (Within, AtRate, LocalDensity, CognitiveWindow)

__all__ = [
    "IWAL",
    "Adaptive",
    "Always",
    "AtRate",
    "CognitiveWindow",
    "CostSensitiveDiscrimination",
    "Decaying",
    "Discrimination",
    "FixedUncertainty",
    "LeastCertain",
    "LocalDensity",
    "Margin",
    "QueryRule",
    "Random",
    "RandomVariableUncertainty",
    "RowQueryRule",
    "ScalableRule",
    "Split",
    "SpreadMargin",
    "VariableUncertainty",
    "Within",
]
