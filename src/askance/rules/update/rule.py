"""What an update rule is."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike

from askance._util.parameters import Constraints
from askance.rules.rows import Seen
from askance.rules.state.linear import Linear


class About(NamedTuple):
    """What users should know of an update rule: its cost a round, and what it can be combined with.

    In a cost, d' is the number of a row's non-zeros, d that of all features.
    """

    cost: str = "O(d')"
    has_spread: bool = False
    many_classes: bool = False
    draws: int = 0  # how many coins it tosses to learn a label


class UpdateRule(Protocol):
    """How to learn from a label: a named tuple of hyper-parameters with these methods.

    `start` and `constraints` run in plain Python, `step` in compiled code too, where it must be free of branches:
    `askance.jit.select` has what to use instead of `if`. A method `about` that returns an `About` is optional.
    """

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """The state before the first label: a `State`, or one that has a method `form`.

        Its `weights`, an array of its own or a property, are what a learner shows as `coef_`.
        """

    def step(self, seen: Seen, label: float) -> tuple[bool, Any]:
        """Whether the rule fires on a row of this `label` (+1 or -1), and the step it then takes."""

    def constraints(self) -> Constraints:
        """The allowed values of the hyper-parameters."""


def about(rule: Any) -> About:
    """What a rule says of itself; a rule that says nothing is first-order and binary."""
    said: About = rule.about() if hasattr(rule, "about") else About()
    return said


def widened(state: Any, rule: UpdateRule, width: int, dtype: np.dtype[Any]) -> Any:
    """The same state with room for `width` features; those never seen start as the rule starts them.

    A state with numbers that depend on all features has a method `add_features`, which is told the first new one.
    """
    wider = rule.start(width, dtype)
    for old, new in zip(state, wider, strict=True):
        if isinstance(old, np.ndarray):  # and not a number that the rule gave
            new[tuple(map(slice, old.shape))] = old
    # What stands apart in a tuple of its own has nothing to do with features.
    wider = wider._replace(**{name: part for name, part in state._asdict().items() if isinstance(part, tuple)})
    if hasattr(wider, "add_features"):
        wider.add_features(state[0].shape[0])
    return wider


def widened_lanes(state: Any, rule: UpdateRule, room: tuple[int, int], lanes: int, dtype: np.dtype[Any]) -> Any:
    """The same for a state of several learners side by side: room for features and lanes, where it had `lanes`."""
    wider = rule.start(room[0] * room[1], dtype)
    for old, new in zip(state, wider, strict=True):
        if isinstance(old, np.ndarray):  # and not a number that the rule gave
            window = old.reshape(-1, lanes, *old.shape[1:])
            new.reshape(*room, *new.shape[1:])[: window.shape[0], :lanes] = window
    return wider


def form_of(state: Any) -> Any:
    """The form that a state names: `Linear` unless it says otherwise."""
    return state.form() if hasattr(state, "form") else Linear()
