"""The protocol of forms, and the default methods."""

from typing import Any, Protocol, TypeVar

from askance.rules.rows import Seen

Kind = TypeVar("Kind", bound=type)


class Form(Protocol):
    """How a row is scored by a state, and how a step changes the state: a named tuple with these methods.

    Its fields are scratch arrays, if it needs any. In each round `look` comes first, then `sample`. If the label
    is known, `as_binary` and, if the update rule fires, `learn` follow, and finally `record_label`. Most forms
    only define `look` and `learn`, and take the rest from `with_defaults`.
    """

    def look(self, state: Any, rows: Any, t: int, width: int, at_zero: float) -> tuple[Any, ...]:
        """Return score, spread, squared norm and prediction of row `t`, and whether the row is sound.

        If it is not, the other values are undefined.
        """

    def sample(self, state: Any, seen: Seen, coin: float, at_zero: float) -> tuple[Seen, float]:
        """Return what is seen after the coin has selected one of several classifiers, and the rest of the coin.

        The rest is uniform again, and decides about asking.
        """

    def write_score(self, state: Any, score: float, scores: Any, t: int) -> None:
        """Write the score, or the score of each class, of the current row to row `t` of `scores`."""

    def as_binary(self, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:
        """Return the current row and its label as a problem of two classes, with a label of +1 or -1.

        `probability` is the probability with which the label was asked for.
        """

    def learn(self, state: Any, rows: Any, t: int, step: Any) -> None:
        """Take a step of the update rule along the current row."""

    def record_label(self, state: Any, rows: Any, t: int, label: float) -> None:
        """Take note of the label of the current row, whether or not the update rule fired."""


def with_defaults(form: Kind) -> Kind:
    """Class decorator that adds the default methods: one score, no sampling, binary labels, nothing to record."""
    for method in (sample, write_score, as_binary, record_label):
        if method.__name__ not in vars(form):
            setattr(form, method.__name__, method)
    return form


def sample(self: Any, state: Any, seen: Seen, coin: float, at_zero: float) -> tuple[Seen, float]:  # noqa: ARG001
    """Return the row and the coin unchanged."""
    return seen, coin


def write_score(self: Any, state: Any, score: float, scores: Any, t: int) -> None:  # noqa: ARG001
    """Write the score."""
    scores[t, 0] = score


def as_binary(self: Any, seen: Seen, label: float, probability: float) -> tuple[Seen, float]:  # noqa: ARG001
    """Return the row and its label unchanged."""
    return seen, label


def record_label(self: Any, state: Any, rows: Any, t: int, label: float) -> None:
    """Do nothing."""
