"""The query rules, each set to spend a number of labels on a stream."""

from typing import Any, NamedTuple

from askance._util.parameters import Constraints
from askance.rules.query import (
    IWAL,
    Adaptive,
    Always,
    AtRate,
    Decaying,
    Discrimination,
    FixedUncertainty,
    LeastCertain,
    Margin,
    Random,
    RandomVariableUncertainty,
    Split,
    SpreadMargin,
    VariableUncertainty,
    Within,
)
from askance.rules.rows import Seen

# In the order of the fields of `OneOf`. `Always` spends its labels on the first rows.
NAMES = (
    *("Always", "Random", "Margin", "Adaptive", "Decaying", "Discrimination", "SpreadMargin", "LeastCertain"),
    *("FixedUncertainty", "VariableUncertainty", "RandomVariableUncertainty", "Split", "IWAL"),
)
NEED_SPREAD = ("Discrimination", "SpreadMargin")
BURST = 20  # the labels that `LeastCertain` may ask for ahead of the rate


class Memories(NamedTuple):
    """The memory of every rule of `OneOf`."""

    always: Any
    random: Any
    by_margin: Any
    adaptive: Any
    decaying: Any
    discrimination: Any
    spread_margin: Any
    least_certain: Any
    fixed: Any
    variable: Any
    random_variable: Any
    split: Any
    iwal: Any


class OneOf(NamedTuple):
    """One of the query rules, chosen by its number when it runs.

    A pass is compiled for the types of its rules. This one type stands for all query rules, so that an update rule
    is compiled once rather than thirteen times.
    """

    number: int
    always: Any
    random: Any
    by_margin: Any
    adaptive: Any
    decaying: Any
    discrimination: Any
    spread_margin: Any
    least_certain: Any
    fixed: Any
    variable: Any
    random_variable: Any
    split: Any
    iwal: Any

    def start(self) -> Memories:
        """Return the memories of all of them."""
        return Memories(*(rule.start() for rule in self[1:]))

    def ask(self, memory: Memories, seen: Seen, coin: float) -> float:
        """Return what the chosen rule returns."""
        probability = 1.0
        if self.number == 0:
            probability = self.always.ask(memory.always, seen, coin)
        elif self.number == 1:
            probability = self.random.ask(memory.random, seen, coin)
        elif self.number == 2:
            probability = self.by_margin.ask(memory.by_margin, seen, coin)
        elif self.number == 3:
            probability = self.adaptive.ask(memory.adaptive, seen, coin)
        elif self.number == 4:
            probability = self.decaying.ask(memory.decaying, seen, coin)
        elif self.number == 5:
            probability = self.discrimination.ask(memory.discrimination, seen, coin)
        elif self.number == 6:
            probability = self.spread_margin.ask(memory.spread_margin, seen, coin)
        elif self.number == 7:
            probability = self.least_certain.ask(memory.least_certain, seen, coin)
        elif self.number == 8:
            probability = self.fixed.ask(memory.fixed, seen, coin)
        elif self.number == 9:
            probability = self.variable.ask(memory.variable, seen, coin)
        elif self.number == 10:
            probability = self.random_variable.ask(memory.random_variable, seen, coin)
        elif self.number == 11:
            probability = self.split.ask(memory.split, seen, coin)
        else:
            probability = self.iwal.ask(memory.iwal, seen, coin)
        return probability

    def constraints(self) -> Constraints:
        """None of its own."""
        return {}


def question(name: str, update: Any, budget: int, rows: int) -> Within:
    """The query rule of this name that spends about `budget` labels on a stream, and never more.

    Rules without a rate of their own are steered to it by `AtRate`.
    """
    rate = budget / rows
    eta, gamma = float(getattr(update, "eta", 1.0)), float(getattr(update, "gamma", 1.0))
    burst = float(min(BURST, budget // 2))
    steered = (Margin(), Adaptive(), Decaying(), Discrimination(eta=eta), SpreadMargin(eta=eta, gamma=gamma))
    return Within(
        OneOf(
            NAMES.index(name),
            Always(),
            Random(rate),
            *(AtRate(rule, rate) for rule in steered),
            LeastCertain(max(1e-6, (budget - burst) / rows), burst=burst),
            AtRate(FixedUncertainty(rate=rate), rate),
            VariableUncertainty(rate),
            RandomVariableUncertainty(rate),
            Split(rate),
            AtRate(IWAL(), rate),
        ),
        limit=float(budget),
    )
