"""Adaptive regularisation of weights (Crammer, Kulesza and Dredze 2009).

With p = μ·x, v = xᵀΣx and ℓ = max(0, 1 - y p), a label with ℓ > 0 moves the mean μ along Σx and reduces Σ in the
direction of the row, so that weights that are known well move little. A wrong label does less harm than in
confidence-weighted learning, because r bounds the effect of one row.
"""

from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, YES_OR_NO, Constraints
from askance.rules.rows import Seen
from askance.rules.update.passive_aggressive import full_step
from askance.rules.update.rule import About
from askance.rules.update.second_order import about_second_order, initial_gaussian, shrinkage
from askance.rules.update.weights import hinge


class AROW(NamedTuple):
    """AROW: if ℓ > 0, μ ← μ + (ℓ / (v + r)) y Σx and Σ ← Σ - Σx xᵀΣ / (v + r).

    Parameters
    ----------
    r : float, default=1.0
        Regularisation: the larger it is, the smaller the effect of one row.
    full : bool, default=False
        Keep all of Σ, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    inverse : bool, default=False
        If only the diagonal is kept: take it from Σ⁻¹ ← Σ⁻¹ + x xᵀ / r instead of from the formula above.

    References
    ----------
    Crammer, Kulesza and Dredze 2009, figure 1.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]], [1, -1, 1]
    >>> learner = Learner(updates.AROW(r=0.5), queries.Always()).fit(X, y)
    >>> learner.predict([[0.0, 3.0], [3.0, 0.0]])
    array([ 1, -1])
    """

    r: float = 1.0
    full: bool = False
    inverse: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return how far μ moves along Σx, and how much Σ shrinks."""
        loss = hinge(seen, label)
        entrywise = self.inverse & (not self.full)
        length = label * full_step(loss, seen.spread + self.r)
        return loss > 0, (length, 0.0, shrinkage(1.0 / self.r, seen.spread, entrywise))

    def weighted(self, weight: float) -> "AROW":
        """Return the rule for a label of this weight, which multiplies ℓ² and v in the objective: r / weight."""
        return self._replace(r=self.r / weight)

    def constraints(self) -> Constraints:
        """r > 0."""
        return {"r": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the rule has a spread, and its diagonal is also for many classes."""
        return about_second_order(self, many=True)
