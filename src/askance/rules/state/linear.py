"""The form of states whose score is a sum over features."""

from typing import Any, NamedTuple

from askance.jit.select import sign
from askance.rules.state.form import with_defaults


@with_defaults
class Linear(NamedTuple):
    """The form of a `State`: the score is a sum over features, and a step moves the features of the row."""

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Return the sums over the features of the row, and the score that the state computes from them."""
        total, spread, squared_norm, sound = rows.sweep(t, state, width)
        score = state.margin(total, spread)
        return score, spread, squared_norm, sign(score, at_zero), sound

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move every feature of the row."""
        rows.shift(t, state, step)
