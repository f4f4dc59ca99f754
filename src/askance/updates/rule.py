"""What an update rule is."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike

from askance.limits import Limits
from askance.rows import Seen, State


class UpdateRule(Protocol):
    """How to learn from a label: a named tuple of hyper-parameters with these methods.

    `start` and `limits` run in plain Python, `step` in compiled code too, where it must be free of branches:
    `askance.engine.choose` has what to use instead of `if`.
    """

    def start(self, width: int, dtype: DTypeLike) -> State:
        """The state before the first label."""

    def step(self, seen: Seen, label: float) -> tuple[bool, Any]:
        """Whether the rule fires on a row of this `label` (+1 or -1), and the step it then takes."""

    def limits(self) -> Limits:
        """The allowed values of the hyper-parameters."""


def widened(state: State, rule: UpdateRule, width: int, dtype: np.dtype[Any]) -> State:
    """The same state with room for `width` features; those never seen start as the rule starts them."""
    wider = rule.start(width, dtype)
    for old, new in zip(state, wider, strict=True):  # type: ignore[call-overload]
        new[: len(old)] = old
    return wider
