"""Everything you need to write your own rule.

A rule is a `typing.NamedTuple` of hyper-parameters with the methods of `UpdateRule` or `QueryRule`; their
documentation has complete examples. Methods that run in compiled code must not branch on numbers: use `where`,
`maximum`, `minimum` and `sign` instead of `if`.
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
from askance.jit.select import maximum, minimum, sign, where
from askance.rules.query.rule import NoMemory, QueryRule, RowQueryRule, ScalableRule
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
    "RowQueryRule",
    "ScalableRule",
    "Seen",
    "State",
    "UpdateRule",
    "Weights",
    "hinge",
    "inlined",
    "maximum",
    "minimum",
    "sign",
    "where",
    "zero_weights",
]
