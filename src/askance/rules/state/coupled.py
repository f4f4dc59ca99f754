"""The form of states with numbers that depend on all features, and have to be updated after each step."""

from typing import Any, NamedTuple, Protocol

from askance.jit.select import sign
from askance.rules.state.form import with_defaults


class CoupledState(Protocol):
    """A `State` with numbers that depend on all features."""

    def refresh(self) -> None:
        """Update these numbers after the features of a row have moved."""


@with_defaults
class Coupled(NamedTuple):
    """The form of a `CoupledState`."""

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Return the sums over the features of the row, and the score that the state computes from them."""
        total, spread, squared_norm, sound = rows.sweep(t, state, width)
        score = state.margin(total, spread)
        return score, spread, squared_norm, sign(score, at_zero), sound

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move every feature of the row, then refresh the state."""
        rows.shift(t, state, step)
        state.refresh()
