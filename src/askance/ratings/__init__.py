"""Ordinal ratings: maximum-margin matrix factorisation on the manifold of matrices of fixed rank."""

from askance.ratings.drift import Drift, RefitAdvised
from askance.ratings.factorization import MaxMarginFactorization, Recommendation
from askance.ratings.fitting import FitStep
from askance.ratings.rank_search import Stage

__all__ = ["Drift", "FitStep", "MaxMarginFactorization", "Recommendation", "RefitAdvised", "Stage"]
