"""The theorems of Cesa-Bianchi, Gentile and Zaniboni 2006, on selective sampling.

γ is the margin of the losses of the comparator, ℓ_t = max(0, γ - y_t u·x_t); L̄ is their expected sum over the
rounds that updated the weights.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from askance.algorithms.entry import SELECTIVE
from askance.theory.inputs import Draw, LabelledRows
from askance.theory.theorem import ROUNDING, BoundProblem, Terms, Theorem, margin_asking
from askance.typing import BoolArray, FloatArray


@dataclass(frozen=True)
class Selective(Theorem):
    """What the theorems of the paper share."""

    paper: str = SELECTIVE
    where: str = ""

    expected: ClassVar[tuple[str, ...]] = ("L̄",)

    @property
    def asks(self) -> str:
        """The probability of asking."""
        return "b/(b + |p|)"

    @property
    def options(self) -> Mapping[str, float]:
        """γ = 1: a longer comparator has the effect of a smaller margin."""
        return {"gamma": 1.0}

    def terms(self, problem: BoundProblem) -> Terms:
        """X = max ‖x‖ and ‖u‖."""
        return {"X": problem.rows.longest, "‖u‖": problem.compared.norm}

    def margin(self, rows: LabelledRows, parameters: Mapping[str, float]) -> float:  # noqa: ARG002
        """γ."""
        return parameters["gamma"]

    def losses(self, problem: BoundProblem) -> FloatArray:
        """ℓ_t."""
        return problem.compared.losses(self.margin(problem.rows, problem.parameters))

    def seen(self, problem: BoundProblem, draw: Draw, replayed: Any) -> Terms:  # noqa: ARG002
        """The losses on the rounds that updated."""
        return {"L̄": float(self.losses(problem)[draw.updated].sum())}

    def unseen(self, problem: BoundProblem) -> Terms:
        """The losses on all rounds."""
        return {"L̄": float(self.losses(problem).sum())}


@dataclass(frozen=True)
class SelectivePerceptron(Selective):
    """Theorem 1: E ΣM ≤ (1 + X²/(2b)) L̄/γ + ‖u‖² (2b + X²)² / (8bγ²)."""

    where: str = "theorem 1"
    scale: str = "b"  # the name of b in the algorithm

    @property
    def asks(self) -> str:
        """The probability of asking."""
        return "δ/(δ + |p|)" if self.scale == "delta" else super().asks

    @property
    def parameters(self) -> tuple[str, ...]:
        """b."""
        return (self.scale,)

    def b(self, problem: BoundProblem) -> float:
        """b."""
        return problem[self.scale]

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        b, gamma, square = self.b(problem), problem["gamma"], terms["X"] ** 2
        length = terms["‖u‖"] / gamma
        return (1 + square / (2 * b)) * terms["L̄"] / gamma + (length * (2 * b + square)) ** 2 / (8 * b)

    def best(self, terms: Terms, problem: BoundProblem) -> Terms:
        """b = (X²/2) √(1 + 4 (γ/(‖u‖X))² L̄/γ)."""
        ratio = terms["‖u‖"] * terms["X"] / problem["gamma"]
        if not ratio:
            return {}
        loss = terms["L̄"] / problem["gamma"]
        b = terms["X"] ** 2 / 2 * math.sqrt(1 + 4 * loss / ratio**2)
        return {self.scale: b * problem[self.scale] / self.b(problem), "bound": solved(loss, ratio)}

    def asking(self, problem: BoundProblem, draw: Draw, replayed: Any) -> FloatArray:  # noqa: ARG002
        """b/(b + |p|)."""
        return margin_asking(problem[self.scale], draw)


@dataclass(frozen=True)
class SelectivePNorm(SelectivePerceptron):
    """Theorem 1 with X² = (p - 1) max ‖x‖_p² and ‖u‖_q, 1/p + 1/q = 1; a step η is a scale b/η."""

    where: str = "section 3"
    remark: str = "the paper says that theorem 1 extends to this family, without details"

    @property
    def parameters(self) -> tuple[str, ...]:
        """b, η and p."""
        return (self.scale, "eta", "p")

    def b(self, problem: BoundProblem) -> float:
        """b/η: all scores are η times those of a step of 1."""
        return problem[self.scale] / problem["eta"]

    def terms(self, problem: BoundProblem) -> Terms:
        """X = √(p - 1) max ‖x‖_p and ‖u‖_q."""
        p = problem["p"]
        norm = float(np.linalg.norm(problem.compared.u, p / (p - 1)))
        return {"X": math.sqrt(p - 1) * problem.rows.longest_in(p), "‖u‖": norm}

    def check_parameters(self, parameters: Mapping[str, float]) -> None:
        """p ≥ 2."""
        if parameters["p"] < 2:
            raise ValueError(f"p must be 2 or more, not {parameters['p']:g}")


@dataclass(frozen=True)
class FullLabelPerceptron(Selective):
    """Equation 1, the Perceptron's own bound: L/γ + R²/2 + R √(L/γ + R²/4), with R = ‖u‖X/γ."""

    where: str = "equation 1"

    random: ClassVar[bool] = False
    expected: ClassVar[tuple[str, ...]] = ()

    @property
    def asks(self) -> str:
        """Always."""
        return "1"

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        gamma = problem["gamma"]
        return solved(terms["L̄"] / gamma, terms["‖u‖"] * terms["X"] / gamma)


@dataclass(frozen=True)
class AdaptivePerceptron(Selective):
    """Theorem 2: E ΣM ≤ A + B²/2 + B √(A + B²/4), A = L̄/γ + R/(2β), B = R + (1 + 3R/2)/β, R = ‖u‖X/γ."""

    where: str = "theorem 2"

    @property
    def asks(self) -> str:
        """The probability of asking."""
        return "b/(b + |p|), b = βX²√(1 + K)"

    @property
    def parameters(self) -> tuple[str, ...]:
        """β."""
        return ("beta",)

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        beta, gamma = problem["beta"], problem["gamma"]
        ratio = terms["‖u‖"] * terms["X"] / gamma
        return solved(terms["L̄"] / gamma + ratio / (2 * beta), ratio + (1 + 1.5 * ratio) / beta)

    def asking(self, problem: BoundProblem, draw: Draw, replayed: Any) -> FloatArray:  # noqa: ARG002
        """b from the updates so far: their number K, and X², the largest x·x of them and of this row."""
        norms = problem.rows.squared_norms
        longest = np.maximum.accumulate(np.where(draw.updated, norms, 0.0))
        square = np.maximum(norms, np.concatenate([[0.0], longest[:-1]]))
        count = np.concatenate([[0], np.cumsum(draw.updated)[:-1]])
        b = problem["beta"] * square * np.sqrt(1 + count)
        return np.divide(b, b + abs(draw.scores), out=np.zeros(len(b)), where=b > 0)


@dataclass(frozen=True)
class SelectiveSecondOrder(Selective):
    """Theorem 3: E ΣM ≤ L̄/γ + (b/(2γ²)) uᵀE[A]u + (1/(2b)) E ln det A, A = I + Σ xxᵀ over updates."""

    where: str = "theorem 3"

    expected: ClassVar[tuple[str, ...]] = ("L̄", "uᵀAu", "ln det A")

    @property
    def parameters(self) -> tuple[str, ...]:
        """b."""
        return ("b",)

    def terms(self, problem: BoundProblem) -> Terms:
        """‖u‖."""
        return {"‖u‖": problem.compared.norm}

    def seen(self, problem: BoundProblem, draw: Draw, replayed: Any) -> Terms:
        """A of the updates."""
        return {**super().seen(problem, draw, replayed), **_correlation(problem, draw.updated)}

    def unseen(self, problem: BoundProblem) -> Terms:
        """A of all rounds."""
        return {**super().unseen(problem), **_correlation(problem, np.ones(len(problem.rows), np.bool_))}

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        b, gamma = problem["b"], problem["gamma"]
        return terms["L̄"] / gamma + b * terms["uᵀAu"] / (2 * gamma**2) + terms["ln det A"] / (2 * b)

    def best(self, terms: Terms, problem: BoundProblem) -> Terms:
        """b = γ √(E ln det A / uᵀE[A]u)."""
        if not terms["uᵀAu"] or not terms["ln det A"]:
            return {}
        b = problem["gamma"] * math.sqrt(terms["ln det A"] / terms["uᵀAu"])
        return {"b": b, "bound": _tuned(terms, problem)}

    def objective(self, problem: BoundProblem) -> float:
        """Without ln det A, which is the same for all comparators and slow to compute."""
        terms = {**Selective.unseen(self, problem), **_stretch(problem, np.ones(len(problem.rows), np.bool_))}
        return self.value({**terms, "ln det A": 0.0}, problem)

    def asking(self, problem: BoundProblem, draw: Draw, replayed: Any) -> FloatArray:  # noqa: ARG002
        """b/(b + |p|)."""
        return margin_asking(problem["b"], draw)


@dataclass(frozen=True)
class FullSecondOrder(SelectiveSecondOrder):
    """Equation 13, for the second-order Perceptron with all labels: L/γ + √(uᵀAu · ln det A) / γ."""

    where: str = "equation 13"

    random: ClassVar[bool] = False
    expected: ClassVar[tuple[str, ...]] = ()

    @property
    def asks(self) -> str:
        """Always."""
        return "1"

    @property
    def parameters(self) -> tuple[str, ...]:
        """No parameters."""
        return ()

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        return _tuned(terms, problem)

    def best(self, terms: Terms, problem: BoundProblem) -> Terms:  # noqa: ARG002
        """There is nothing to tune."""
        return {}

    def objective(self, problem: BoundProblem) -> float:
        """With ln det A = 1, because it is slow to compute."""
        terms = {**Selective.unseen(self, problem), **_stretch(problem, np.ones(len(problem.rows), np.bool_))}
        return self.value({**terms, "ln det A": 1.0}, problem)

    def asking(self, problem: BoundProblem, draw: Draw, replayed: Any) -> FloatArray:
        """1."""
        return Theorem.asking(self, problem, draw, replayed)


@dataclass(frozen=True)
class SelectiveWinnow(Selective):
    """Theorem 4: E ΣM ≤ L̄/(αγ) + X_∞² ln d / (2α(1-α)γ²) where b = αγ, η = 2(1-α)γ/X_∞², u in the simplex.

    b and η determine α and γ: γ = b + ηX_∞²/2, α = b/γ.
    """

    where: str = "theorem 4"

    in_simplex: ClassVar[bool] = True

    @property
    def parameters(self) -> tuple[str, ...]:
        """b and η."""
        return ("b", "eta")

    @property
    def options(self) -> Mapping[str, float]:
        """γ follows from b and η."""
        return {}

    def margin(self, rows: LabelledRows, parameters: Mapping[str, float]) -> float:
        """γ = b + ηX_∞²/2."""
        return parameters["b"] + parameters["eta"] * rows.largest**2 / 2

    def terms(self, problem: BoundProblem) -> Terms:
        """X_∞, d, γ and α."""
        gamma = self.margin(problem.rows, problem.parameters)
        return {
            "X_∞": problem.rows.largest,
            "d": float(problem.rows.width),
            "γ": gamma,
            "α": problem["b"] / gamma,
        }

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound, which is (L̄ + ln d / η) / b."""
        # (1 - α)γ = ηX_∞²/2 avoids a division by 0 if all rows are 0.
        return (terms["L̄"] + math.log(terms["d"]) / problem["eta"]) / problem["b"]

    def asking(self, problem: BoundProblem, draw: Draw, replayed: Any) -> FloatArray:  # noqa: ARG002
        """b/(b + |p|)."""
        return margin_asking(problem["b"], draw)

    def check_comparator(self, problem: BoundProblem) -> None:
        """Raise ValueError if the comparator is not in the simplex."""
        u = problem.compared.u
        if u.min() < -ROUNDING or abs(u.sum() - 1) > ROUNDING * len(u) + ROUNDING:
            raise ValueError(
                f"the comparator must lie in the simplex, but its smallest entry is {u.min():.4g} "
                f"and the sum is {u.sum():.6g}: all must be 0 or more, with sum 1"
            )


def solved(loss: float, factor: float) -> float:
    """The largest M with M ≤ loss + factor √M."""
    return loss + factor**2 / 2 + factor * math.sqrt(loss + factor**2 / 4)


def _stretch(problem: BoundProblem, chosen: BoolArray) -> Terms:
    return {"uᵀAu": float(problem.compared.norm**2 + (problem.compared.margins[chosen] ** 2).sum())}


def _correlation(problem: BoundProblem, chosen: BoolArray) -> Terms:
    return {**_stretch(problem, chosen), "ln det A": log_determinant(problem.rows.rows(chosen))}


def log_determinant(rows: Any) -> float:
    """ln det(I + Σ xxᵀ), from the smaller of the two matrices with this determinant."""
    products = rows.T @ rows if rows.shape[1] <= rows.shape[0] else rows @ rows.T
    dense = products.toarray() if hasattr(products, "toarray") else products
    return float(np.linalg.slogdet(np.eye(dense.shape[0]) + dense)[1])


def _tuned(terms: Terms, problem: BoundProblem) -> float:
    """Equation 13."""
    return (terms["L̄"] + math.sqrt(terms["uᵀAu"] * terms["ln det A"])) / problem["gamma"]


THEOREMS: Mapping[str, Sequence[Theorem]] = {
    "PE": (FullLabelPerceptron(),),
    "PEA": (SelectivePerceptron(scale="delta"),),
    "LEPE": (SelectivePerceptron(scale="delta"),),
    "SEL-P": (SelectivePerceptron(),),
    "SEL-ADA": (AdaptivePerceptron(),),
    "SEL-2ND": (SelectiveSecondOrder(),),
    "SOP": (FullSecondOrder(),),
    "SEL-WINNOW": (SelectiveWinnow(),),
    "SEL-PNORM": (SelectivePNorm(),),
}
