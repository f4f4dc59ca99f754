"""Helpers of first-order rules: the initial weights, and the hinge loss."""

import numpy as np
from numpy.typing import DTypeLike

from askance.jit.interop import inlined
from askance.jit.select import maximum
from askance.rules.rows import Seen
from askance.rules.state.weights import Weights


def zero_weights(width: int, dtype: DTypeLike) -> Weights:
    """Return the state w = 0, with one weight per feature."""
    return Weights(np.zeros(width, dtype))


@inlined
def hinge(seen: Seen, label: float) -> float:
    """Return the hinge loss ℓ = max(0, 1 - y p)."""
    loss: float = maximum(0.0, 1.0 - label * seen.score)
    return loss
