"""What a theorem is: a formula over named terms, and the conditions under which it holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.theory.inputs import Compared, Draw, Flags, Floats, Labelled

Terms = Mapping[str, float]
"""The ingredients of a bound, by the symbols of the papers."""

MISTAKES = "mistakes"
SQUARED_LOSSES = "sum of squared losses"

# How far figures may lie from those of the formulas: single precision is summed in any order.
CLOSE, CLOSE_IN_FLOAT32 = 1e-6, 2e-3
ROUNDING = 1e-9


class Condition(NamedTuple):
    """What a theorem asks for, whether it holds, and what was found."""

    demand: str
    holds: bool
    found: str


@dataclass(frozen=True, eq=False)
class Problem:
    """The rows, the comparator as it sees them, and the parameters of the algorithm by name."""

    rows: Labelled
    compared: Compared
    parameters: Mapping[str, float]

    def __getitem__(self, name: str) -> float:
        return self.parameters[name]


@dataclass(frozen=True)
class Theorem:
    """A theorem of a paper. `remark` says where it departs from what is printed, and why."""

    paper: str
    where: str
    remark: str = ""

    random: ClassVar[bool] = True  # whether it is about the expectation over the coins
    from_below: ClassVar[bool] = False  # whether the quantity is at least the bound, not at most
    expected: ClassVar[tuple[str, ...]] = ()  # the terms that are themselves expectations
    many: ClassVar[bool] = False
    in_simplex: ClassVar[bool] = False  # whether the comparator must be

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
        """When the rule fires."""
        return "a mistake"

    @property
    def parameters(self) -> tuple[str, ...]:
        """What has to be known of the algorithm."""
        return ()

    @property
    def options(self) -> Mapping[str, float]:
        """What may be chosen freely, with defaults."""
        return {}

    def margin(self, rows: Labelled, parameters: Mapping[str, float]) -> float:  # noqa: ARG002
        """The margin from which the comparator's losses are measured."""
        return 1.0

    # ------------------------------------------------------------------ the formula

    def terms(self, problem: Problem) -> Terms:
        """What the stream and the comparator give."""
        raise NotImplementedError

    def replay(self, problem: Problem, draw: Draw) -> Any:  # noqa: ARG002
        """What has to be recomputed of a run, whatever the comparator."""
        return None

    def seen(self, problem: Problem, draw: Draw, replayed: Any) -> Terms:  # noqa: ARG002
        """What one run gives; expectations are means of it."""
        return {}

    def unseen(self, problem: Problem) -> Terms | None:  # noqa: ARG002
        """Upper bounds of what a run can give; None if there are none."""
        return {}

    def value(self, terms: Terms, problem: Problem) -> float:
        """The bound."""
        raise NotImplementedError

    def best(self, terms: Terms, problem: Problem) -> Terms:  # noqa: ARG002
        """The parameter that would make the bound smallest, all else equal, and the `bound` that it gives."""
        return {}

    def objective(self, problem: Problem) -> float:
        """What a good comparator makes small. It sees no run: a comparator must not depend on the coins."""
        unseen = self.unseen(problem)
        assert unseen is not None
        return self.value({**self.terms(problem), **unseen}, problem)

    # ------------------------------------------------------------------ what it is about

    def observed(self, problem: Problem, draw: Draw) -> float:  # noqa: ARG002
        """The quantity that is bounded, as it was in a run."""
        return float(np.count_nonzero(draw.mistakes))

    def conditions(self, problem: Problem) -> Sequence[Condition]:
        """What the theorem asks of parameters, rows and comparator."""
        return (separates(problem),) if self.hard else ()

    def asking(self, problem: Problem, draw: Draw, replayed: Any) -> Floats:  # noqa: ARG002
        """The probabilities of asking that the theorem is about."""
        return np.ones(len(draw.scores))

    def firing(self, problem: Problem, draw: Draw) -> tuple[Flags, Flags]:  # noqa: ARG002
        """Where a label makes the rule learn; and where that does not hang on the last bits."""
        return draw.mistakes, np.ones(len(draw.scores), np.bool_)

    def check_comparator(self, problem: Problem) -> None:
        """ValueError if the theorem does not know such comparators."""

    def check_parameters(self, parameters: Mapping[str, float]) -> None:
        """ValueError if a parameter is outside what the algorithm allows."""


def margin_asking(scale: float, draw: Draw, offset: float = 0.0) -> Floats:
    """scale / (scale + offset + |p|)."""
    return scale / (scale + offset + abs(draw.scores))


def hinge_firing(problem: Problem, draw: Draw, margin: float | Floats = 1.0) -> tuple[Flags, Flags]:
    """Where y p < margin; of many classes, where the guess is wrong or ahead by less."""
    if problem.rows.many:
        fires = draw.mistakes | (draw.scores < margin)
        return fires, draw.mistakes | (abs(draw.scores - margin) > CLOSE)
    distance = margin - problem.rows.codes * draw.scores
    return distance > 0, abs(distance) > CLOSE


def squared_losses(problem: Problem, draw: Draw) -> float:
    """Σ ℓ_t², of the learner's own hinge losses."""
    losses = np.maximum(0.0, 1.0 - problem.rows.codes * draw.scores)
    return float(losses @ losses)


def at_least(symbol: str, value: float, least: float) -> Condition:
    """symbol ≥ least."""
    return Condition(f"{symbol} ≥ {least:g}", value >= least, f"{symbol} = {value:g}")


def separates(problem: Problem) -> Condition:
    """ℓ_t(u) = 0 on all rows."""
    least = float(problem.compared.margins.min())
    demand = "the comparator has a margin of 1 on all rows"
    return Condition(demand, least >= 1 - ROUNDING, f"the smallest is {least:.4g}")


def trace_conditions(theorem: Theorem, problem: Problem, draws: Sequence[tuple[Draw, Any]]) -> list[Condition]:
    """Whether the runs are of the algorithm that the theorem is about."""
    if not draws:
        return []
    begun = sum(draw.from_start for draw, _ in draws)
    asked = [
        ~_close(draw.probabilities, theorem.asking(problem, draw, replayed), draw) for draw, replayed in draws
    ]
    learned = [_mislearned(theorem, problem, draw) for draw, _ in draws]
    demands = {
        f"labels are asked for with probability {theorem.asks}": np.concatenate(asked),
        f"what is asked is learned from on {theorem.learns}": np.concatenate(learned),
    }
    return [
        Condition("the trace begins with the first round", begun == len(draws), f"{begun} of {len(draws)} do"),
        *(Condition(demand, not wrong.any(), _not_so(wrong)) for demand, wrong in demands.items()),
    ]


def _close(found: Floats, wanted: Floats, draw: Draw) -> NDArray[np.bool_]:
    return np.isclose(found, wanted, rtol=CLOSE if draw.exact else CLOSE_IN_FLOAT32, atol=CLOSE)


def _mislearned(theorem: Theorem, problem: Problem, draw: Draw) -> Flags:
    fires, surely = theorem.firing(problem, draw)
    return surely & (draw.updated != (draw.asked & fires))


def _not_so(wrong: Flags) -> str:
    count = np.count_nonzero(wrong)
    return f"not so in {count:,} of {len(wrong):,} rounds" if count else "so in all rounds"
