"""The automatic learner with a limit of labels. After the last of them, rows are predicted and nothing changes."""

from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.auto.learner import AutoLearner
from askance.data.mixed import take_rows
from askance.learners.trace import Trace
from askance.rules.registry import BINARY, MULTICLASS


def run_within(
    learner: AutoLearner, X: Any, y: NDArray[Any], limit: int, first_round: int
) -> tuple[AutoLearner, Trace]:
    """Run on some rows and return the learner and the trace; it asks for at most `limit` labels in all."""
    rows, left = X.shape[0], limit - learner.spending_.asked
    if left >= rows:
        return learner, learner.run(X, y)
    if left < 1:
        return learner, _predicted(learner, X, y, first_round)
    trial = deepcopy(learner)
    trace = trial.run(X, y)
    if trace.spent <= left:
        return trial, trace
    stop = int(np.flatnonzero(trace.asked)[left - 1]) + 1
    trace = learner.run(take_rows(X, slice(0, stop)), y[:stop])  # the same decisions: chunks change nothing
    if stop == rows:
        return learner, trace
    rest = _predicted(learner, take_rows(X, slice(stop, rows)), y[stop:], first_round + stop)
    return learner, Trace.join([trace, rest])


def _predicted(learner: AutoLearner, X: Any, y: NDArray[Any], first_round: int) -> Trace:
    """The trace of rows whose labels cannot be asked for."""
    found, classes = learner.predict_proba(X), learner.classes_
    ordered = np.sort(found, axis=1)
    codes, predicted = np.searchsorted(classes, y), found.argmax(axis=1)
    scores, kind = ordered[:, -1] - ordered[:, -2], MULTICLASS
    if len(classes) == 2:
        codes, predicted = 2 * codes - 1, 2 * predicted - 1
        scores, kind = learner.decision_function(X), BINARY
    nowhere = np.zeros(len(y), bool)
    return Trace(
        true_codes=codes.astype(np.int32),
        predicted_codes=predicted.astype(np.int32),
        scores=scores,
        ask_probabilities=np.zeros(len(y)),
        asked=nowhere,
        updated=nowhere,
        classes=classes,
        kind=kind,
        first_round=first_round,
        mode="float64 exact",
        algorithm=f"AutoLearner({learner.rate:g})",
        spent=0,
        refused=0,
    )
