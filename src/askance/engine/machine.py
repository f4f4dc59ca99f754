"""A core with its compiled passes: what a learner does with validated rows and encoded labels."""

import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine import passes
from askance.engine.own_rules import check_probabilities, own_query
from askance.engine.passes import Core, Outcome
from askance.jit.interop import COMPILING
from askance.jit.simd.aligned import aligned_copy
from askance.rules.query.rule import with_room
from askance.rules.rows import SOUND, AnyRows
from askance.rules.state import Ensemble, form_for_classes
from askance.rules.state.recorded import Recent, Recorded, recorded
from askance.rules.update.rule import about, form_of, start_lanes, widened, widened_lanes


class Machine:
    """Two rules, what they have learned, and the passes over rows. If a call fails, nothing changes.

    For two classes there is one lane, and labels are +1 and -1. With `many` classes there is one lane per class,
    and labels are the numbers of lanes. With `recent`, the scores before each label are recorded there.
    """

    def __init__(
        self,
        update: Any,
        query: Any,
        dtype: np.dtype[Any],
        at_zero: float,
        *,
        many: bool = False,
        lanes: int = 1,
        recent: Recent | None = None,
    ) -> None:
        self.dtype = dtype
        self.many = many
        self.width: int | None = None
        self.lanes = lanes
        self.draws = about(update).draws
        state = start_lanes(update, 0, lanes, dtype) if many else update.start(0, dtype)
        form = self._classes(update, state, lanes) if many else form_of(state)
        if recent is not None:
            form = recorded(form, recent, lanes)
        self.core = Core(update, query, form, state, query.start(), passes.no_past(), at_zero)
        self._own_query = own_query(query)
        self._bound: dict[tuple[str, type, Any], Callable[..., Any]] = {}

    def run(
        self,
        rows: AnyRows,
        width: int,
        labels: NDArray[Any],
        coins: NDArray[np.float64],
        lanes: int = 1,
        draws: NDArray[np.float64] | None = None,
    ) -> tuple[int, int, Outcome]:
        """Do one round per row. Return an error code, the number of the bad row, and the outcome.

        If a row is bad, nothing changes. `draws` has a row of coins for each label, for rules that need them to
        learn it.
        """
        core = self._with_room(width, lanes)
        core = core if draws is None else _with_draws(core, draws)
        outcome = passes.blank_outcome(len(labels), self.dtype)
        if self._own_query is not None or bytes_of(core.state) < bytes_of(rows):
            # Working on a copy of the state costs less than checking all rows first, and a rule of the user's own
            # may fail in any row.
            core = copied(core)
        else:
            error, row = self._pass("check", rows, (rows, len(labels), width))
            if error != SOUND:
                return error, row, outcome
        error, row = self._pass("run", rows, (core, rows, width, labels, coins, outcome))
        if error == SOUND:
            check_probabilities(self._own_query, outcome.ask_probabilities)
        self._accept(error, core, width, lanes)
        return error, row, outcome

    def ask(
        self, rows: AnyRows, width: int, coin: float, eligible: float = 1.0
    ) -> tuple[int, float, float, float, bool]:
        """Return an error code, and prediction, score, probability of asking and decision for one row.

        `eligible` is 0 if the label cannot be asked for.
        """
        core = self.core if width == self.width else self._with_room(width, self.lanes)
        if self._own_query is not None:
            core = core._replace(memory=copied(core.memory), past=copied(core.past))
        found: tuple[int, float, float, float, bool] = self._pass("ask", rows, (core, rows, width, coin, eligible))
        if self._own_query is not None and found[0] == SOUND:
            check_probabilities(self._own_query, found[3])
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
        rule: Any = None,
    ) -> tuple[int, int]:
        """Learn every label. Return an error code and the number of the bad row; if a row is bad, nothing changes.

        `probability` is the probability with which each label was asked for. `rule` is the update rule for these
        labels alone; its method `state_of`, if any, returns the state to learn in.
        """
        core = self.core if width == self.width and lanes == self.lanes else self._with_room(width, lanes)
        update, _, form, state, _, past, at_zero = core if draws is None else _with_draws(core, draws)
        if rule is not None:
            update, state = rule, rule.state_of(state) if hasattr(rule, "state_of") else state
        error, row = self._pass(
            "learn", rows, (update, form, state, past, rows, width, labels, probability, at_zero), type(rule)
        )
        if core is not self.core:
            self._accept(error, core, width, lanes)
        return error, row

    def learn_weighted(
        self,
        rows: AnyRows,
        width: int,
        labels: NDArray[Any],
        lanes: int,
        weights: NDArray[np.float64],
        probability: float = 1.0,
    ) -> tuple[int, int]:
        """Learn every label with its own weight, by the update rule's method `weighted`.

        A label of weight w stands for w rows, like a label that was asked for with a probability of 1/w.
        """
        error, row = self._pass("check", rows, (rows, len(labels), width))
        if error != SOUND:
            return error, row
        starts = np.flatnonzero(np.diff(weights, prepend=np.nan)).tolist()  # of rows with the same weight
        for start, stop in itertools.pairwise([*starts, len(labels)]):
            weight, part = float(weights[start]), rows.between(start, stop)
            # Weights of 1 take the very pass of labels without weights, so that no bit differs.
            rule = None if weight == 1.0 else self.core.update.weighted(weight)
            self.learn(part, width, labels[start:stop], lanes, None, probability / weight, rule)
        return SOUND, 0

    def set_query_rule(self, query: Any) -> None:
        """Continue with another query rule, in its initial state."""
        memory = with_room(query, query.start(), self.width or 0)
        self.core = self.core._replace(query=query, memory=memory)
        self._own_query = own_query(query)
        self._bound.clear()

    def score(self, rows: AnyRows, count: int, width: int) -> tuple[int, int, NDArray[Any]]:
        """Return an error code, the number of the bad row, and the scores, with one column per lane."""
        scores = np.empty((count, self.lanes), self.dtype)
        core = self._with_room(width, self.lanes)
        error, row = self._pass("score", rows, (core.form, core.state, rows, width, scores, core.at_zero))
        return error, row, scores

    @property
    def recent(self) -> Recent:
        """What was recorded of recent labels."""
        record: Recent = self.core.form.recent
        return record

    def make_room(self, width: int, lanes: int | None = None) -> None:
        """Make room for `width` features and, if given, `lanes` classes."""
        lanes = lanes or self.lanes
        self._accept(SOUND, self._with_room(width, lanes), width, lanes)

    def weights(self) -> NDArray[Any]:
        """Return a view of the weights, one row per lane or per member of an ensemble."""
        form, state = bare(self.core.form), self.core.state
        if isinstance(form, Ensemble):
            members: NDArray[Any] = state.weights.reshape(-1, len(form.scores)).T[: state.members]
            return members
        weights: NDArray[Any] = state.weights.reshape(-1, self.lanes).T
        return weights

    def most_features(self, size: int) -> int:
        """Return the largest number of features that a model file of `size` bytes can have: one per byte."""
        return size

    def expect(self, found: Mapping[str, NDArray[Any]]) -> None:
        """Do nothing: width and lanes determine the sizes of all arrays."""

    def _accept(self, error: int, core: Core, width: int, lanes: int) -> None:
        if error == SOUND:
            self.core, self.width, self.lanes = core, width, lanes

    def _with_room(self, width: int, lanes: int) -> Core:
        if width == self.width and lanes == self.lanes:
            return self.core
        update, state = self.core.update, self.core.state
        if not self.many:
            state = widened(state, update, width, self.dtype)
            form = form_of(state)
        else:
            state = widened_lanes(state, update, (width, lanes), self.lanes, self.dtype)
            form = self._classes(update, state, lanes)
        if isinstance(self.core.form, Recorded):
            form = recorded(form, self.core.form.recent, lanes)
        memory = with_room(self.core.query, self.core.memory, width)
        return self.core._replace(state=state, form=form, memory=memory)

    def _classes(self, update: Any, state: Any, lanes: int) -> Any:
        if hasattr(state, "form"):
            return state.form()
        return form_for_classes(lanes, self.dtype, has_spread=about(update).has_spread)

    def _pass(self, name: str, rows: AnyRows, arguments: tuple[Any, ...], rule: Any = None) -> Any:
        key = (name, type(rows), rule)  # a label with a weight may have a rule of another type
        bound = self._bound.get(key)
        if bound is None:
            bound = self._bound[key] = passes.bind(name, arguments, exact=self.dtype == np.float64)
        if COMPILING:
            return bound(*arguments)
        # Plain Python would warn about the infinities that a check is meant to find.
        with np.errstate(over="ignore", invalid="ignore"):
            return bound(*arguments)

    def __getstate__(self) -> dict[str, Any]:
        # Machine code is not pickled; it is looked up again at the first call.
        return {**self.__dict__, "_bound": {}}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        # joblib sends large arrays as read-only memory, into which machine code must not write.
        self.__dict__.update(kept, core=copied(kept["core"], only=is_fixed))


def _with_draws(core: Core, draws: NDArray[np.float64]) -> Core:
    """Return the core with the coins for the labels to be learned."""
    form = bare(core.form)._replace(draws=draws, labels=np.zeros(1, np.int64))
    return core._replace(form=core.form._replace(inner=form) if isinstance(core.form, Recorded) else form)


def bare(form: Any) -> Any:
    """Return a form without its record, if it has one."""
    return form.inner if isinstance(form, Recorded) else form


def is_fixed(array: NDArray[Any]) -> bool:
    """Return whether an array is read-only."""
    return not array.flags.writeable


def copied(value: Any, only: Callable[[NDArray[Any]], bool] = lambda _: True) -> Any:
    """Copy nested named tuples with their arrays; with `only`, copy just the arrays for which it is true."""
    if isinstance(value, np.ndarray):
        return aligned_copy(value) if only(value) else value
    return type(value)(*(copied(part, only) for part in value)) if isinstance(value, tuple) else value


def bytes_of(value: Any) -> int:
    """Return the size of all arrays in nested named tuples."""
    return sum(array.nbytes for array in passes.arrays_of(value).values())
