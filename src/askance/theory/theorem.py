"""Theorems: a formula over named terms, and the conditions under which it holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from askance.theory.inputs import Compared, Draw, LabelledRows
from askance.typing import BoolArray, FloatArray

Terms = Mapping[str, float]
"""The ingredients of a bound, by the symbols of the papers."""

MISTAKES = "mistakes"
SQUARED_LOSSES = "sum of squared losses"

# Tolerances for comparing a run with the formulas: single precision is summed in any order.
CLOSE, CLOSE_IN_FLOAT32 = 1e-6, 2e-3
ROUNDING = 1e-9


class Condition(NamedTuple):
    """A condition of a theorem.

    Attributes
    ----------
    demand : str
        The condition in words.
    holds : bool
        Whether it holds.
    found : str
        What was found.
    """

    demand: str
    holds: bool
    found: str


@dataclass(frozen=True, eq=False)
class BoundProblem:
    """The rows, the comparator with its margins, and the parameters of the algorithm by name."""

    rows: LabelledRows
    compared: Compared
    parameters: Mapping[str, float]

    def __getitem__(self, name: str) -> float:
        return self.parameters[name]


@dataclass(frozen=True)
class Theorem:
    """A theorem of a paper.

    Attributes
    ----------
    paper, where : str
        The paper, and the number of the theorem in it.
    remark : str
        Where it differs from what is printed, and why.
    """

    paper: str
    where: str
    remark: str = ""

    random: ClassVar[bool] = True  # whether it is about the expectation over the coins
    from_below: ClassVar[bool] = False  # whether the quantity is at least the bound instead of at most
    expected: ClassVar[tuple[str, ...]] = ()  # the terms that are themselves expectations
    many: ClassVar[bool] = False
    in_simplex: ClassVar[bool] = False  # whether the comparator must be in the simplex

    @property
    def hard(self) -> bool:
        """Whether the comparator must have a margin of 1 on all rows."""
        return False

    @property
    def quantity(self) -> str:
        """What is bounded."""
        return MISTAKES

    @property
    def asks(self) -> str:
        """The probability of asking."""
        return "1"

    @property
    def learns(self) -> str:
        """When the rule updates."""
        return "a mistake"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of the algorithm that the bound depends on."""
        return ()

    @property
    def options(self) -> Mapping[str, float]:
        """Parameters of the bound that may be chosen freely, with defaults."""
        return {}

    def margin(self, rows: LabelledRows, parameters: Mapping[str, float]) -> float:  # noqa: ARG002
        """The margin of the losses of the comparator."""
        return 1.0

    # ------------------------------------------------------------------ the formula

    def terms(self, problem: BoundProblem) -> Terms:
        """The terms that depend on the stream and the comparator."""
        raise NotImplementedError

    def replay(self, problem: BoundProblem, draw: Draw) -> Any:  # noqa: ARG002
        """What has to be recomputed from a run, for any comparator."""
        return None

    def seen(self, problem: BoundProblem, draw: Draw, replayed: Any) -> Terms:  # noqa: ARG002
        """The terms that depend on a run; expectations are means over runs."""
        return {}

    def unseen(self, problem: BoundProblem) -> Terms | None:  # noqa: ARG002
        """Upper bounds of the terms that depend on a run; None if there are none."""
        return {}

    def value(self, terms: Terms, problem: BoundProblem) -> float:
        """The bound."""
        raise NotImplementedError

    def best(self, terms: Terms, problem: BoundProblem) -> Terms:  # noqa: ARG002
        """The parameter with the smallest bound, all else equal, and that `bound`."""
        return {}

    def objective(self, problem: BoundProblem) -> float:
        """What a good comparator makes small. It uses no run, because comparators must not depend on coins."""
        unseen = self.unseen(problem)
        assert unseen is not None
        return self.value({**self.terms(problem), **unseen}, problem)

    # ------------------------------------------------------------------ quantity and conditions

    def observed(self, problem: BoundProblem, draw: Draw) -> float:  # noqa: ARG002
        """The bounded quantity in a run."""
        return float(np.count_nonzero(draw.mistakes))

    def conditions(self, problem: BoundProblem) -> Sequence[Condition]:
        """The conditions on parameters, rows and comparator."""
        return (separates(problem),) if self.hard else ()

    def asking(self, problem: BoundProblem, draw: Draw, replayed: Any) -> FloatArray:  # noqa: ARG002
        """The probabilities of asking that the theorem assumes."""
        return np.ones(len(draw.scores))

    def firing(self, problem: BoundProblem, draw: Draw) -> tuple[BoolArray, BoolArray]:  # noqa: ARG002
        """Where a label makes the rule update, and where that does not depend on the last bits."""
        return draw.mistakes, np.ones(len(draw.scores), np.bool_)

    def check_comparator(self, problem: BoundProblem) -> None:
        """Raise ValueError if the comparator is not allowed."""

    def check_parameters(self, parameters: Mapping[str, float]) -> None:
        """Raise ValueError if a parameter is not allowed."""


def margin_asking(scale: float, draw: Draw, offset: float = 0.0) -> FloatArray:
    """scale / (scale + offset + |p|)."""
    return scale / (scale + offset + abs(draw.scores))


def hinge_firing(
    problem: BoundProblem, draw: Draw, margin: float | FloatArray = 1.0
) -> tuple[BoolArray, BoolArray]:
    """Where y p < margin; for many classes, where the prediction is wrong or its lead is smaller."""
    if problem.rows.many:
        fires = draw.mistakes | (draw.scores < margin)
        return fires, draw.mistakes | (abs(draw.scores - margin) > CLOSE)
    distance = margin - problem.rows.codes * draw.scores
    return distance > 0, abs(distance) > CLOSE


def squared_losses(problem: BoundProblem, draw: Draw) -> float:
    """Σ ℓ_t² of the hinge losses of the learner."""
    losses = np.maximum(0.0, 1.0 - problem.rows.codes * draw.scores)
    return float(losses @ losses)


def at_least(symbol: str, value: float, least: float) -> Condition:
    """symbol ≥ least."""
    return Condition(f"{symbol} ≥ {least:g}", value >= least, f"{symbol} = {value:g}")


def separates(problem: BoundProblem) -> Condition:
    """ℓ_t(u) = 0 on all rows."""
    least = float(problem.compared.margins.min())
    demand = "the comparator has a margin of 1 on all rows"
    return Condition(demand, least >= 1 - ROUNDING, f"the smallest is {least:.4g}")


def trace_conditions(
    theorem: Theorem, problem: BoundProblem, draws: Sequence[tuple[Draw, Any]]
) -> list[Condition]:
    """Whether the runs are those of the algorithm that the theorem is about."""
    if not draws:
        return []
    begun = sum(draw.from_start for draw, _ in draws)
    asked = [
        ~_close(draw.ask_probabilities, theorem.asking(problem, draw, replayed), draw) for draw, replayed in draws
    ]
    learned = [_mislearned(theorem, problem, draw) for draw, _ in draws]
    demands = {
        f"labels are asked for with probability {theorem.asks}": np.concatenate(asked),
        f"asked labels lead to an update on {theorem.learns}": np.concatenate(learned),
    }
    return [
        Condition("the trace starts at the first round", begun == len(draws), f"{begun} of {len(draws)} do"),
        *(Condition(demand, not wrong.any(), _rounds_where(wrong)) for demand, wrong in demands.items()),
    ]


def _close(found: FloatArray, wanted: FloatArray, draw: Draw) -> BoolArray:
    return np.isclose(found, wanted, rtol=CLOSE if draw.exact else CLOSE_IN_FLOAT32, atol=CLOSE)


def _mislearned(theorem: Theorem, problem: BoundProblem, draw: Draw) -> BoolArray:
    fires, surely = theorem.firing(problem, draw)
    return surely & (draw.updated != (draw.asked & fires))


def _rounds_where(wrong: BoolArray) -> str:
    count = np.count_nonzero(wrong)
    return f"not in {count:,} of {len(wrong):,} rounds" if count else "in all rounds"
