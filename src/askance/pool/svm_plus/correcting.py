"""The two functions of an SVM+, for each class against the rest: scores by one view, slacks by the other."""

from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed  # type: ignore[import-untyped]
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from askance.pool.svm_plus.feature_space import Functions, View
from askance.pool.svm_plus.intercepts import best_biases
from askance.pool.svm_plus.interior_point import Solution, solve
from askance.pool.svm_plus.normal_equations import Problem

Array = NDArray[np.float64]


class Learned(NamedTuple):
    """Of every class: the functions of both views, their duals and biases, the objective, and its gap."""

    scores: Functions
    duals: Array
    biases: Array
    slacks: Functions
    slack_duals: Array
    slack_biases: Array
    objectives: Array
    gaps: Array


def learned(main: View, privileged: View, signs: Array, C: float, gamma: float, jobs: int | None) -> Learned:
    """The SVM+ of every line of signs, `jobs` at once; rows that the privileged view lacks have free slacks."""
    known = privileged.known
    coordinates = main.coordinates(), privileged.coordinates()
    solutions = _solved([Problem(*coordinates, line, known, C, gamma) for line in signs], jobs)
    weights, slack_weights, alpha, beta, gaps = (np.array(parts) for parts in zip(*solutions, strict=True))
    duals, slack_duals = alpha * signs, (alpha + beta - C) / gamma
    scores, slacks = main.functions(duals, weights), privileged.functions(slack_duals, slack_weights)
    score_values, slack_values = scores.values(main.rows).T, np.zeros(signs.shape)
    if known.any():
        slack_values[:, known] = slacks.values(privileged.rows).T
    of_classes = zip(score_values, slack_values, signs, strict=True)
    biases, slack_biases = np.array([best_biases(*of_class, known) for of_class in of_classes]).T
    hinges = np.maximum(0, 1 - signs * (score_values + biases[:, None]))
    paid = np.where(known, slack_values + slack_biases[:, None], hinges).sum(axis=1)
    lengths = np.vecdot(weights, weights) + gamma * np.vecdot(slack_weights, slack_weights)
    objectives = 0.5 * lengths + C * paid
    return Learned(scores, duals, biases, slacks, slack_duals[:, known], slack_biases, objectives, gaps)


def _solved(problems: list[Problem], jobs: int | None) -> list[Solution]:
    # NumPy and SciPy bring a library of linear algebra each, whose threads would wait for each other.
    with threadpool_limits(1, "blas"):
        return list(Parallel(jobs, prefer="threads")(delayed(solve)(problem) for problem in problems))
