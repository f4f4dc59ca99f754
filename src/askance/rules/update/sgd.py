"""Stochastic gradient descent on the common losses."""

import math
from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, Constraints
from askance.jit.select import where
from askance.rules.rows import Seen
from askance.rules.state.weights import Weights
from askance.rules.update.losses import Hinge, check_loss
from askance.rules.update.weights import zero_weights

# The schedules of the catalog by name: the power of t that divides the learning rate.
POWERS = {"const": 0.0, "sqrt": 0.5, "inverse": 1.0}


class SGD(NamedTuple):
    """Stochastic gradient descent: w ← w - η_t ℓ'(y p) y x, with η_t = η / t^power at label t.

    It costs one pass over the non-zeros of the row. With the hinge loss it is `OGD`. It does not regularize:
    `Pegasos` does, and the rules with `l1`.

    Parameters
    ----------
    loss : Loss, default=Hinge()
        Hinge, SquaredHinge, Logistic, ModifiedHuber or PerceptronLoss.
    eta : float, default=1.0
        The learning rate η.
    power : float, default=0.5
        0 for a constant rate, 0.5 for η/√t, 1 for η/t.

    References
    ----------
    Zinkevich 2003, "Online convex programming and generalized infinitesimal gradient ascent"; Zhang 2004,
    "Solving large scale linear prediction problems using stochastic gradient descent algorithms", for the losses.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]], [1, -1, 1]
    >>> learner = Learner(updates.SGD(updates.ModifiedHuber(), eta=0.1), queries.Always()).fit(X, y)
    >>> learner.predict([[0.0, 3.0], [3.0, 0.0]])
    array([ 1, -1])
    """

    loss: Any = Hinge()
    eta: float = 1.0
    power: float = 0.5

    def start(self, width: int, dtype: DTypeLike) -> Weights:
        """w = 0."""
        return zero_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, float]:
        """-η_t ℓ'(y p) y."""
        slope = self.loss.slope(label * seen.score)
        t = seen.n_labels + 1.0
        divisor = where(self.power > 0.75, t, where(self.power > 0.25, math.sqrt(t), 1.0))
        return slope > 0, label * (self.eta / divisor) * slope

    def weighted(self, weight: float) -> "SGD":
        """Return the rule for a label of this weight, which multiplies the gradient and so η."""
        return self._replace(eta=self.eta * weight)

    def constraints(self) -> Constraints:
        """η > 0."""
        return {"eta": POSITIVE}

    def check(self) -> None:
        """Raise TypeError for a loss that is none, and ValueError for another power than the three."""
        check_loss(self)
        if self.power not in POWERS.values():
            raise ValueError(f"SGD: power must be 0, 0.5 or 1, not {self.power!r}")
