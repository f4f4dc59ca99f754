"""Mistake bounds: what the papers' theorems promise on a stream, beside what a run did."""

from askance.theory.evaluation import comparator, evaluate
from askance.theory.register import THEOREMS
from askance.theory.result import Bound
from askance.theory.theorem import Condition, Theorem

__all__ = ["THEOREMS", "Bound", "Condition", "Theorem", "comparator", "evaluate"]
