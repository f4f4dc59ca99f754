"""What you import to write a rule of your own.

A rule is a `NamedTuple` of hyper-parameters with the methods of `UpdateRule` or `QueryRule`. Methods that run in
compiled code have no branches: use `where`, `larger`, `smaller` and `sign` instead of `if`. The guide to rules of
your own has complete examples.
"""

from askance._util.parameters import (
    NOT_NEGATIVE,
    POSITIVE,
    POSITIVE_OR_INFINITE,
    SHARE,
    Boolean,
    Constraints,
    Interval,
    OneOf,
)
from askance.jit.interop import inlined
from askance.jit.select import larger, sign, smaller, where
from askance.rules.query.rule import NoMemory, QueryRule, ScalableRule
from askance.rules.rows import Row, Seen, State
from askance.rules.state.weights import Weights
from askance.rules.update.rule import About, UpdateRule
from askance.rules.update.weights import hinge, zero_weights

__all__ = [
    "NOT_NEGATIVE",
    "POSITIVE",
    "POSITIVE_OR_INFINITE",
    "SHARE",
    "About",
    "Boolean",
    "Constraints",
    "Interval",
    "NoMemory",
    "OneOf",
    "QueryRule",
    "Row",
    "ScalableRule",
    "Seen",
    "State",
    "UpdateRule",
    "Weights",
    "hinge",
    "inlined",
    "larger",
    "sign",
    "smaller",
    "where",
    "zero_weights",
]
