"""The second-order Perceptron (Cesa-Bianchi, Conconi and Gentile 2005), as in selective sampling.

As in Cesa-Bianchi, Gentile and Zaniboni 2006, figure 3, A changes only when a label reveals a mistake.
"""

from typing import Any, NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import YES_OR_NO, Constraints
from askance.rules.rows import Seen
from askance.rules.state.diagonal import EntryPerceptron, RankOnePerceptron, unit_variances
from askance.rules.state.full import full_perceptron
from askance.rules.update.rule import About
from askance.rules.update.second_order import about_second_order


class SecondOrderPerceptron(NamedTuple):
    """On a mistake, sgn(p) ≠ y: v ← v + y x, A ← A + x xᵀ, where p = vᵀ(A + x xᵀ)⁻¹x.

    `coef_` of the learner is v.

    Parameters
    ----------
    full : bool, default=False
        Keep all of A⁻¹, in O(d²) memory and time per row. Otherwise keep its diagonal, in O(d').
    rank1 : bool, default=False
        If only the diagonal is kept: p = (Σ_j v_j x_j / A_j) / (1 + Σ_j x_j² / A_j); otherwise
        p = Σ_j v_j x_j / (A_j + x_j²).

    References
    ----------
    Cesa-Bianchi, Conconi and Gentile 2005; Cesa-Bianchi, Gentile and Zaniboni 2006, figure 3.
    """

    full: bool = False
    rank1: bool = False

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """v = 0, A = I."""
        if self.full:
            return full_perceptron(width, dtype, self)
        return unit_variances(RankOnePerceptron if self.rank1 else EntryPerceptron, width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """Return how far A⁻¹v moves along A⁻¹x, y, and how much A⁻¹ shrinks."""
        share = 1.0 / (1.0 + seen.spread)
        return seen.prediction != label, (label * share - seen.score, label, share)

    def constraints(self) -> Constraints:
        """Both parameters are bools."""
        return {"full": YES_OR_NO, "rank1": YES_OR_NO}

    def about(self) -> About:
        """Return the cost; the spread is xᵀA⁻¹x."""
        return about_second_order(self)
