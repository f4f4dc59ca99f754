"""Common parts of second-order rules: a mean μ of the weights and a covariance Σ, their uncertainty.

A row that is learned reduces Σ in its direction: Σ⁻¹ ← Σ⁻¹ + c x xᵀ, or equivalently Σ ← Σ - s Σx xᵀΣ with
s = c / (1 + c v) and v = xᵀΣx. With `full`, all of Σ is kept, in O(d²). Otherwise only its diagonal is kept, in
O(d'), and off-diagonal changes are dropped: those of the first formula with `inverse`, else those of the second.
"""

from typing import Any

from numpy.typing import DTypeLike

from askance.jit.interop import inlined
from askance.jit.select import minimum, where
from askance.rules.state.diagonal import DropDiagonal, InverseDiagonal, unit_variances
from askance.rules.state.full import full_gaussian
from askance.rules.update.rule import About

# A larger c would overflow single precision, and makes no difference.
MOST = 1e30


def initial_gaussian(rule: Any, width: int, dtype: DTypeLike) -> Any:
    """Return the state μ = 0, Σ = I, stored as the parameters `full` and `inverse` of the rule say."""
    if rule.full:
        return full_gaussian(width, dtype, rule)
    return unit_variances(InverseDiagonal if rule.inverse else DropDiagonal, width, dtype)


def about_second_order(rule: Any, *, many: bool = False) -> About:
    """Return the cost of a rule, which has a spread. With `many`, its diagonal is also for many classes."""
    return About(cost="O(d²)" if rule.full else "O(d')", has_spread=True, many_classes=many and not rule.full)


@inlined
def shrinkage(c: float, spread: float, inverse: bool) -> float:
    """Return the last number of a step: c if the state adds to Σ⁻¹, else s = c / (1 + c v)."""
    capped = minimum(c, MOST)
    last: float = where(inverse, capped, capped / (1.0 + capped * spread))
    return last
