"""What each part of a row contributes to the scores of an automatic learner."""

import math

import numpy as np
from numpy.typing import NDArray

from askance.auto.core import AutoCore, log_odds
from askance.jit.kernels import trees
from askance.jit.kernels.labelling import GROWN_AT
from askance.jit.kernels.mixed import Mixed, features_of
from askance.jit.kernels.mixture import FURTHEST_POWER, SCORE_TEMPERATURES, VOTE_TEMPERATURES

Numbers = NDArray[np.float64]


def scores_of_parts(core: AutoCore, X: Mixed, kept: NDArray[np.bool_], dense: Numbers) -> Numbers:
    """Return the scores of one row, if only some of its sparse entries counted, and with other dense columns.

    There is one result for each row of `kept` and of `dense`. All entries count for the length of the row, so that
    what is left out makes no other entry stronger. Classes are in the order of `AutoCore.decision_function`.
    """
    if not core.remembered:
        found = np.full((len(kept), core.classes), 1.0 / core.classes)
    else:
        found = _mixed(core, _scores(core, X, kept, dense), dense)
    found = found[:, np.argsort(core.encoder.observed)]
    return log_odds(found[:, 1]) if len(core.encoder.observed) == 2 else found


def _scores(core: AutoCore, X: Mixed, kept: NDArray[np.bool_], dense: Numbers) -> Numbers:
    """Return the scores of linear models: one row for each row of `kept`, one column per lane."""
    lanes, scales = core.models.lanes, core.models.scales
    views = lanes.values.shape[1]
    values = np.empty((len(X.values), views))
    features_of(X, 0, scales, np.empty(lanes.dense.shape[1]), values, np.empty(views))
    share = lanes.weights.shape[1] // views
    each = lanes.weights[core.models.places[X.indices]] * np.repeat(values, share, axis=1)
    length = max(1.0, math.sqrt(dense.shape[1]))
    furthest = scales.furthest[0]
    scaled = np.clip((dense - scales.centres) * scales.factors, -furthest, furthest) / length
    whole = np.hstack([scaled, np.full((len(dense), 1), scales.intercept)])
    scores: Numbers = whole @ lanes.dense_weights + kept @ each
    return scores


def _mixed(core: AutoCore, scores: Numbers, dense: Numbers) -> Numbers:
    """Return the probabilities of the classes, in the order of their codes."""
    mixture, width = core.models.mixture, core.models.lanes.width
    found = np.zeros((len(scores), core.classes))
    for model, (trust, chosen) in enumerate(zip(mixture.trust, mixture.chosen, strict=True)):
        if model == len(core.models.lanes.dampings):
            shares = _votes(core, dense) ** VOTE_TEMPERATURES[chosen]
            found += trust * shares / shares.sum(axis=1, keepdims=True)
            continue
        powers = SCORE_TEMPERATURES[chosen] * scores[:, model * width : (model + 1) * width]
        if width == 1:
            second = 1.0 / (1.0 + np.exp(-np.clip(powers, -FURTHEST_POWER, FURTHEST_POWER)))
            found += trust * np.hstack([1.0 - second, second])
        else:
            shares = np.exp(powers - powers.max(axis=1, keepdims=True))
            found += trust * shares / shares.sum(axis=1, keepdims=True)
    return found


def _votes(core: AutoCore, dense: Numbers) -> Numbers:
    """Return the votes of all trees, with one vote more that is divided evenly."""
    found = np.full((len(dense), core.classes), 1.0 / core.classes)
    if core.models.counts[GROWN_AT]:
        trees.votes(np.ascontiguousarray(dense), core.models.trees, found)
    return found
