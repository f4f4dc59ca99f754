"""From what models say together to probabilities.

The temperatures of models lag behind. A model with many labels is better than it was when most of its predictions
were compared with labels, and with few labels per class there is little to compare. So what the models say is
raised to a power, which is below 1 while there are fewer than four labels per class. Questions and scores do
without it.
"""

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

SHARPEST = 1.25  # the power with very many labels; half of it with one label per class


def sharpness(labels: int, classes: int) -> float:
    """Return the power for models that have learned this many labels."""
    return SHARPEST * labels / (labels + classes)


def sharpened(shares: Numbers, labels: int) -> Numbers:
    """Return probabilities for rows of shares of the classes, which add up to 1."""
    powers = shares ** sharpness(labels, shares.shape[1])
    found: Numbers = powers / powers.sum(axis=1, keepdims=True)
    return found
