"""What second-order rules share: a mean μ of the weights, and Σ, which says how little is known of them.

Rows that were learned from make Σ smaller in their direction: Σ⁻¹ ← Σ⁻¹ + c x xᵀ, which is the same as
Σ ← Σ - s Σx xᵀΣ with s = c / (1 + c v) and v = xᵀΣx. With `full`, all of Σ is kept, in O(d²); without, its
diagonal, in O(d'), either by leaving out what the first formula does beside it (`inverse`) or what
the second does.
"""

from typing import Any

from numpy.typing import DTypeLike

from askance.jit.interop import inlined
from askance.jit.select import minimum, where
from askance.rules.state.diagonal import DropDiagonal, InverseDiagonal, unit_variances
from askance.rules.state.full import full_gaussian
from askance.rules.update.rule import About

# A larger c would overflow single precision; it makes a row as good as known.
MOST = 1e30


def initial_gaussian(rule: Any, width: int, dtype: DTypeLike) -> Any:
    """μ = 0, Σ = I, in the form that the rule's fields `full` and `inverse` ask for."""
    if rule.full:
        return full_gaussian(width, dtype, rule)
    return unit_variances(InverseDiagonal if rule.inverse else DropDiagonal, width, dtype)


def about_second_order(rule: Any) -> About:
    """What it costs to keep all of Σ, or its diagonal."""
    return About(cost="O(d²)" if rule.full else "O(d')", has_spread=True)


@inlined
def shrinkage(c: float, spread: float, inverse: bool) -> float:
    """The last number of a step: c where the state adds to Σ⁻¹, else s = c / (1 + c v)."""
    capped = minimum(c, MOST)
    last: float = where(inverse, capped, capped / (1.0 + capped * spread))
    return last
