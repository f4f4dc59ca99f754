"""Theorems for mistakes on positive rows that cost ρ times as much: Lu, Zhao and Hoi 2016, and decision 75."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from askance.algorithms.entry import ACTIVE, OURS
from askance.theory.inputs import Draw
from askance.theory.subgradient import Subgradient
from askance.theory.theorem import BoundProblem, Condition, Terms, Theorem, at_least, hinge_firing, margin_asking
from askance.typing import BoolArray, FloatArray

# Rows scaled to length 1 in single precision may be slightly longer.
LONGEST = 1 + 1e-6


@dataclass(frozen=True)
class CostSensitive(Theorem):
    """Theorem 6: E Σρ_tM_t ≤ (1/δ) (((1 + δ)²/4) ‖u‖² + (1 + δ) C Σℓ_t), ℓ_t = max(0, ρ_t - y_t u·x_t)."""

    paper: str = ACTIVE
    where: str = "theorem 6"
    remark: str = "its proof needs ρ ≥ 1 and only ‖x‖ ≤ 1, where ‖x‖ = 1 is printed"

    @property
    def quantity(self) -> str:
        """Mistakes, of which those on positive rows count ρ."""
        return "mistakes, those on positive rows times ρ"

    @property
    def learns(self) -> str:
        """When the rule updates."""
        return "a loss"

    @property
    def asks(self) -> str:
        """The probability of asking."""
        return "δ/(δ + |p|)"

    @property
    def parameters(self) -> tuple[str, ...]:
        """δ, C and ρ."""
        return ("delta", "C", "rho")

    def terms(self, problem: BoundProblem) -> Terms:
        """‖u‖ and the losses."""
        return {"‖u‖": problem.compared.norm, "Σℓ": float(problem.compared.losses(weights(problem)).sum())}

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        return weighted_mistakes(problem["delta"], terms, problem)

    def best(self, terms: Terms, problem: BoundProblem) -> Terms:
        """δ = √(1 + 4C Σℓ/‖u‖²)."""
        if not terms["‖u‖"]:
            return {}
        delta = math.sqrt(1 + 4 * problem["C"] * terms["Σℓ"] / terms["‖u‖"] ** 2)
        there = replace(problem, parameters={**problem.parameters, "delta": delta})
        return {"delta": delta, "bound": self.value(terms, there)}

    def observed(self, problem: BoundProblem, draw: Draw) -> float:
        """Σ ρ_t M_t."""
        return float(weights(problem)[draw.mistakes].sum())

    def conditions(self, problem: BoundProblem) -> Sequence[Condition]:
        """δ ≥ 1, C ≥ ρ ≥ 1, ‖x‖ ≤ 1."""
        longest, C, rho = problem.rows.longest, problem["C"], problem["rho"]
        return (
            at_least("δ", problem["delta"], 1),
            at_least("ρ", rho, 1),
            Condition("C ≥ ρ", rho <= C, f"C = {C:g}, ρ = {rho:g}"),
            Condition("‖x‖ ≤ 1 on all rows", longest <= LONGEST, f"the longest has {longest:.7g}"),
        )

    def asking(self, problem: BoundProblem, draw: Draw, replayed: Any) -> FloatArray:  # noqa: ARG002
        """δ/(δ + |p|)."""
        return margin_asking(problem["delta"], draw)

    def firing(self, problem: BoundProblem, draw: Draw) -> tuple[BoolArray, BoolArray]:
        """y p < ρ_t."""
        return hinge_firing(problem, draw, weights(problem))


@dataclass(frozen=True)
class WeightedSum(CostSensitive):
    """Theorem 7: E[η_p sensitivity + η_n specificity] ≥ 1 - (η_n/T_n) Q, Q of theorem 6, ρ = η_pT_n/(η_nT_p)."""

    where: str = "theorem 7"

    from_below: ClassVar[bool] = True

    @property
    def quantity(self) -> str:
        """The weighted sum, with the weights that correspond to ρ."""
        return "η_p sensitivity + η_n specificity"

    def terms(self, problem: BoundProblem) -> Terms:
        """Also the counts of both classes and the weights that correspond to ρ."""
        positives = float(np.count_nonzero(problem.rows.codes > 0))
        negatives = len(problem.rows) - positives
        if not positives or not negatives:
            raise ValueError("theorem 7 needs rows of two classes, but y has only one")
        eta_p = problem["rho"] * positives / (negatives + problem["rho"] * positives)
        counts = {"T_p": positives, "T_n": negatives, "η_p": eta_p, "η_n": 1 - eta_p}
        return {**super().terms(problem), **counts}

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        return 1 - terms["η_n"] / terms["T_n"] * weighted_mistakes(problem["delta"], terms, problem)

    def objective(self, problem: BoundProblem) -> float:
        """Minus the bound: here a larger bound is better."""
        return -super().objective(problem)

    def observed(self, problem: BoundProblem, draw: Draw) -> float:
        """1 - (η_n/T_n) Σρ_tM_t."""
        terms = self.terms(problem)
        return 1 - terms["η_n"] / terms["T_n"] * super().observed(problem, draw)


@dataclass(frozen=True)
class WeightedCost(CostSensitive):
    """Theorem 8: E[c_pM_p + c_nM_n] ≤ c_n Q, Q that of theorem 6, ρ = c_p/c_n and c_p + c_n = 1."""

    where: str = "theorem 8"

    @property
    def quantity(self) -> str:
        """The cost, with the costs that correspond to ρ."""
        return "cost, c_p on positive and c_n on negative rows"

    def terms(self, problem: BoundProblem) -> Terms:
        """Also the costs that correspond to ρ."""
        c_n = 1 / (1 + problem["rho"])
        return {**super().terms(problem), "c_p": 1 - c_n, "c_n": c_n}

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        return terms["c_n"] * super().value(terms, problem)

    def observed(self, problem: BoundProblem, draw: Draw) -> float:
        """c_n Σρ_tM_t."""
        return super().observed(problem, draw) / (1 + problem["rho"])


@dataclass(frozen=True)
class CostSensitiveSubgradient(Subgradient):
    """Decision 75: theorem 1 of Zhai et al. 2022 with Σρ_tM_t, ℓ_t = max(0, ρ_t - y_t u·x_t) and ρ_tL_t."""

    paper: str = "askance"
    where: str = OURS

    @property
    def quantity(self) -> str:
        """Mistakes, of which those on positive rows count ρ."""
        return "mistakes, those on positive rows times ρ"

    @property
    def asks(self) -> str:
        """The probability of asking."""
        return f"cb/(cb + max(q, 0)), {self.weight}, c = ρ where the prediction is negative and 1 elsewhere"

    @property
    def parameters(self) -> tuple[str, ...]:
        """δ, η, b and ρ."""
        return (*super().parameters, "rho")

    def costs(self, problem: BoundProblem) -> FloatArray:
        """ρ_t."""
        return weights(problem)

    def observed(self, problem: BoundProblem, draw: Draw) -> float:
        """Σ ρ_t M_t."""
        return float(weights(problem)[draw.mistakes].sum())

    def scales(self, problem: BoundProblem, draw: Draw) -> FloatArray:
        """b times the cost of a mistake."""
        return problem["b"] * np.where(draw.predicted > 0, 1.0, problem["rho"])


def weights(problem: BoundProblem) -> FloatArray:
    """ρ_t: ρ on positive rows, 1 on negative ones."""
    return np.where(problem.rows.codes > 0, problem["rho"], 1.0)


def weighted_mistakes(delta: float, terms: Terms, problem: BoundProblem) -> float:
    """Q of theorem 6."""
    square = (1 + delta) ** 2 / 4 * terms["‖u‖"] ** 2
    return (square + (1 + delta) * problem["C"] * terms["Σℓ"]) / delta


THEOREMS: Mapping[str, Sequence[Theorem]] = {
    "CSPAA": (CostSensitive(), WeightedSum(), WeightedCost()),
    "CSD-ADA": (CostSensitiveSubgradient(),),
    "CSD-AMD": (CostSensitiveSubgradient(mirror=True),),
}
