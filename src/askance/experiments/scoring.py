"""F and the areas under two curves, exactly, over all rows."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from askance.metrics.tally import counted, events


def score_predictions(measure: str, truth: Any, predictions: Any, scores: Any) -> float:
    """Compute a measure of predictions or scores: 0 if scores are infinite, nan if a class is absent."""
    if not np.isfinite(scores).all():
        return 0.0
    if not (np.any(truth > 0) and np.any(truth < 0)):
        return float("nan")
    return float(MEASURES[measure](truth, predictions, scores))


def _f(truth: Any, predictions: Any, scores: Any) -> float:  # noqa: ARG001
    return counted(events(truth, predictions, np.zeros(len(truth), bool))).value("f")


def _auroc(truth: Any, predictions: Any, scores: Any) -> float:  # noqa: ARG001
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(truth, scores))


def _auprc(truth: Any, predictions: Any, scores: Any) -> float:  # noqa: ARG001
    """By steps: with straight lines, constant scores would get half of the perfect area."""
    from sklearn.metrics import average_precision_score

    return float(average_precision_score(truth, scores))


MEASURES: Mapping[str, Callable[[Any, Any, Any], float]] = {"F": _f, "AUROC": _auroc, "AUPRC": _auprc}
