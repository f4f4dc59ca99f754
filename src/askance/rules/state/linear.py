"""One score: the sum of what each feature adds."""

from typing import Any, NamedTuple

from askance.jit.select import sign
from askance.rules.state.form import with_defaults


@with_defaults
class Linear(NamedTuple):
    """The form of states that say what one feature adds and how one feature moves."""

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """The sums over the row's features, and what the state makes of them."""
        total, spread, squared_norm, sound = rows.sweep(t, state, width)
        score = state.margin(total, spread)
        return score, spread, squared_norm, sign(score, at_zero), sound

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move every feature of the row."""
        rows.shift(t, state, step)
