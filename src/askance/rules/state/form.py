"""What a form is."""

from typing import Any, Protocol, TypeVar

from askance.rules.rows import Seen

Kind = TypeVar("Kind", bound=type)


class Form(Protocol):
    """How a state is read and changed by rows: a named tuple, perhaps of scratch arrays, with these methods."""

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Score, spread, squared norm and guess of row `t`, and whether it is sound; if not, they mean nothing."""

    def draw(self, state: Any, seen: Seen, coin: float, at_zero: float) -> tuple[Seen, float]:
        """Sample a member (for ensembles) and return the remaining uniform number for the query decision."""

    def put(self, state: Any, score: float, scores: Any, t: int) -> None:
        """Write down what the row just looked at has scored."""

    def face(self, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:
        """What the update rule is told of the row just looked at and of its label, which is +1 or -1 to it.

        `probability` is that with which the label was asked for.
        """

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Take a step of the update rule along the row just looked at and faced."""

    def note(self, state: Any, rows: Any, t: int, label: float) -> None:
        """Remember a label of the row just looked at, whether the update rule fired or not."""


def usual(form: Kind) -> Kind:
    """Give a form what most have in common: one score, nothing to draw, labels as they are and none noted."""
    for method in (draw, put, face, note):
        if method.__name__ not in vars(form):
            setattr(form, method.__name__, method)
    return form


def draw(self: Any, state: Any, seen: Seen, coin: float, at_zero: float) -> tuple[Seen, float]:  # noqa: ARG001
    """The row and the coin as they are."""
    return seen, coin


def put(self: Any, state: Any, score: float, scores: Any, t: int) -> None:  # noqa: ARG001
    """The score."""
    scores[t, 0] = score


def face(self: Any, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:  # noqa: ARG001
    """The row and its label as they are."""
    return seen, label


def note(self: Any, state: Any, rows: Any, t: int, label: float) -> None:
    """Nothing."""
