"""Mistake bounds: what the papers' theorems promise on a stream, beside what a run did."""

from askance.bounds.evaluation import comparator, evaluate
from askance.bounds.register import THEOREMS
from askance.bounds.result import Bound
from askance.bounds.theorem import Condition, Theorem

__all__ = ["THEOREMS", "Bound", "Condition", "Theorem", "comparator", "evaluate"]
