"""The parameters of a factorisation: which values are allowed, and what they mean for the search."""

from typing import Any

import numpy as np

from askance._util.parameters import COUNT, NOT_NEGATIVE, POSITIVE, Constraints, Interval, OneOf, check_parameters
from askance.ratings.rank_search import SearchPlan

LIMITS: Constraints = {
    "regularization": Interval(0, 1, high_closed=False),
    "thresholds": OneOf(("global", "user")),
    "threshold_regularization": POSITIVE,
    "loss": OneOf(("squared", "sq_sum")),
    "barrier": POSITIVE,
    "growth": COUNT,
    "max_rank": COUNT,
    "tol": POSITIVE,
    "rank_tol": NOT_NEGATIVE,
    "max_iter": COUNT,
    "validation_fraction": Interval(0, 0.5, low_closed=True),
    "patience": COUNT,
    "random_state": Interval(0, 2.0**63, low_closed=True, whole=True),
}


def check(model: Any) -> None:
    """Raise an error if a parameter of a factorisation cannot be used."""
    check_parameters(model, LIMITS)
    rank = model.rank
    if rank != "auto" and (isinstance(rank, bool) or not isinstance(rank, int | np.integer) or rank < 1):
        raise ValueError(f"{type(model).__name__}: rank must be 'auto' or a whole number, 1 or more, not {rank!r}")
    if model.n_jobs == 0:
        raise ValueError(f"{type(model).__name__}: n_jobs must not be 0: -1 means all cores")


def plan_of(model: Any, shape: tuple[int, int]) -> SearchPlan:
    """Return how the parameters of a factorisation search for the rank, for this many users and items."""
    rank = None if model.rank == "auto" else int(model.rank)
    if rank is not None and rank > min(shape):
        raise ValueError(f"rank must be at most {min(shape)}, as there are {shape[0]} users and {shape[1]} items")
    return SearchPlan(
        rank=rank,
        growth=int(model.growth),
        most=min(model.max_rank, *shape),
        tol=float(model.tol),
        max_iter=int(model.max_iter),
        patience=int(model.patience),
        rank_tol=float(model.rank_tol),
        random_state=int(model.random_state),
    )
