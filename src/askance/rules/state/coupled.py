"""One score, as in `Linear`, of a state whose features hang together: after a step it has to settle."""

from typing import Any, NamedTuple, Protocol

from askance.jit.select import sign
from askance.rules.state.form import with_defaults


class CoupledState(Protocol):
    """A `State` with numbers that depend on all its features."""

    def refresh(self) -> None:
        """Bring these numbers up to date, now that a row's features have moved."""


@with_defaults
class Coupled(NamedTuple):
    """The form of such states."""

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """The sums over the row's features, and what the state makes of them."""
        total, spread, squared_norm, sound = rows.sweep(t, state, width)
        score = state.margin(total, spread)
        return score, spread, squared_norm, sign(score, at_zero), sound

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move every feature of the row, then settle."""
        rows.shift(t, state, step)
        state.refresh()
