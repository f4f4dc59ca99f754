"""The protocol of update rules, and the helpers that work with any of them."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike

from askance._util.parameters import Constraints
from askance.rules.rows import Seen
from askance.rules.state.linear import Linear


class About(NamedTuple):
    """Facts about an update rule: its cost per round, and what it can be combined with.

    A rule returns them from its optional method `about`. `askance catalog` shows them, and they decide which query
    rules a learner accepts.

    Parameters
    ----------
    cost : str, default="O(d')"
        The cost of a round. d' is the number of non-zeros of the row, d the number of features.
    has_spread : bool, default=False
        Whether `Seen.spread` is meaningful, as some query rules require.
    many_classes : bool, default=False
        Whether the rule also works for more than two classes.
    draws : int, default=0
        The number of coins that the rule needs to learn one label.

    Examples
    --------
    >>> from askance import updates
    >>> updates.AROW(full=True).about()
    About(cost='O(d²)', has_spread=True, many_classes=False, draws=0)
    """

    cost: str = "O(d')"
    has_spread: bool = False
    many_classes: bool = False
    draws: int = 0


class UpdateRule(Protocol):
    """How to learn from a label: a `typing.NamedTuple` of hyper-parameters with these methods.

    `start` and `constraints` run in plain Python. `step` also runs in compiled code and must not branch on
    numbers: use `where`, `maximum`, `minimum` and `sign` from `askance.rules.api` instead of `if`.

    Three methods are optional. `about()` returns an `About`; without it, a rule counts as linear in the non-zeros,
    without a spread, and for two classes. `check()` raises ValueError or TypeError if the parameters do not fit
    together. `weighted(weight)` returns the rule for a label of this weight, which multiplies its loss; without
    it, a learner does not accept `sample_weight`.

    Examples
    --------
    A hinge step of constant length:

    >>> from typing import NamedTuple
    >>> from askance.rules.api import POSITIVE, zero_weights
    >>> class ConstantStep(NamedTuple):
    ...     eta: float = 0.1
    ...
    ...     def start(self, width, dtype):
    ...         return zero_weights(width, dtype)
    ...
    ...     def step(self, seen, label):
    ...         return label * seen.score < 1.0, label * self.eta
    ...
    ...     def constraints(self):
    ...         return {"eta": POSITIVE}
    >>> from askance import Learner, queries
    >>> learner = Learner(ConstantStep(), queries.Always()).fit([[0.0, 1.0], [1.0, 0.0]], [1, -1])
    >>> learner.predict([[0.0, 2.0]])
    array([1])
    """

    def start(self, width: int, dtype: DTypeLike) -> Any:
        """Return the state before the first label.

        Parameters
        ----------
        width : int
            The number of features.
        dtype : numpy dtype
            The precision of the learner.

        Returns
        -------
        State or named tuple
            A `State`, such as `zero_weights(width, dtype)`, or a named tuple of arrays whose method `form` returns
            its `Form`. Its attribute or property `weights` becomes `coef_` of the learner.
        """

    def step(self, seen: Seen, label: float) -> tuple[bool, Any]:
        """Return whether the rule updates the state, and the step.

        Parameters
        ----------
        seen : Seen
            What is known about the row.
        label : float
            +1 or -1.

        Returns
        -------
        fires : bool
            Whether the state changes.
        step : float or tuple of two or three floats
            What the state's `move` gets. It is computed even if the rule does not fire, and must be finite.
        """

    def constraints(self) -> Constraints:
        """Return the allowed values of the hyper-parameters, by name."""


def about(rule: Any) -> About:
    """Return the facts about a rule; the defaults of `About` if the rule has no method `about`."""
    said: About = rule.about() if hasattr(rule, "about") else About()
    return said


class DualRule(Protocol):
    """An update rule whose step is a step of dual coordinate descent, so that a row can be visited again."""

    def dual_after(self, margin: float, dual: float, squared_norm: float) -> float:
        """Return the dual variable of a row after a visit, given its margin y p and the variable before."""
        ...


def widened(state: Any, rule: UpdateRule, width: int, dtype: np.dtype[Any]) -> Any:
    """Return the state with room for `width` features. New features start as in `rule.start`.

    If a state has numbers that depend on all features, its method `add_features` is called with the number of the
    first new feature. A state with arrays of other sizes has a method `moved_to`.
    """
    wider = rule.start(width, dtype)
    if hasattr(state, "moved_to"):
        return state.moved_to(wider)
    for old, new in zip(state, wider, strict=True):
        if isinstance(old, np.ndarray):  # otherwise it is a parameter of the rule
            new[tuple(map(slice, old.shape))] = old
    # Nested tuples do not depend on the number of features.
    wider = wider._replace(**{name: part for name, part in state._asdict().items() if isinstance(part, tuple)})
    if hasattr(wider, "add_features"):
        wider.add_features(state[0].shape[0])
    return wider


def start_lanes(rule: Any, width: int, lanes: int, dtype: DTypeLike) -> Any:
    """Return the initial state of a rule for `lanes` classes: side by side, unless it has a method for that."""
    if hasattr(rule, "start_lanes"):
        return rule.start_lanes(width, lanes, dtype)
    return rule.start(width * lanes, dtype)


def widened_lanes(state: Any, rule: UpdateRule, room: tuple[int, int], lanes: int, dtype: np.dtype[Any]) -> Any:
    """The same for a state of `lanes` lanes; `room` is the wanted number of features and of lanes."""
    wider = start_lanes(rule, *room, dtype)
    if hasattr(state, "moved_to"):
        return state.moved_to(wider)
    for old, new in zip(state, wider, strict=True):
        if isinstance(old, np.ndarray):  # otherwise it is a parameter of the rule
            window = old.reshape(-1, lanes, *old.shape[1:])
            new.reshape(*room, *new.shape[1:])[: window.shape[0], :lanes] = window
    return wider


def form_of(state: Any) -> Any:
    """Return the form of a state: `Linear`, unless the state has a method `form`."""
    return state.form() if hasattr(state, "form") else Linear()
