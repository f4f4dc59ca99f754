"""F and the areas under two curves, exactly, of all rows at once."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from askance.metrics.tally import counted, events


def judged(measure: str, truth: Any, guesses: Any, scores: Any) -> float:
    """A measure of guesses or scores; 0 where scores have run away to infinity, nan where a class is absent."""
    if not np.isfinite(scores).all():
        return 0.0
    if not (np.any(truth > 0) and np.any(truth < 0)):
        return float("nan")
    return float(MEASURES[measure](truth, guesses, scores))


def _f(truth: Any, guesses: Any, scores: Any) -> float:  # noqa: ARG001
    return counted(events(truth, guesses, np.zeros(len(truth), bool))).value("f")


def _auroc(truth: Any, guesses: Any, scores: Any) -> float:  # noqa: ARG001
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(truth, scores))


def _auprc(truth: Any, guesses: Any, scores: Any) -> float:  # noqa: ARG001
    """By steps: straight lines between the points would give a score of one value half of a perfect one's area."""
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(truth, scores))


MEASURES: Mapping[str, Callable[[Any, Any, Any], float]] = {"F": _f, "AUROC": _auroc, "AUPRC": _auprc}
