"""Probabilities from scores: one temperature, fitted to the scores that labelled rows had before their labels.

With scores s_k of the classes, P(k) ∝ exp(a s_k); for two classes with one score s, P(+) = 1/(1 + exp(-a s)). The
temperature a > 0 minimises

    Σ w_i (log Σ_k exp(a s_ik) - a s_iy) + a m - log a

over the last labels i. A label that was asked for with probability π stands for 1/π rows, so w_i is in proportion
to 1/π, up to ten times the median; the weights add up to the effective number of labels, (Σ w)² / Σ w². The last
two terms count like one more label that was wrong by the mean lead m, and keep a positive. Without them, a learner
without a mistake so far would be infinitely sure. The problem is convex and has one variable.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.rules.state.recorded import Recent

Numbers = NDArray[np.float64]

HEAVIEST = 10.0  # times the median weight: few labels should not decide alone
STEPS = 100  # of Newton's method; a handful is usual
ACCURATE = 1e-12


def temperature(recent: Recent, *, many: bool) -> float:
    """Return the temperature that fits recent labels best; 1 if their scores were all 0."""
    raw, labels, weights, _ = recent.filled()
    scores = of_classes(raw, many=many)
    if not len(labels) or scores.shape[1] == 1:
        return 1.0
    weights = effective(weights)
    mean_lead = float(weights @ leads(scores)) / float(weights.sum())
    if mean_lead == 0.0:
        return 1.0
    own = scores[np.arange(len(labels)), np.maximum(labels, 0.0).astype(np.int64)]
    return _lowest(scores / mean_lead, own / mean_lead, weights) / mean_lead


def probabilities(scores: Numbers, temperature: float) -> Numbers:
    """Return the probabilities of the classes, for a column of scores per class."""
    powers = np.exp(temperature * (scores - scores.max(axis=1, keepdims=True)))
    found: Numbers = powers / powers.sum(axis=1, keepdims=True)
    return found


def of_classes(scores: NDArray[Any], *, many: bool) -> Numbers:
    """Return scores with a column per class: the score of two classes is that of the positive one against 0."""
    scores = scores.astype(np.float64)
    return scores if many else np.column_stack([np.zeros(len(scores)), scores])


def leads(scores: Numbers) -> Numbers:
    """Return how far the best class of each row is ahead of the second best."""
    ordered = np.sort(scores, axis=1)
    lead: Numbers = ordered[:, -1] - ordered[:, -2]
    return lead


def effective(weights: Numbers) -> Numbers:
    """Return bounded weights that add up to the effective number of labels."""
    bounded = np.minimum(weights / np.median(weights), HEAVIEST)
    scaled: Numbers = bounded * (bounded.sum() / (bounded @ bounded))
    return scaled


def _lowest(scores: Numbers, own: Numbers, weights: Numbers) -> float:
    """Newton's method for scores with a mean lead of 1. The slope rises with a, so a bracket guards each step."""
    low, high, a = 0.0, np.inf, 1.0
    for _ in range(STEPS):
        chances = probabilities(scores, a)
        mean = (chances * scores).sum(axis=1)
        slope = float(weights @ (mean - own)) + 1.0 - 1.0 / a
        low, high = (a, high) if slope < 0.0 else (low, a)
        curvature = float(weights @ ((chances * scores**2).sum(axis=1) - mean**2)) + 1.0 / a**2
        wanted = a - slope / curvature
        if not low < wanted < high:
            wanted = 2.0 * low if high == np.inf else 0.5 * (low + high)
        if abs(wanted - a) <= ACCURATE * a:
            return float(wanted)
        a = wanted
    return float(a)
