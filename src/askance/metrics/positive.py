"""Which of the classes is the positive one, and how it is named."""

from collections.abc import Sequence
from typing import Any

from askance.errors import ParameterError

CLEARLY_RARER = 1 / 3  # of the rows, at most
# The metrics that depend on which class is the positive one. Others are the same for both, unless weighted.
OF_POSITIVE = frozenset({"f", "precision", "recall", "sensitivity", "specificity", "auprc"})


def default_positive(counts: Sequence[int]) -> int:
    """The place of the positive class of two: the rarer one if it is clearly rarer, otherwise the last.

    Parameters
    ----------
    counts : sequence of int
        The numbers of rows of both classes, in their order.

    Returns
    -------
    place : {0, 1}

    Examples
    --------
    >>> from askance.metrics.positive import default_positive
    >>> default_positive([300, 59_700]), default_positive([500, 600]), default_positive([0, 0])
    (0, 1, 1)
    """
    return 0 if 0 < counts[0] < CLEARLY_RARER * sum(counts) else 1


def place_of_class(positive: Any, classes: Sequence[Any]) -> int:
    """The place of a class that a user named; ParameterError that lists the classes if there is no such class.

    A number may be given as text, as on the command line.
    """
    for place, value in enumerate(classes):
        if positive == value or (isinstance(positive, str) and positive in names_of(value)):
            return place
    listed = ", ".join(repr(value) for value in list(classes)[:10])
    more = f" and {len(classes) - 10} more" if len(classes) > 10 else ""
    raise ParameterError("classes", "positive", positive, f"one of {listed}{more}")


def names_of(value: Any) -> tuple[str, ...]:
    """How users may write a class: 1.0 also as 1, True also as true."""
    if isinstance(value, float):
        return str(value), f"{value:g}"
    return (str(value), str(value).lower()) if isinstance(value, bool) else (str(value),)
