"""SVM+ as the papers print it, solved by a general solver."""

from typing import Any, NamedTuple

import clarabel
import numpy as np
import scipy.sparse as sp


class Answer(NamedTuple):
    """w, w̃, the optimum, and whether the solver is sure of them to the last digits, which it often is not."""

    w: Any
    v: Any
    objective: float
    sure: bool


def primal(X: Any, Z: Any, y: Any, known: Any, C: float, gamma: float) -> Answer:
    """Variables are w, b, w̃, b̃ and a slack for each row without privileged features."""
    free = np.eye(len(y))[:, ~known]
    slack = np.hstack([Z * known[:, None], known[:, None], free])
    margin = np.hstack([y[:, None] * X, y[:, None], slack])
    rows = np.vstack([margin, np.hstack([np.zeros((len(y), X.shape[1] + 1)), slack])])
    squares = [np.ones(X.shape[1]), [0], np.full(Z.shape[1], gamma), np.zeros(1 + free.shape[1])]
    costs = np.concatenate([np.zeros(X.shape[1] + 1), C * slack.sum(axis=0)])
    if not known.any():
        squares[-1][0] = 1.0  # or any b̃ would do
    bounds = np.concatenate([-np.ones(len(y)), np.zeros(len(y))])
    solution = _solved(np.diag(np.concatenate(squares)), costs, -rows, bounds)
    x, sure = np.array(solution.x), solution.status == clarabel.SolverStatus.Solved
    return Answer(x[: X.shape[1]], x[X.shape[1] + 1 :][: Z.shape[1]], solution.obj_val, sure)


def features(K: Any) -> Any:
    """Rows whose products are the Gram matrix: from its eigenvectors."""
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.maximum(values, 0))


def _solved(squares: Any, costs: Any, below: Any, bounds: Any) -> Any:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-13
    cones = [clarabel.NonnegativeConeT(len(bounds))]
    matrices = sp.csc_array(squares), costs, sp.csc_array(below), bounds
    return clarabel.DefaultSolver(*matrices, cones, settings).solve()
