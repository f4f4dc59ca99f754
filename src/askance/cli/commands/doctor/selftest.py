"""A tiny run beside a computation in plain Python. `askance doctor` starts this in a process of its own."""

import json
import sys
from typing import Any

import numpy as np

from askance.learners.learner import Learner
from askance.rules.query import Margin
from askance.rules.update import PassiveAggressive2

ROWS, WIDTH = 60, 5
TOLERANCES = {"float64": 1e-9, "float32": 1e-3}


def differences() -> dict[str, str]:
    """What is wrong, by type of number; nothing if all is well."""
    X = np.sin(np.arange(1, ROWS * WIDTH + 1)).reshape(ROWS, WIDTH)
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    coins = np.abs(np.sin(np.arange(ROWS) * 7.0)) * 0.999
    scores, asked = _in_plain_python(X.tolist(), y.tolist(), coins.tolist())
    wrong = {}
    for dtype, tolerance in TOLERANCES.items():
        trace = Learner(PassiveAggressive2(C=1.0), Margin(b=1.0), dtype=dtype).run(X, y, coins=coins)
        if trace.asked.tolist() != asked:
            wrong[dtype] = "other questions were asked"
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


def _tell(result: Any) -> None:
    sys.stdout.write(json.dumps(result))


if __name__ == "__main__":
    _tell(differences())
