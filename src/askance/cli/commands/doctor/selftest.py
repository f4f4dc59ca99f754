"""A small run compared with plain Python. `askance doctor` starts this in a separate process."""

import json
import sys

import numpy as np

from askance.learners.learner import Learner
from askance.rules.query import Margin
from askance.rules.update import PassiveAggressive2

ROWS, WIDTH = 60, 5
TOLERANCES = {"float64": 1e-9, "float32": 1e-3}


def differences() -> dict[str, str]:
    """The differences by dtype; empty if there are none."""
    X = np.sin(np.arange(1, ROWS * WIDTH + 1)).reshape(ROWS, WIDTH)
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    coins = np.abs(np.sin(np.arange(ROWS) * 7.0)) * 0.999
    scores, asked = _in_plain_python(X.tolist(), y.tolist(), coins.tolist())
    wrong = {}
    for dtype, tolerance in TOLERANCES.items():
        trace = Learner(PassiveAggressive2(C=1.0), Margin(b=1.0), dtype=dtype).run(X, y, coins=coins)
        if trace.asked.tolist() != asked:
            wrong[dtype] = "different questions were asked"
        elif not np.allclose(trace.scores, scores, rtol=0, atol=tolerance):
            wrong[dtype] = f"scores differ by {np.abs(trace.scores - scores).max():.2g}"
    return wrong


def _in_plain_python(X: list[list[float]], y: list[int], coins: list[float]) -> tuple[list[float], list[bool]]:
    """PA-II with C = 1 and the margin rule with b = 1, as in the paper."""
    weights = [0.0] * WIDTH
    scores: list[float] = []
    asked: list[bool] = []
    for x, label, coin in zip(X, y, coins, strict=True):
        score = sum(weight * value for weight, value in zip(weights, x, strict=True))
        scores.append(score)
        asked.append(coin < 1 / (1 + abs(score)))
        loss = max(0.0, 1 - label * score)
        if asked[-1] and loss > 0:
            step = label * loss / (sum(value * value for value in x) + 0.5)
            weights = [weight + step * value for weight, value in zip(weights, x, strict=True)]
    return scores, asked


if __name__ == "__main__":
    sys.stdout.write(json.dumps(differences()))
