"""What each word of a row contributes to the scores of an automatic learner."""

import numpy as np
from numpy.typing import NDArray

from askance.auto.core import AutoCore, log_odds
from askance.jit.kernels.mixed import Mixed, features_of
from askance.jit.kernels.mixture import FURTHEST_POWER, SCORE_TEMPERATURES

Numbers = NDArray[np.float64]


def scores_of_parts(core: AutoCore, X: Mixed, kept: NDArray[np.bool_]) -> Numbers:
    """Return the scores of one sparse row if only some of its entries counted, one row for each row of `kept`.

    All entries count for the length of the row, so that what is left out makes no other entry stronger. The order
    of the classes is that of `AutoCore.decision_function`.
    """
    if not core.remembered:
        found = np.full((len(kept), core.classes), 1.0 / core.classes)
    else:
        found = _mixed(core, _scores(core, X, kept))
    found = found[:, np.argsort(core.encoder.observed)]
    return log_odds(found[:, 1]) if len(core.encoder.observed) == 2 else found


def _scores(core: AutoCore, X: Mixed, kept: NDArray[np.bool_]) -> Numbers:
    """Return the scores of linear models: one row for each row of `kept`, one column per lane."""
    lanes = core.models.lanes
    dense, values = np.empty(lanes.dense.shape[1]), np.empty(len(X.values))
    features_of(X, 0, core.models.scales, dense, values)
    each = lanes.weights[core.models.places[X.indices]] * values[:, np.newaxis]
    scores: Numbers = dense @ lanes.dense_weights + kept @ each
    return scores


def _mixed(core: AutoCore, scores: Numbers) -> Numbers:
    """Return the probabilities of the classes, in the order of their codes."""
    mixture, width = core.models.mixture, core.models.lanes.width
    found = np.zeros((len(scores), core.classes))
    for model, (trust, chosen) in enumerate(zip(mixture.trust, mixture.chosen, strict=True)):
        powers = SCORE_TEMPERATURES[chosen] * scores[:, model * width : (model + 1) * width]
        if width == 1:
            second = 1.0 / (1.0 + np.exp(-np.clip(powers, -FURTHEST_POWER, FURTHEST_POWER)))
            found += trust * np.hstack([1.0 - second, second])
        else:
            shares = np.exp(powers - powers.max(axis=1, keepdims=True))
            found += trust * shares / shares.sum(axis=1, keepdims=True)
    return found
