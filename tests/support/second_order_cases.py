"""The rules of second order, rows for them, and what they know of Σ."""

from typing import Any

import numpy as np

import askance
from askance import updates
from askance.rules.state.full import covariance

GAUSSIAN = [
    updates.AROW(0.5),
    updates.ConfidenceWeighted(1.5),
    updates.ConfidenceWeightedStdev(0.7),
    updates.SoftConfidence1(0.3, 1.5),
    updates.SoftConfidence2(0.3, 1.5),
    updates.IELLIP(0.5, 0.0),
    updates.PAM(),
    updates.PAM1(0.3),
    updates.PAM2(0.3),
    updates.SOAL(0.5, 2.0),
]
ALL = [
    *GAUSSIAN,
    updates.NAROW(2.0),
    updates.NHERD(0.5),
    updates.NHERD(0.5, exact=True),
    updates.SecondOrderPerceptron(),
]
MODES = [False, True]


def state_of(learner: askance.Learner) -> Any:
    return learner._core.machine.core.state


def sigma(learner: askance.Learner) -> Any:
    """Σ, whole or as a diagonal matrix."""
    state = state_of(learner)
    return np.diag(state.pairs[:, 1]) if hasattr(state, "pairs") else covariance(state)


def gaussian_rows(random_state: int, rows: int = 30, width: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(random_state)
    return rng.normal(size=(rows, width)) * 10 ** rng.uniform(-1, 1, (rows, 1)), rng.choice([-1, 1], rows)
