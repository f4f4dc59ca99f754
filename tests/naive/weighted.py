"""Plain twins of rules whose gradients are multiplied by the weights of rows, for classes 0 to k - 1.

With two classes, only the class 1 has weights, and 0 stands for their negative.
"""

import math
from typing import Any

from askance import updates


def learned(rule: Any, X: Any, y: Any, weights: Any, classes: int) -> list[list[float]]:
    """The weights of every class after all rows."""
    width, many = len(X[0]), classes > 2
    gradients: list[list[list[float]]] = [[] for _ in range(classes)]  # of each class, each times its weight
    w = [[0.0] * width for _ in range(classes)]
    for x, label, weight in zip(X.tolist(), y.tolist(), weights.tolist(), strict=True):
        scores = [sum(a * b for a, b in zip(row, x, strict=True)) for row in w]
        rival = max((k for k in range(classes) if k != label), key=lambda k: (scores[k], -k))
        margin = scores[label] - scores[rival]
        guess = max(range(classes), key=lambda k: (scores[k], -k if many else k))
        if guess == label if isinstance(rule, updates.Perceptron) else margin >= 1:
            continue
        for k, side in [(label, 1.0), (rival, -1.0)]:
            if many or k == 1:
                gradients[k].append([-side * weight * x_j for x_j in x])
                w[k] = moved(rule, w[k], gradients[k])
    return w


def moved(rule: Any, w: list[float], gradients: list[list[float]]) -> list[float]:
    """The weights of a class after the last of its gradients."""
    if isinstance(rule, updates.Perceptron):
        return [w_j - g_j for w_j, g_j in zip(w, gradients[-1], strict=True)]
    H = [rule.delta + math.sqrt(sum(g[j] ** 2 for g in gradients)) for j in range(len(w))]
    if isinstance(rule, updates.DualAveraging):
        return [-rule.eta * sum(g[j] for g in gradients) / H[j] for j in range(len(w))]
    return [w[j] - rule.eta * gradients[-1][j] / H[j] for j in range(len(w))]
