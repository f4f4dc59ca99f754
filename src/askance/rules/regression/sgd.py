"""Stochastic gradient descent on the losses of regression."""

import math
from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, Constraints, check_parameters
from askance.jit.select import where
from askance.rules.regression.losses import LOSSES, SquaredError
from askance.rules.rows import Seen
from askance.rules.state.weights import Weights
from askance.rules.update.sgd import POWERS
from askance.rules.update.weights import zero_weights


class SGDRegression(NamedTuple):
    """Stochastic gradient descent: w ← w + η_t ℓ'(e) x with e = y - p and η_t = η / t^power at label t.

    It costs one pass over the non-zeros of the row. It does not regularize.

    Parameters
    ----------
    loss : ResidualLoss, default=SquaredError()
        SquaredError, EpsilonInsensitive or Pinball.
    eta : float, default=0.5
        The learning rate η.
    power : float, default=0.5
        0 for a constant rate, 0.5 for η/√t, 1 for η/t.

    References
    ----------
    Zinkevich 2003, "Online convex programming and generalized infinitesimal gradient ascent".

    Examples
    --------
    The 90 % quantile of a target that does not depend on the columns:

    >>> import numpy as np
    >>> from askance import StreamRegressor, regression
    >>> random = np.random.default_rng(0)
    >>> X, y = random.normal(size=(5000, 2)), random.random(5000)
    >>> rule = regression.SGDRegression(regression.Pinball(0.9), eta=1.0)
    >>> bool(abs(StreamRegressor(rule).fit(X, y).predict(X).mean() - 0.9) < 0.05)
    True
    """

    loss: Any = SquaredError()
    eta: float = 0.5
    power: float = 0.5

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """η_t ℓ'(e)."""
        pull = self.loss.pull(label - seen.score)
        t = seen.n_labels + 1.0
        divisor = where(self.power > 0.75, t, where(self.power > 0.25, math.sqrt(t), 1.0))
        return pull != 0, (self.eta / divisor) * pull

    def weighted(self, weight: float) -> "SGDRegression":
        """Return the rule for a label of this weight, which multiplies the gradient and so η."""
        return self._replace(eta=self.eta * weight)

    def constraints(self) -> Constraints:
        """η > 0."""
        return {"eta": POSITIVE}

    def check(self) -> None:
        """Raise TypeError for a loss that is none, and ValueError for its parameters or for another power."""
        if not hasattr(type(self.loss), "pull"):
            known = ", ".join(f"{loss.__name__}()" for loss in LOSSES.values())
            raise TypeError(f"SGDRegression: loss must be one of {known}, not {self.loss!r}")
        check_parameters(self.loss, self.loss.constraints())
        if self.power not in POWERS.values():
            raise ValueError(f"SGDRegression: power must be 0, 0.5 or 1, not {self.power!r}")
