"""`--until`: what a run waits for before it stops."""

from typing import NamedTuple

import typer

from askance.cli.options import parse_share

EXAMPLES = "recall=0.95, error=0.02,share=0.7, or accuracy=0.95"


class Until(NamedTuple):
    """A run stops when a share of the positives is found, enough is certified, or predictions are right enough.

    Attributes
    ----------
    recall : float, or None
        The share of the positives that is to be found.
    error : float, or None
        The share of mistakes that is allowed among confident predictions.
    share : float
        The share of recent rows that have to be confident enough.
    accuracy : float, or None
        The share of right predictions from which on people are asked less, where answers cost money.
    """

    recall: float | None = None
    error: float | None = None
    share: float = 0.0
    accuracy: float | None = None


def parse_until(text: str) -> Until:
    """`recall=0.95`, `error=0.02` with or without `share=0.7`, or `accuracy=0.95`; BadParameter for all else."""
    given: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if name not in Until._fields or not equals or name in given:
            raise typer.BadParameter(f"{text!r}: give {EXAMPLES}")
        given[name] = parse_share(value)
        if name == "recall" and not 0 < given[name] <= 1:  # all positives are found once all rows are read
            raise typer.BadParameter(f"{text!r}: recall must be more than 0 and at most 1")
        if name != "recall" and not 0 < given[name] < 1:
            raise typer.BadParameter(f"{text!r}: {name} must be more than 0 and less than 1")
    if set(given) not in ({"recall"}, {"error"}, {"error", "share"}, {"accuracy"}):
        raise typer.BadParameter(f"{text!r}: give {EXAMPLES}")
    return Until(**given)


def parse_recall(text: str) -> float:
    """The share of `recall=0.95`; BadParameter for all else."""
    recall = parse_until(text).recall if text.strip().startswith("recall") else None
    if recall is None:
        raise typer.BadParameter(f"{text!r}: give recall=0.95")
    return recall
