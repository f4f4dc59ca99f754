"""Sweeps that take a second."""

from typing import Any

import numpy as np

import askance
from askance.experiments.sweep.results import Results

ALGORITHMS = ["PAA-II", "RPA-II", "PA-II"]
GRID = {"C": [0.01, 1.0]}


def stream(rows: int = 600, classes: int = 2, random_state: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(rows, 8)).astype("float32")
    scores = X @ rng.normal(size=(8, classes)) + 0.7 * rng.normal(size=(rows, classes))
    return X, np.argmax(scores, axis=1)


def small(**changes: Any) -> Results:
    options: dict[str, Any] = {
        "data": {"made": stream()},
        "algorithms": ALGORITHMS,
        "grid": GRID,
        "permutations": 4,
        "rates": (0.1, 0.4),
        "tuning": 2,
        "backend": "sequential",
    }
    return askance.sweep(**{**options, **changes})
