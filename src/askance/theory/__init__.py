"""Mistake bounds: what the theorems of the papers guarantee on a stream, and what a run observed."""

from askance.theory.evaluation import comparator, evaluate
from askance.theory.register import THEOREMS
from askance.theory.result import Bound
from askance.theory.theorem import Condition, Theorem

__all__ = ["THEOREMS", "Bound", "Condition", "Theorem", "comparator", "evaluate"]
