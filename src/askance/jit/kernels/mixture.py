"""How far to trust each model: by the log loss of its predictions on labels that it had not seen.

Every model predicts with several temperatures, from vague to confident. A model is trusted in proportion to
exp(-loss / (1 + least / NOISE)) of its best temperature, where `least` is the loss of the best model. While losses
are small, that is a Bayesian mixture. Large losses differ by chance, and one of two models that are about equally
good would soon decide alone; together they predict better. Labels that were asked for with a low probability stand
for more rows, so they count for more in the choice of temperatures.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined

Numbers = NDArray[np.float64]

SCORE_TEMPERATURES = np.array([0.7, 1.5, 3.0, 6.0, 12.0])
VOTE_TEMPERATURES = np.array([0.5, 1.0, 2.0, 3.5, 6.0])
MIDDLE = 2
FURTHEST_POWER = 700.0  # beyond it, exp overflows
LEAST_PROBABILITY = 1e-4
HEAVIEST = 10.0  # the weight of a label that was asked for at random, in the choice of temperatures
FORGETTING = 0.998  # per label: models that were better long ago may not be now
NOISE = 100.0  # the loss from which on differences are taken less seriously
NEGLIGIBLE = 0.01  # a model that is trusted less is not asked at all


class Mixture(NamedTuple):
    """The losses of models × temperatures, without and with weights, and what follows from them."""

    losses: Numbers
    weighted: Numbers
    trust: Numbers
    chosen: NDArray[np.int64]  # the position of each model's temperature


def equal_trust(models: int) -> Mixture:
    """Return a mixture that has not seen a label."""
    losses = np.zeros((models, len(SCORE_TEMPERATURES)))
    return Mixture(losses, losses.copy(), np.full(models, 1.0 / models), np.full(models, MIDDLE, np.int64))


@inlined
def from_scores(scores: Any, first: int, width: int, temperature: float, found: Any) -> None:
    """Set `found` to probabilities: a logistic function of one score, or softmax of `width` scores."""
    if width == 1:
        power = min(FURTHEST_POWER, max(-FURTHEST_POWER, temperature * scores[first]))
        found[1] = 1.0 / (1.0 + math.exp(-power))
        found[0] = 1.0 - found[1]
        return
    highest = scores[first]
    for k in range(1, width):
        highest = max(highest, scores[first + k])
    total = 0.0
    for k in range(width):
        found[k] = math.exp(temperature * (scores[first + k] - highest))
        total += found[k]
    for k in range(width):
        found[k] /= total


@inlined
def from_votes(votes: Any, temperature: float, found: Any) -> None:
    """Set `found` to votes to the power of a temperature, normalized."""
    total = 0.0
    for k in range(votes.shape[0]):
        found[k] = votes[k] ** temperature
        total += found[k]
    for k in range(votes.shape[0]):
        found[k] /= total


@inlined
def count_loss(mixture: Any, model: int, place: int, probability: float, weight: float) -> None:
    """Count what a model and temperature had predicted for the class that was right."""
    loss = -math.log(max(probability, LEAST_PROBABILITY))
    mixture.losses[model, place] = FORGETTING * mixture.losses[model, place] + loss
    mixture.weighted[model, place] = FORGETTING * mixture.weighted[model, place] + weight * loss


@inlined
def lowest(losses: Any) -> tuple[int, float]:
    """Return the position of the lowest loss, and the loss."""
    best = 0
    for place in range(1, losses.shape[0]):
        if losses[place] < losses[best]:
            best = place
    return best, losses[best]


@inlined
def settle(mixture: Any) -> None:
    """Choose temperatures and trust by the losses so far."""
    models, least = mixture.trust.shape[0], np.inf
    for model in range(models):
        _, loss = lowest(mixture.losses[model])
        least = min(least, loss)
        chosen, _ = lowest(mixture.weighted[model])
        mixture.chosen[model] = chosen if mixture.weighted[model, 0] > 0.0 else MIDDLE
    total = 0.0
    for model in range(models):
        _, loss = lowest(mixture.losses[model])
        mixture.trust[model] = math.exp((least - loss) / (1.0 + least / NOISE))
        total += mixture.trust[model]
    rest = 0.0
    for model in range(models):
        if mixture.trust[model] < NEGLIGIBLE * total:
            mixture.trust[model] = 0.0
        rest += mixture.trust[model]
    for model in range(models):
        mixture.trust[model] /= rest
