"""Learners in double precision, one step of theirs, and their mistakes on average."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

import askance

SEEDS = st.integers(0, 2**32 - 1)
COSTS = st.floats(-6, 6).map(lambda power: 2.0**power)


def exact(update: Any, query: Any = None, **options: Any) -> askance.Learner:
    return askance.Learner(update, query, **({"dtype": "float64", "classes": (-1, 1)} | options))


def a_step(update: Any, random_state: int) -> tuple[Any, Any, int, float, float]:
    """Δw, x, y and the margins y p before and after the label of one more row is learned."""
    rng = np.random.default_rng(random_state)
    X, y = rng.normal(size=(12, 4)), rng.choice([-1, 1], 12)
    learner = exact(update).partial_fit(X[:-1], y[:-1])
    before, margin = learner.coef_[0].copy(), y[-1] * learner.decision_function(X[-1:])[0]
    learner.tell(X[-1], int(y[-1]))
    return learner.coef_[0] - before, X[-1], y[-1], margin, y[-1] * learner.decision_function(X[-1:])[0]


def mean_mistakes(update: Any, query: Any, X: Any, y: Any, seeds: int = 40, sgn0: int = 1) -> float:
    runs = (exact(update, query, random_state=random_state, sgn0=sgn0).run(X, y) for random_state in range(seeds))
    return float(np.mean([(run.predictions != y).sum() for run in runs]))
