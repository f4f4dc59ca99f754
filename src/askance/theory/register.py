"""The theorems by name of the algorithm, and why some algorithms have none."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from askance.algorithms import look_up
from askance.theory import cost_sensitive, passive_aggressive, perceptron, second_order, subgradient
from askance.theory.theorem import Theorem

FAMILIES = (perceptron, passive_aggressive, cost_sensitive, second_order, subgradient)

THEOREMS: Mapping[str, Sequence[Theorem]] = MappingProxyType(
    {name: theorems for family in FAMILIES for name, theorems in family.THEOREMS.items()}
)

STEPS = ("", "-I", "-II")
AT_RANDOM = {"RPE", "MRPE", "SEL-P-FIXED", "SEL-2ND-FIXED", "R-ADA", "R-AMD", "MR-ADA", "MR-AMD", "CSRND"}
AT_RANDOM |= {f"{name}{step}" for name in ("RPA", "MRPA") for step in STEPS}


def find(name: str, theorem: int | str | None = None) -> Theorem:
    """The theorem of an algorithm, or one of several; raises ValueError if there is none."""
    if name not in THEOREMS:
        raise ValueError(f"askance has no mistake bound for {name}: {_reason(name)}")
    several = THEOREMS[name]
    if theorem is None:
        return several[0]
    wanted = f"theorem {theorem}" if isinstance(theorem, int) else theorem
    for one in several:
        if one.where == wanted:
            return one
    raise ValueError(f"{name} has {' and '.join(one.where for one in several)}, but no {wanted}")


def _reason(name: str) -> str:
    if name in AT_RANDOM:
        return "it asks at random, and the theorems are about asking by the margin"
    if name.startswith("K-"):
        return f"with a kernel, a comparator is not a vector of weights; for a linear one, use {name[2:]}"
    if name.endswith("-diag"):
        return f"it stores a diagonal, and the theorems are about the whole matrix of {name.removesuffix('-diag')}"
    look_up(name)
    return "none of the implemented theorems is about it"
