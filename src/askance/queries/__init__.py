"""Query rules: when to ask for a label. These lists are the register."""

from askance.queries.adaptive import Adaptive
from askance.queries.always import Always
from askance.queries.at_rate import AtRate
from askance.queries.decaying import Decaying
from askance.queries.discrimination import Discrimination
from askance.queries.margin import Margin
from askance.queries.random import Random
from askance.queries.rule import QueryRule, ScalableRule
from askance.queries.spread_margin import SpreadMargin
from askance.queries.within import Within

RULES: tuple[type, ...] = (Always, Random, Margin, Adaptive, Decaying, Discrimination, SpreadMargin)
WRAPPERS: tuple[type, ...] = (Within, AtRate)

__all__ = [
    "Adaptive",
    "Always",
    "AtRate",
    "Decaying",
    "Discrimination",
    "Margin",
    "QueryRule",
    "Random",
    "ScalableRule",
    "SpreadMargin",
    "Within",
]
