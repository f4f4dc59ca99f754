"""How far to trust each model: by the log loss of its predictions on labels that it had not seen.

Every model predicts with several temperatures, from vague to confident. A model is trusted in proportion to
exp(-loss) of its best temperature: a Bayesian mixture. Labels that were asked for with a low probability stand for
more rows, so they count for more.
"""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

SCORE_TEMPERATURES = np.array([0.7, 1.5, 3.0, 6.0, 12.0])
VOTE_TEMPERATURES = np.array([0.5, 0.75, 1.0, 1.5, 2.0])
MIDDLE = 2
LEAST_PROBABILITY = 1e-4
HEAVIEST = 10.0  # the weight of a label that was asked for at random, in the choice of temperatures
FORGETTING = 0.998  # per label: models that were better long ago may not be now
NEGLIGIBLE = 0.01  # a model that is trusted less is not asked at all


def of_scores(scores: Numbers, temperature: float | Numbers) -> Numbers:
    """Return probabilities of classes (last axis): a logistic function of one score, or softmax of several."""
    if scores.shape[-1] == 1:
        scores = np.concatenate([np.zeros_like(scores), scores], axis=-1)
    powers = temperature * scores
    found = np.exp(powers - powers.max(axis=-1, keepdims=True))
    return found / found.sum(axis=-1, keepdims=True)


def of_votes(shares: Numbers, temperature: float | Numbers) -> Numbers:
    """Return shares of votes to the power of a temperature, normalized (last axis)."""
    found = shares**temperature
    return found / found.sum(axis=-1, keepdims=True)


class Mixture:
    """The losses of models × temperatures, and what follows from them."""

    def __init__(self, models: int) -> None:
        self.losses = np.zeros((models, len(SCORE_TEMPERATURES)))
        self.weighted = np.zeros((models, len(SCORE_TEMPERATURES)))

    def temperature(self, model: int) -> int:
        """Return the position of the best temperature, for rows as they come."""
        losses = self.weighted[model]
        return int(losses.argmin()) if losses.any() else MIDDLE

    def weights(self) -> Numbers:
        """Return how far each model is trusted; 0 for those that hardly count."""
        best = self.losses.min(axis=1)
        found = np.exp(best.min() - best)
        found[found < NEGLIGIBLE * found.sum()] = 0.0
        return found / found.sum()

    def learn(self, probabilities: Numbers, ask_probability: float) -> None:
        """Count what each model and temperature had predicted for the class that was right."""
        losses = -np.log(np.maximum(probabilities, LEAST_PROBABILITY))
        self.losses = FORGETTING * self.losses + losses
        self.weighted = FORGETTING * self.weighted + min(HEAVIEST, 1.0 / ask_probability) * losses
