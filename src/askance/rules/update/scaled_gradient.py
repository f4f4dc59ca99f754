"""A rule whose gradients are multiplied by the weight of a row."""

from typing import Any, NamedTuple

import numpy as np

from askance._util.parameters import POSITIVE, Constraints
from askance.rules.rows import Seen


class ScaledGradient(NamedTuple):
    """The steps of `rule`, which are along -y x, along -weight · y x instead. Scores are those of the row itself.

    `Machine.learn` uses it for labels with a weight; no learner is made of it.
    """

    rule: Any
    weight: float

    def step(self, seen: Seen, label: float) -> tuple[bool, Any]:
        """The step of the rule."""
        return self.rule.step(seen, label)

    def constraints(self) -> Constraints:
        """weight > 0."""
        return {"weight": POSITIVE}

    def state_of(self, state: Any) -> "Scaled":
        """Return a view of the rule's state that moves along multiples of rows."""
        return Scaled(state, state[0].dtype.type(self.weight))


class Scaled(NamedTuple):
    """A state that moves along weight · x."""

    state: Any
    weight: np.floating

    def terms(self, j: int, x: float) -> tuple[float, float]:
        """As the state."""
        return self.state.terms(j, x)

    def margin(self, total: float, spread: float) -> float:
        """As the state."""
        return self.state.margin(total, spread)

    def timed(self, step: Any) -> Any:
        """As the state."""
        return self.state.timed(step)

    def tick(self) -> None:
        """As the state."""
        self.state.tick()

    def move(self, j: int, x: float, step: Any) -> None:
        """Move as if the value were weight · x."""
        self.state.move(j, self.weight * x, step)
