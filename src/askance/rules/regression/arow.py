"""Adaptive regularisation of weights for regression (Vaits and Crammer 2011).

With p = μ·x, v = xᵀΣx and e = y - p, every label moves the mean μ along Σx and reduces Σ in the direction of the
row. The spread v says how little is known about a row; it does not depend on the labels.
"""

from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, YES_OR_NO, Constraints
from askance.rules.rows import Seen
from askance.rules.update.rule import About
from askance.rules.update.second_order import about_second_order, initial_gaussian, shrinkage


class AROWRegression(NamedTuple):
    """AROW: μ ← μ + (e / (v + r)) Σx and Σ ← Σ - Σx xᵀΣ / (v + r).

    With `full`, this is recursive least squares: μ is the ridge regression with the penalty r on all labels so
    far. The paper also resets Σ for streams that drift, which this rule does not.

    Parameters
    ----------
    r : float, default=0.3
        Regularisation: the larger it is, the smaller the effect of one row.
    full : bool, default=True
        Keep all of Σ, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    inverse : bool, default=False
        If only the diagonal is kept: take it from Σ⁻¹ ← Σ⁻¹ + x xᵀ / r instead of from the formula above.

    References
    ----------
    Vaits and Crammer 2011, "Re-adapting the regularization of weights for non-stationary regression".

    Examples
    --------
    >>> from askance import StreamRegressor, regression
    >>> model = StreamRegressor(regression.AROWRegression(r=0.01))
    >>> model = model.fit([[1.0], [2.0], [3.0], [4.0]], [2.0, 4.0, 6.0, 8.0])
    >>> bool(model.predict([[4.0]])[0] > model.predict([[1.0]])[0])
    True
    """

    r: float = 0.3
    full: bool = True
    inverse: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """μ = 0, Σ = I."""
        return initial_gaussian(self, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return how far μ moves along Σx, and how much Σ shrinks."""
        entrywise = self.inverse & (not self.full)
        length = (label - seen.score) / (seen.spread + self.r)
        return seen.squared_norm > 0, (length, 0.0, shrinkage(1.0 / self.r, seen.spread, entrywise))

    def weighted(self, weight: float) -> "AROWRegression":
        """Return the rule for a label of this weight, which multiplies e² and v in the objective: r / weight."""
        return self._replace(r=self.r / weight)

    def constraints(self) -> Constraints:
        """r > 0."""
        return {"r": POSITIVE, "full": YES_OR_NO, "inverse": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the rule has a spread."""
        return about_second_order(self)
