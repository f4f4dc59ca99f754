"""One score, as in `Linear`, of a state whose features hang together: after a step it has to settle."""

from typing import Any, NamedTuple, Protocol

from askance.engine.choose import sign
from askance.rows import Seen


class SettlingState(Protocol):
    """A `State` with numbers that depend on all its features."""

    def settle(self) -> None:
        """Bring these numbers up to date, now that a row's features have moved."""


class Settled(NamedTuple):
    """The form of such states."""

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """The sums over the row's features, and what the state makes of them."""
        total, spread, squared_norm, sound = rows.sweep(t, state, width)
        score = state.margin(total, spread)
        return score, spread, squared_norm, sign(score, at_zero), sound

    def draw(self, state: Any, seen: Seen, coin: float, at_zero: float) -> tuple[Seen, float]:  # noqa: ARG002
        """The row and the coin as they are: there is nothing to draw."""
        return seen, coin

    def put(self, state: Any, score: float, scores: Any, t: int) -> None:  # noqa: ARG002
        """The score."""
        scores[t, 0] = score

    def face(self, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:  # noqa: ARG002
        """The row and its label as they are."""
        return seen, label

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Move every feature of the row, then settle."""
        rows.shift(t, state, step)
        state.settle()

    def note(self, state: Any, rows: Any, t: int, label: float) -> None:
        """Nothing is noted."""
