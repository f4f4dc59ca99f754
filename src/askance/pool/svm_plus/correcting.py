"""Fit the two functions of an SVM+, for each class against the rest: scores and slacks."""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed  # type: ignore[import-untyped]
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from askance.pool.svm_plus.feature_space import Functions, View
from askance.pool.svm_plus.intercepts import best_intercepts
from askance.pool.svm_plus.interior_point import Solution, solve
from askance.pool.svm_plus.normal_equations import SVMPlusProblem
from askance.typing import FloatArray


class FittedSVMPlus(NamedTuple):
    """Per class: the functions of both views, their duals and intercepts, the objective and its gap."""

    scores: Functions
    duals: FloatArray
    intercepts: FloatArray
    slacks: Functions
    slack_duals: FloatArray
    slack_intercepts: FloatArray
    objectives: FloatArray
    gaps: FloatArray


def fit_svm_plus(
    main: View, privileged: View, signs: FloatArray, C: float, gamma: float, n_jobs: int | None
) -> FittedSVMPlus:
    """Fit one SVM+ per row of `signs`, `n_jobs` at once. Rows without privileged features have free slacks."""
    known = privileged.known
    coordinates = main.coordinates(), privileged.coordinates()
    solutions = _solved([SVMPlusProblem(*coordinates, line, known, C, gamma) for line in signs], n_jobs)
    weights, slack_weights, alpha, beta, gaps = (np.array(parts) for parts in zip(*solutions, strict=True))
    duals, slack_duals = alpha * signs, (alpha + beta - C) / gamma
    scores, slacks = main.functions(duals, weights), privileged.functions(slack_duals, slack_weights)
    score_values, slack_values = scores.values(main.rows).T, np.zeros(signs.shape)
    if known.any():
        slack_values[:, known] = slacks.values(privileged.rows).T
    of_classes = zip(score_values, slack_values, signs, strict=True)
    intercepts, slack_intercepts = np.array([best_intercepts(*of_class, known) for of_class in of_classes]).T
    hinges = np.maximum(0, 1 - signs * (score_values + intercepts[:, None]))
    paid = np.where(known, slack_values + slack_intercepts[:, None], hinges).sum(axis=1)
    lengths = np.vecdot(weights, weights) + gamma * np.vecdot(slack_weights, slack_weights)
    objectives = 0.5 * lengths + C * paid
    return FittedSVMPlus(
        scores, duals, intercepts, slacks, slack_duals[:, known], slack_intercepts, objectives, gaps
    )


def _solved(problems: list[SVMPlusProblem], n_jobs: int | None) -> list[Solution]:
    # NumPy and SciPy each come with a BLAS library, whose threads would compete.
    with threadpool_limits(1, "blas"):
        return list(Parallel(n_jobs, prefer="threads")(delayed(solve)(problem) for problem in problems))
