"""Theorems 1 and 2 of Zhai, Koriche, Gao, Zhu and Li 2022, on adaptive subgradient methods with few labels.

With b ≥ 2, q = |p| - (η/2) a v, f the hinge loss, H the diagonal matrix of the algorithm and g its subgradients,

    dual averaging:  E ΣM ≤ E ΣZf(u) + (bA₁/(2η)) E tr H - (1/b) E Σ_{q≤0} L
                            + (η/(2b)) E Σ_{q≤0} a‖g‖² + (η/(2b)) E Σ(1-a)‖g‖²
    mirror descent:  the same with E[(A₂ + (b-1)²A₁) tr H] / (ηb) in the second place

where A₁ = ‖u‖_∞², A₂ = max_t ‖u - w_t‖_∞², L marks a correct prediction with a loss, and ‖g‖² is measured by the
inverse of H before the round (dual averaging) or after it (mirror descent). For many classes, traces and norms are
summed over the classes, and A₁ and A₂ are the largest. Features that are 0 in all rows do not count in tr H,
because the run would be the same without them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from askance.theory.inputs import Compared, Draw, LabelledRows
from askance.theory.theorem import BoundProblem, Condition, Terms, Theorem, at_least, hinge_firing
from askance.typing import BoolArray, FloatArray

DISCRIMINATION = "Zhai, Koriche, Gao, Zhu, Li 2022"

BY_MARGIN, DAMPED, WHOLE = "a = 0", "a = 1/max{1, x·x}", "a = 1"


class RunHistory(NamedTuple):
    """The history of a run, recomputed from the rounds that updated."""

    spreads: FloatArray  # v of each round
    before: FloatArray  # ‖g‖² of each round by H_{t-1}⁻¹, 0 without an update
    after: FloatArray  # the same by H_t⁻¹
    trace: float  # tr H_T
    lowest: FloatArray  # the smallest and largest value of each weight before the last round
    highest: FloatArray

    def farthest(self, compared: Compared) -> float:
        """A₂ = max ‖u - w_t‖_∞²."""
        u = np.atleast_2d(compared.u)
        return float(max(np.max(abs(u - self.lowest)), np.max(abs(u - self.highest))) ** 2)


@dataclass(frozen=True)
class Subgradient(Theorem):
    """Theorem 1."""

    paper: str = DISCRIMINATION
    where: str = "theorem 1"
    mirror: bool = False
    weight: str = DAMPED  # a_t

    @property
    def asks(self) -> str:
        """The probability of asking."""
        return f"b/(b + max(q, 0)), {self.weight}"

    @property
    def learns(self) -> str:
        """When the rule updates."""
        return "a loss"

    @property
    def parameters(self) -> tuple[str, ...]:
        """δ, η and b."""
        return ("delta", "eta", "b")

    expected: ClassVar[tuple[str, ...]] = ("ΣZf", "tr H", "Σ_{q≤0} L", "Σ_{q≤0} a‖g‖²", "Σ(1-a)‖g‖²")

    def a(self, rows: LabelledRows) -> FloatArray:
        """a_t."""
        if self.weight == DAMPED:
            return 1 / np.maximum(1.0, rows.squared_norms)
        return np.full(len(rows), 0.0 if self.weight == BY_MARGIN else 1.0)

    def costs(self, problem: BoundProblem) -> FloatArray:
        """The cost of a mistake in each round: 1."""
        return np.ones(len(problem.rows))

    def scales(self, problem: BoundProblem, draw: Draw) -> FloatArray:  # noqa: ARG002
        """b of each round."""
        return np.full(len(problem.rows), problem["b"])

    def losses(self, problem: BoundProblem) -> FloatArray:
        """f(u), from a margin that is the cost."""
        return problem.compared.losses(self.costs(problem))

    def terms(self, problem: BoundProblem) -> Terms:
        """A₁."""
        return {"A₁": float(np.max(abs(problem.compared.u)) ** 2)}

    def replay(self, problem: BoundProblem, draw: Draw) -> RunHistory:
        """H and w, round by round."""
        return history(problem.rows, draw, problem["delta"], problem["eta"], mirror=self.mirror)

    def seen(self, problem: BoundProblem, draw: Draw, replayed: RunHistory) -> Terms:
        """The sums of a run."""
        a, norms = self.a(problem.rows), replayed.after if self.mirror else replayed.before
        sure = self._doubt(problem, draw, replayed) <= 0
        found = {
            "ΣZf": float(self.losses(problem)[draw.asked].sum()),
            "tr H": replayed.trace,
            "Σ_{q≤0} L": float(self.costs(problem)[sure & draw.updated & ~draw.mistakes].sum()),
            "Σ_{q≤0} a‖g‖²": float((a * norms)[sure].sum()),
            "Σ(1-a)‖g‖²": float((1 - a) @ norms),
        }
        if self.mirror:
            found["A₂ tr H"] = replayed.farthest(problem.compared) * replayed.trace
        return found

    def unseen(self, problem: BoundProblem) -> None:  # noqa: ARG002
        """None: H and w depend on a run."""
        return

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        b, eta = problem["b"], problem["eta"]
        size = b * terms["A₁"] / (2 * eta) * terms["tr H"]
        if self.mirror:
            size = (terms["A₂ tr H"] + (b - 1) ** 2 * terms["A₁"] * terms["tr H"]) / (eta * b)
        steps = eta / (2 * b) * (terms["Σ_{q≤0} a‖g‖²"] + terms["Σ(1-a)‖g‖²"])
        return terms["ΣZf"] + size - terms["Σ_{q≤0} L"] / b + steps

    def objective(self, problem: BoundProblem) -> float:
        """The losses and the size of the comparator, as if every row were an update."""
        b, eta, square = problem["b"], problem["eta"], self.terms(problem)["A₁"]
        size = (1 + (b - 1) ** 2) * square / (eta * b) if self.mirror else b * square / (2 * eta)
        return float(self.losses(problem).sum()) + size * largest_trace(problem.rows, problem["delta"])

    def conditions(self, problem: BoundProblem) -> Sequence[Condition]:
        """b ≥ 2."""
        return (at_least("b", problem["b"], 2),)

    def asking(self, problem: BoundProblem, draw: Draw, replayed: RunHistory) -> FloatArray:
        """b/(b + max(q, 0))."""
        b = self.scales(problem, draw)
        return b / (b + np.maximum(0.0, self._doubt(problem, draw, replayed)))

    def firing(self, problem: BoundProblem, draw: Draw) -> tuple[BoolArray, BoolArray]:
        """y p < 1, or less than the cost."""
        return hinge_firing(problem, draw, self.costs(problem))

    def _doubt(self, problem: BoundProblem, draw: Draw, replayed: RunHistory) -> FloatArray:
        """q."""
        return abs(draw.scores) - problem["eta"] / 2 * self.a(problem.rows) * replayed.spreads


@dataclass(frozen=True)
class ManySubgradient(Subgradient):
    """Theorem 2: the same for many classes."""

    where: str = "theorem 2"

    many: ClassVar[bool] = True


def largest_trace(rows: LabelledRows, delta: float) -> float:
    """tr H if every row were an update of every class."""
    squares = rows.X.multiply(rows.X) if hasattr(rows.X, "multiply") else rows.X**2
    lanes = len(rows.classes) if rows.many else 1
    return lanes * (delta * rows.occurring + float(np.sqrt(np.asarray(squares.sum(axis=0))).sum()))


def history(rows: LabelledRows, draw: Draw, delta: float, eta: float, *, mirror: bool) -> RunHistory:
    """Recompute H and w from the formulas of the algorithm and the rounds that updated."""
    shape = (len(rows.classes) if rows.many else 1, rows.width)
    squares, sums, weights, lowest, highest = (np.zeros(shape) for _ in range(5))
    spreads, before, after = (np.zeros(len(rows)) for _ in range(3))
    for t in range(len(rows)):
        places, x = rows.row(t)
        inverse = (x * x / (delta + np.sqrt(squares[:, places]))).sum(axis=1)
        spreads[t] = _spread(inverse, int(draw.predicted[t]), many=rows.many)
        if not draw.updated[t]:
            continue
        for lane, sign in _moved(rows, draw, t, weights[:, places] @ x):
            before[t] += inverse[lane]
            squares[lane, places] += x * x
            diagonal = delta + np.sqrt(squares[lane, places])
            after[t] += float((x * x / diagonal).sum())
            sums[lane, places] += sign * x
            step = eta * sign * x / diagonal
            weights[lane, places] = weights[lane, places] + step if mirror else eta * sums[lane, places] / diagonal
            if t + 1 < len(rows):  # w_{T+1} decides nothing
                lowest[lane, places] = np.minimum(lowest[lane, places], weights[lane, places])
                highest[lane, places] = np.maximum(highest[lane, places], weights[lane, places])
    trace = delta * rows.occurring * shape[0] + float(np.sqrt(squares).sum())
    return RunHistory(spreads, before, after, trace, lowest, highest)


def _spread(inverse: FloatArray, predicted: int, *, many: bool) -> float:
    """xᵀH⁻¹x; for many classes, that of the prediction plus the largest of the others."""
    if not many:
        return float(inverse[0])
    return float(inverse[predicted] + np.delete(inverse, predicted).max())


def _moved(rows: LabelledRows, draw: Draw, t: int, scores: FloatArray) -> list[tuple[int, float]]:
    """The classes that an update moves, with +1 towards the row or -1 away from it."""
    if not rows.many:
        return [(0, float(rows.codes[t]))]
    label = int(rows.codes[t])
    if draw.mistakes[t]:
        return [(label, 1.0), (int(draw.predicted[t]), -1.0)]
    scores[label] = -np.inf
    return [(label, 1.0), (int(np.argmax(scores)), -1.0)]


def _named(prefix: str, kind: type[Subgradient]) -> dict[str, Sequence[Theorem]]:
    """M-ADA, D-ADA, D-ADA-I and the same with AMD."""
    return {
        f"{prefix}{first}-{method}{last}": (kind(mirror=method == "AMD", weight=weight),)
        for method in ("ADA", "AMD")
        for first, last, weight in (("M", "", BY_MARGIN), ("D", "", DAMPED), ("D", "-I", WHOLE))
    }


THEOREMS: Mapping[str, Sequence[Theorem]] = {**_named("", Subgradient), **_named("M", ManySubgradient)}
