"""A core with its compiled passes: all that a learner does to rows and signs, nothing of users' data."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.engine import passes
from askance.engine.passes import Core, Outcome
from askance.engine.seam import COMPILING
from askance.rows import SOUND, DenseRows, SparseRows
from askance.updates.rule import form_of, widened

AnyRows = SparseRows | DenseRows


class Machine:
    """Two rules, what they have learned, and the passes over it. A call does all that it should, or nothing."""

    def __init__(self, update: Any, query: Any, dtype: np.dtype[Any], at_zero: float) -> None:
        self.dtype = dtype
        self.width: int | None = None
        state = update.start(0, dtype)
        self.core = Core(update, query, form_of(state), state, query.start(), passes.no_past(), at_zero)
        self._bound: dict[tuple[str, type], Callable[..., Any]] = {}

    def run(
        self, rows: AnyRows, width: int, signs: NDArray[Any], coins: NDArray[np.float64]
    ) -> tuple[int, int, Outcome]:
        """One round a row, which need not have been checked: if one is bad, which and why, and nothing changes."""
        core = self._with_room(width)
        outcome = passes.blank_outcome(len(signs), self.dtype)
        if _bytes(core.state) < _bytes(rows):
            # A copy of the state, which stands by for a fault, costs less than going through the rows twice.
            core = copied(core)
        else:
            kind, bad = self._pass("check", rows, (rows, len(signs), width))
            if kind != SOUND:
                return kind, bad, outcome
        kind, bad = self._pass("run", rows, (core, rows, width, signs, coins, outcome))
        if kind == SOUND:
            self.core, self.width = core, width
        return kind, bad, outcome

    def ask(self, rows: AnyRows, width: int, coin: float) -> tuple[int, float, float, float, bool]:
        """What is wrong with one row, or its guess, score, probability of asking, and whether to ask."""
        core = self._with_room(width)
        found = self._pass("ask", rows, (core, rows, width, coin))
        if found[0] == SOUND:
            self.core, self.width = core, width
        return found

    def learn(self, rows: AnyRows, width: int, signs: NDArray[Any]) -> tuple[int, int]:
        """Learn every label; if a row is bad, what is wrong with it and which it is, and nothing changes."""
        core = self._with_room(width)
        kind, bad = self._pass("learn", rows, (core, rows, width, signs))
        if kind == SOUND:
            self.core, self.width = core, width
        return kind, bad

    def score(self, rows: AnyRows, count: int, width: int) -> tuple[int, int, NDArray[Any]]:
        """What is wrong with a bad row and which it is, and the scores."""
        scores = np.empty(count, self.dtype)
        kind, bad = self._pass("score", rows, (self._with_room(width), rows, width, scores))
        return kind, bad, scores

    def make_room(self, width: int) -> None:
        """Have room for `width` features."""
        if width != self.width:
            self.core, self.width = self._with_room(width), width

    def _with_room(self, width: int) -> Core:
        if width == self.width:
            return self.core
        state = widened(self.core.state, self.core.update, width, self.dtype)
        return self.core._replace(state=state, form=form_of(state))

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
        # Machine code stays behind; it is found again at the first call. So does scratch: what is unpickled may
        # lie in memory that cannot be written to.
        return {**self.__dict__, "core": self.core._replace(form=None), "_bound": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.core = self.core._replace(form=form_of(self.core.state))


def copied(value: Any) -> Any:
    """The same nested named tuples with arrays of their own."""
    if isinstance(value, np.ndarray):
        return value.copy()
    return type(value)(*map(copied, value)) if isinstance(value, tuple) else value


def _bytes(value: Any) -> int:
    return sum(array.nbytes for array in passes.arrays_of(value).values())
