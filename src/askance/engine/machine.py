"""A core with its compiled passes: all that a learner does to rows and signs, nothing of users' data."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine import passes
from askance.engine.passes import Core, Outcome
from askance.jit.interop import COMPILING
from askance.jit.simd.aligned import aligned_copy
from askance.rules.rows import SOUND, AnyRows
from askance.rules.state import Panel, room_for_classes
from askance.rules.update.rule import about, form_of, widened, widened_lanes


class Machine:
    """Two rules, what they have learned, and the passes over it. A call does all that it should, or nothing.

    For two classes there is one lane, and labels are +1 and -1. For `many` there is a lane a class, and labels are
    the numbers of lanes.
    """

    def __init__(
        self, update: Any, query: Any, dtype: np.dtype[Any], at_zero: float, *, many: bool = False, lanes: int = 1
    ) -> None:
        self.dtype = dtype
        self.many = many
        self.width: int | None = None
        self.lanes = lanes
        self.draws = about(update).draws
        state = update.start(0, dtype)
        form = self._classes(update, lanes) if many else form_of(state)
        self.core = Core(update, query, form, state, query.start(), passes.no_past(), at_zero)
        self._bound: dict[tuple[str, type], Callable[..., Any]] = {}

    def run(
        self,
        rows: AnyRows,
        width: int,
        labels: NDArray[Any],
        coins: NDArray[np.float64],
        lanes: int = 1,
        draws: NDArray[np.float64] | None = None,
    ) -> tuple[int, int, Outcome]:
        """One round a row, which need not have been checked: if one is bad, which and why, and nothing changes.

        `draws` has a row of coins for each label, for rules that toss some to learn it.
        """
        core = self._with_room(width, lanes)
        core = core if draws is None else _with_draws(core, draws)
        outcome = passes.blank_outcome(len(labels), self.dtype)
        if _bytes(core.state) < _bytes(rows):
            # A copy of the state, which stands by for a fault, costs less than going through the rows twice.
            core = copied(core)
        else:
            kind, bad = self._pass("check", rows, (rows, len(labels), width))
            if kind != SOUND:
                return kind, bad, outcome
        kind, bad = self._pass("run", rows, (core, rows, width, labels, coins, outcome))
        self._accept(kind, core, width, lanes)
        return kind, bad, outcome

    def ask(
        self, rows: AnyRows, width: int, coin: float, counts: float = 1.0
    ) -> tuple[int, float, float, float, bool]:
        """What is wrong with one row, or its guess, score, probability of asking, and whether to ask.

        `counts` is 0 where the label cannot be had.
        """
        core = self.core if width == self.width else self._with_room(width, self.lanes)
        found: tuple[int, float, float, float, bool] = self._pass("ask", rows, (core, rows, width, coin, counts))
        if core is not self.core:
            self._accept(found[0], core, width, self.lanes)
        return found

    def learn(
        self,
        rows: AnyRows,
        width: int,
        labels: NDArray[Any],
        lanes: int = 1,
        draws: NDArray[np.float64] | None = None,
        probability: float = 1.0,
    ) -> tuple[int, int]:
        """Learn every label; if a row is bad, what is wrong with it and which it is, and nothing changes.

        `probability` is that with which each was asked for.
        """
        core = self.core if width == self.width and lanes == self.lanes else self._with_room(width, lanes)
        update, _, form, state, _, past, at_zero = core if draws is None else _with_draws(core, draws)
        kind, bad = self._pass(
            "learn", rows, (update, form, state, past, rows, width, labels, probability, at_zero)
        )
        if core is not self.core:
            self._accept(kind, core, width, lanes)
        return kind, bad

    def set_query_rule(self, query: Any) -> None:
        """Continue with another query rule, in its initial state."""
        self.core = self.core._replace(query=query, memory=query.start())
        self._bound.clear()

    def score(self, rows: AnyRows, count: int, width: int) -> tuple[int, int, NDArray[Any]]:
        """What is wrong with a bad row and which it is, and the scores, a column a lane."""
        scores = np.empty((count, self.lanes), self.dtype)
        core = self._with_room(width, self.lanes)
        kind, bad = self._pass("score", rows, (core.form, core.state, rows, width, scores, core.at_zero))
        return kind, bad, scores

    def make_room(self, width: int, lanes: int | None = None) -> None:
        """Have room for `width` features and, if that is said, `lanes` classes."""
        lanes = lanes or self.lanes
        self._accept(SOUND, self._with_room(width, lanes), width, lanes)

    def weights(self) -> NDArray[Any]:
        """A window on the weights, a row a lane, or a row a member of a panel."""
        form, state = self.core.form, self.core.state
        if isinstance(form, Panel):
            members: NDArray[Any] = state.weights.reshape(-1, len(form.scores)).T[: state.members]
            return members
        weights: NDArray[Any] = state.weights.reshape(-1, self.lanes).T
        return weights

    def most_features(self, size: int) -> int:
        """How many features a model file of so many bytes can be about: each has a byte at least."""
        return size

    def expect(self, found: Mapping[str, NDArray[Any]]) -> None:
        """Have arrays of the sizes that a model file's have: width and lanes say them all."""

    def _accept(self, kind: int, core: Core, width: int, lanes: int) -> None:
        if kind == SOUND:
            self.core, self.width, self.lanes = core, width, lanes

    def _with_room(self, width: int, lanes: int) -> Core:
        if width == self.width and lanes == self.lanes:
            return self.core
        update, state = self.core.update, self.core.state
        if not self.many:
            state = widened(state, update, width, self.dtype)
            return self.core._replace(state=state, form=form_of(state))
        state = widened_lanes(state, update, (width, lanes), self.lanes, self.dtype)
        return self.core._replace(state=state, form=self._classes(update, lanes))

    def _classes(self, update: Any, lanes: int) -> Any:
        return room_for_classes(lanes, self.dtype, has_spread=about(update).has_spread)

    def _pass(self, name: str, rows: AnyRows, arguments: tuple[Any, ...]) -> Any:
        key = (name, type(rows))
        bound = self._bound.get(key)
        if bound is None:
            bound = self._bound[key] = passes.bind(name, arguments, exact=self.dtype == np.float64)
        if COMPILING:
            return bound(*arguments)
        # Plain Python would warn of the infinities that a check is there to find.
        with np.errstate(over="ignore", invalid="ignore"):
            return bound(*arguments)

    def __getstate__(self) -> dict[str, Any]:
        # Machine code stays behind; it is found again at the first call.
        return {**self.__dict__, "_bound": {}}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        # Machine code would write into arrays that came as read-only memory, as joblib sends large ones.
        self.__dict__.update(kept, core=copied(kept["core"], only=is_fixed))


def _with_draws(core: Core, draws: NDArray[np.float64]) -> Core:
    """The same core, about to learn labels for which these coins were tossed."""
    return core._replace(form=core.form._replace(draws=draws, labels=np.zeros(1, np.int64)))


def is_fixed(array: NDArray[Any]) -> bool:
    """Whether an array cannot be written."""
    return not array.flags.writeable


def copied(value: Any, only: Callable[[NDArray[Any]], bool] = lambda _: True) -> Any:
    """The same nested named tuples with arrays of their own, or with such as need it."""
    if isinstance(value, np.ndarray):
        return aligned_copy(value) if only(value) else value
    return type(value)(*(copied(part, only) for part in value)) if isinstance(value, tuple) else value


def _bytes(value: Any) -> int:
    return sum(array.nbytes for array in passes.arrays_of(value).values())
