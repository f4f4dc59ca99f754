"""Bounds for passive-aggressive learning in the Mahalanobis distance (Nguyen, Chang and Hui 2011).

The three theorems of the paper are false as printed: there are streams that violate each of them. What follows
from its own update is, with m_t = y_t w_t·x_t, v_t = x_tᵀΣ_{t-1}x_t, e_t = m_t + τ_tv_t - y_t u·x_t and sums over
updates,

    ‖w_t - u‖² in Σ_{t-1}⁻¹ - ‖w_{t+1} - u‖² in Σ_t⁻¹ = 2τ_t(y_t u·x_t - m_t) - τ_t²v_t - e_t²

and from that, with the comparator's losses ℓ*_t and the learner's ℓ_t,

- PAM, ℓ*_t = 0:  Σℓ_t² ≤ max v_t (‖u‖² + Σe_t²)
- PAM-I:          ΣM ≤ max{max v_t, 1/C} (‖u‖² + Σe_t² + 2C Σℓ*_t)
- PAM-II:         Σℓ_t² ≤ (max v_t + 1/(2C)) (‖u‖² + Σe_t² + 2C Σℓ*_t²)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from askance.theory.inputs import Draw, LabelledRows
from askance.theory.passive_aggressive import HARD, SOFT_1, SOFT_2
from askance.theory.theorem import SQUARED_LOSSES, BoundProblem, Terms, Theorem, hinge_firing, squared_losses
from askance.typing import BoolArray, FloatArray

MAHALANOBIS = "Nguyen, Chang, Hui 2011"


class Reached(NamedTuple):
    """For the rounds that updated: v_t, and the margin y_t w_{t+1}·x_t = m_t + τ_t v_t after the step."""

    spreads: FloatArray
    margins: FloatArray


@dataclass(frozen=True)
class Mahalanobis(Theorem):
    """The corrected theorems."""

    paper: str = MAHALANOBIS
    where: str = ""
    remark: str = "corrected: as printed it is false"
    step: str = HARD

    random: ClassVar[bool] = False

    @property
    def hard(self) -> bool:
        """PAM allows no losses."""
        return self.step == HARD

    @property
    def quantity(self) -> str:
        """Mistakes for PAM-I, else the learner's own losses."""
        return super().quantity if self.step == SOFT_1 else SQUARED_LOSSES

    @property
    def learns(self) -> str:
        """When the rule updates."""
        return "a loss"

    @property
    def parameters(self) -> tuple[str, ...]:
        """C, if there is one."""
        return () if self.step == HARD else ("C",)

    def terms(self, problem: BoundProblem) -> Terms:
        """‖u‖."""
        return {"‖u‖": problem.compared.norm}

    def replay(self, problem: BoundProblem, draw: Draw) -> Reached:
        """The spreads of the updates, and the margins after them."""
        chosen = draw.updated
        spreads = update_spreads(problem.rows, chosen)
        margins = (problem.rows.codes * draw.scores)[chosen]
        losses = np.maximum(0.0, 1 - margins)
        if self.step == SOFT_2:
            taus = losses / (spreads + 1 / (2 * problem["C"]))
        else:
            taus = np.divide(losses, spreads, out=np.zeros(len(losses)), where=spreads > 0)
        if self.step == SOFT_1:
            taus = np.minimum(problem["C"], taus)
        return Reached(spreads, margins + taus * spreads)

    def seen(self, problem: BoundProblem, draw: Draw, replayed: Reached) -> Terms:
        """max v, Σe² and the comparator's losses, over the updates."""
        errors = replayed.margins - problem.compared.margins[draw.updated]
        losses = problem.compared.losses()[draw.updated]
        found = {"max v": float(replayed.spreads.max(initial=0.0)), "Σe²": float(errors @ errors)}
        if self.step == SOFT_1:
            found["Σℓ*"] = float(losses.sum())
        if self.step == SOFT_2:
            found["Σℓ*²"] = float(losses @ losses)
        return found

    def unseen(self, problem: BoundProblem) -> None:  # noqa: ARG002
        """None: e_t depends on a run."""
        return

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        price = terms["‖u‖"] ** 2 + terms["Σe²"]
        if self.step == HARD:
            return terms["max v"] * price
        C = problem["C"]
        if self.step == SOFT_1:
            return max(terms["max v"], 1 / C) * (price + 2 * C * terms["Σℓ*"])
        return (terms["max v"] + 1 / (2 * C)) * (price + 2 * C * terms["Σℓ*²"])

    def objective(self, problem: BoundProblem) -> float:
        """The bound as if every row were an update that reaches a margin of 1."""
        margins, losses = problem.compared.margins, problem.compared.losses()
        terms = {"‖u‖": problem.compared.norm, "Σe²": float(((1 - margins) ** 2).sum()), "max v": 1.0}
        return self.value({**terms, "Σℓ*": float(losses.sum()), "Σℓ*²": float(losses @ losses)}, problem)

    def observed(self, problem: BoundProblem, draw: Draw) -> float:
        """Mistakes or losses."""
        return super().observed(problem, draw) if self.step == SOFT_1 else squared_losses(problem, draw)

    def firing(self, problem: BoundProblem, draw: Draw) -> tuple[BoolArray, BoolArray]:
        """ℓ > 0."""
        return hinge_firing(problem, draw)


def update_spreads(rows: LabelledRows, updated: BoolArray) -> FloatArray:
    """v_t = x_tᵀΣ_{t-1}x_t at each update, where Σ_t⁻¹ = I + Σ xxᵀ over the updates so far."""
    sigma = np.eye(rows.width)
    spreads = []
    for t in np.flatnonzero(updated):
        places, x = rows.row(int(t))
        along = sigma[:, places] @ x
        spread = float(along[places] @ x)
        sigma -= np.outer(along, along) / (1 + spread)
        spreads.append(spread)
    return np.array(spreads, np.float64)


THEOREMS: Mapping[str, Sequence[Theorem]] = {
    "PAM": (Mahalanobis(where="theorem 1"),),
    "PAM-I": (Mahalanobis(where="theorem 2", step=SOFT_1),),
    "PAM-II": (Mahalanobis(where="theorem 3", step=SOFT_2),),
}
