"""Theorems on passive-aggressive learning: Crammer et al. 2006 for all labels, Lu, Zhao and Hoi 2016 for few.

With R = max ‖x‖ and ℓ_t the comparator's hinge losses, asking with probability δ/(δ + o - 1 + |p|) gives, for
α = (δ + o)/2,

- PAA, ℓ_t = 0:  E ΣM ≤ (α²/δ) R² ‖u‖²
- PAA-I:         E ΣM ≤ (1/δ) max{1/C, R²} (α²‖u‖² + 2αC Σℓ_t)
- PAA-II:        E ΣM ≤ (α²/δ) (R² + 1/(2C)) (‖u‖² + 2C Σℓ_t²)

where o = 1, δ ≥ 1 are theorems 1 to 3 and o = 2 is theorem 4. For many classes, R² is replaced by 2R².

Decision 75 lets δ grow with the mistakes that labels reveal, from any δ > 0 on.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from askance.algorithms.entry import ACTIVE, OURS, PASSIVE_AGGRESSIVE
from askance.theory.inputs import Draw
from askance.theory.perceptron import solved
from askance.theory.theorem import (
    SQUARED_LOSSES,
    BoundProblem,
    Condition,
    Terms,
    Theorem,
    at_least,
    hinge_firing,
    margin_asking,
    squared_losses,
)
from askance.typing import BoolArray, FloatArray

HARD, SOFT_1, SOFT_2 = "PA", "PA-I", "PA-II"

LEFT_OUT = "the paper says that theorem 4 holds for this form too, without the formula"
PRINTED = "δ ≤ 1 is printed, but its proof needs δ ≥ 1"
ANALOGY = "the paper has only the separable case; its lemma gives the soft one as in theorems 2 and 3"


@dataclass(frozen=True)
class Aggressive(Theorem):
    """What the theorems of both papers share: the length of a step and the cost of the comparator."""

    step: str = HARD

    @property
    def hard(self) -> bool:
        """PA and PAA allow no losses."""
        return self.step == HARD

    @property
    def learns(self) -> str:
        """When the rule updates."""
        return "a loss"

    @property
    def parameters(self) -> tuple[str, ...]:
        """C, if there is one."""
        return () if self.step == HARD else ("C",)

    def terms(self, problem: BoundProblem) -> Terms:
        """R, ‖u‖ and the losses."""
        losses = problem.compared.losses()
        found = {"R": problem.rows.longest, "‖u‖": problem.compared.norm}
        if self.step == SOFT_1:
            found["Σℓ"] = float(losses.sum())
        if self.step == SOFT_2:
            found["Σℓ²"] = float(losses @ losses)
        return found

    def cap(self, terms: Terms, problem: BoundProblem) -> float:
        """The inverse of the shortest step after a mistake of loss 1."""
        square = terms["R"] ** 2 * (2 if self.many else 1)
        if self.step == SOFT_1:
            return max(1 / problem["C"], square)
        return square if self.step == HARD else square + 1 / (2 * problem["C"])

    def price(self, terms: Terms, problem: BoundProblem, alpha: float) -> float:
        """The cost of a comparator α times as long as u."""
        cost = alpha**2 * terms["‖u‖"] ** 2
        if self.step == SOFT_1:
            cost += 2 * alpha * problem["C"] * terms["Σℓ"]
        if self.step == SOFT_2:
            cost += 2 * alpha**2 * problem["C"] * terms["Σℓ²"]
        return cost

    def firing(self, problem: BoundProblem, draw: Draw) -> tuple[BoolArray, BoolArray]:
        """ℓ > 0."""
        return hinge_firing(problem, draw)


@dataclass(frozen=True)
class FullAggressive(Aggressive):
    """Crammer et al. 2006: cap · price with α = 1, of Σℓ_t² or, for PA-I, of the mistakes; nothing is random."""

    paper: str = PASSIVE_AGGRESSIVE
    where: str = ""

    random: ClassVar[bool] = False

    @property
    def quantity(self) -> str:
        """Mistakes for PA-I, else the learner's own losses."""
        return super().quantity if self.step == SOFT_1 else SQUARED_LOSSES

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        return self.cap(terms, problem) * self.price(terms, problem, 1.0)

    def observed(self, problem: BoundProblem, draw: Draw) -> float:
        """Mistakes or losses."""
        return super().observed(problem, draw) if self.step == SOFT_1 else squared_losses(problem, draw)


@dataclass(frozen=True)
class ActiveAggressive(Aggressive):
    """Theorems 1 to 4 of Lu, Zhao and Hoi."""

    paper: str = ACTIVE
    where: str = ""
    offset: float = 0.0  # in the probability δ/(δ + offset + |p|)

    @property
    def asks(self) -> str:
        """The probability of asking."""
        return "δ/(δ + 1 + |p|)" if self.offset else "δ/(δ + |p|)"

    @property
    def parameters(self) -> tuple[str, ...]:
        """δ, and C if there is one."""
        return ("delta", *super().parameters)

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        return self._at(problem["delta"], terms, problem)

    def _at(self, delta: float, terms: Terms, problem: BoundProblem) -> float:
        alpha = (delta + 1 + self.offset) / 2
        return self.cap(terms, problem) * self.price(terms, problem, alpha) / delta

    def best(self, terms: Terms, problem: BoundProblem) -> Terms:
        """δ = o; with the losses of PAA-I, δ = √(o² + 4oC Σℓ/‖u‖²)."""
        delta = 1 + self.offset
        if self.step == SOFT_1:
            if not terms["‖u‖"]:
                return {}
            ratio = problem["C"] * terms["Σℓ"] / terms["‖u‖"] ** 2
            delta = math.sqrt(delta**2 + 4 * delta * ratio)
        return {"delta": delta, "bound": self._at(delta, terms, problem)}

    def conditions(self, problem: BoundProblem) -> Sequence[Condition]:
        """δ ≥ 1, unless the rule is that of theorem 4."""
        delta = () if self.offset else (at_least("δ", problem["delta"], 1),)
        return (*super().conditions(problem), *delta)

    def asking(self, problem: BoundProblem, draw: Draw, replayed: Any) -> FloatArray:  # noqa: ARG002
        """δ/(δ + offset + |p|)."""
        return margin_asking(problem["delta"], draw, self.offset)


@dataclass(frozen=True)
class AdaptiveAggressive(Aggressive):
    """Decision 75: E ΣM ≤ A + B²/2 + B √(1 + A + B²/4), where δ = β√(1 + K), K mistakes being known.

    With κ = min(C, 1/R²), ω = (max(β, 1) + 1)/β and the comparator's losses L̄_M on known mistakes and L̄_L on other
    updates, A = (C(L̄_M + ωL̄_L) + s‖u‖²)/κ and B = (2Ce(1 + R‖u‖) + β‖u‖²/4)/κ, where s = (2 + 1/β)/4 and e = 1/β
    for β ≥ 1, s = 1/β and e = 2/β for smaller β.
    """

    paper: str = "askance"
    where: str = OURS
    step: str = SOFT_1

    expected: ClassVar[tuple[str, ...]] = ("L̄_M", "L̄_L")

    @property
    def asks(self) -> str:
        """The probability of asking."""
        return "δ/(δ + |p|), δ = β√(1 + K)"

    @property
    def parameters(self) -> tuple[str, ...]:
        """β and C."""
        return ("beta", "C")

    def terms(self, problem: BoundProblem) -> Terms:
        """R and ‖u‖."""
        return {"R": problem.rows.longest, "‖u‖": problem.compared.norm}

    def seen(self, problem: BoundProblem, draw: Draw, replayed: Any) -> Terms:  # noqa: ARG002
        """The losses on the rounds that updated, by whether they were mistakes."""
        losses = problem.compared.losses()
        return {
            "L̄_M": float(losses[draw.updated & draw.mistakes].sum()),
            "L̄_L": float(losses[draw.updated & ~draw.mistakes].sum()),
        }

    def unseen(self, problem: BoundProblem) -> Terms:
        """The losses on all rounds, which count least on mistakes."""
        return {"L̄_M": 0.0, "L̄_L": float(problem.compared.losses().sum())}

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        beta, C, square, cap = problem["beta"], problem["C"], terms["‖u‖"] ** 2, self.cap(terms, problem)
        start, excess = ((2 + 1 / beta) / 4, 1 / beta) if beta >= 1 else (1 / beta, 2 / beta)
        losses = terms["L̄_M"] + (max(beta, 1.0) + 1) / beta * terms["L̄_L"]
        growth = 2 * C * excess * (1 + terms["R"] * terms["‖u‖"]) + beta * square / 4
        return solved(cap * (C * losses + start * square) + 1, cap * growth) - 1

    def asking(self, problem: BoundProblem, draw: Draw, replayed: Any) -> FloatArray:  # noqa: ARG002
        """δ from the known mistakes before the round."""
        known = np.cumsum(draw.updated & draw.mistakes)
        delta = problem["beta"] * np.sqrt(1 + np.concatenate([[0], known[:-1]]))
        return np.asarray(delta / (delta + abs(draw.scores)))


@dataclass(frozen=True)
class ManyClassesAggressive(ActiveAggressive):
    """Theorem 5: each label moves two classes, so that R² is replaced by 2R²."""

    many: ClassVar[bool] = True


THEOREMS: Mapping[str, Sequence[Theorem]] = {
    "PA": (FullAggressive(where="theorem 2"),),
    "PA-I": (FullAggressive(where="theorem 4", step=SOFT_1),),
    "PA-II": (FullAggressive(where="theorem 5", step=SOFT_2),),
    "PAA": (ActiveAggressive(where="theorem 1"),),
    "PAA-I": (ActiveAggressive(where="theorem 2", step=SOFT_1),),
    "PAA-II": (ActiveAggressive(where="theorem 3", step=SOFT_2),),
    "PAA-I-ada": (AdaptiveAggressive(),),
    "PAA(thm4)": (ActiveAggressive(where="theorem 4", offset=1.0),),
    "PAA-I(thm4)": (ActiveAggressive(where="theorem 4", remark=LEFT_OUT, step=SOFT_1, offset=1.0),),
    "PAA-II(thm4)": (ActiveAggressive(where="theorem 4", remark=LEFT_OUT, step=SOFT_2, offset=1.0),),
    "MPAA": (ManyClassesAggressive(where="theorem 5", remark=PRINTED),),
    "MPAA-I": (ManyClassesAggressive(where="theorem 5", remark=ANALOGY, step=SOFT_1),),
    "MPAA-II": (ManyClassesAggressive(where="theorem 5", remark=ANALOGY, step=SOFT_2),),
}
