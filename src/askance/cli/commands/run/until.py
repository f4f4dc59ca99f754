"""`--until`: what a run waits for before it stops."""

from typing import NamedTuple

import typer

from askance.cli.options import parse_share

EXAMPLES = "recall=0.95, or error=0.02,share=0.7"


class Until(NamedTuple):
    """A run stops when a share of the positives is found, or enough is certified.

    Attributes
    ----------
    recall : float, or None
        The share of the positives that is to be found.
    error : float, or None
        The share of mistakes that is allowed among confident predictions.
    share : float
        The share of recent rows that have to be confident enough.
    """

    recall: float | None = None
    error: float | None = None
    share: float = 0.0


def parse_until(text: str) -> Until:
    """`recall=0.95`, `error=0.02` or `error=0.02,share=0.7`; raises BadParameter for everything else."""
    given: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if name not in Until._fields or not equals or name in given:
            raise typer.BadParameter(f"{text!r}: give {EXAMPLES}")
        given[name] = parse_share(value)
        if not 0 < given[name] < 1:
            raise typer.BadParameter(f"{text!r}: {name} must be more than 0 and less than 1")
    if set(given) not in ({"recall"}, {"error"}, {"error", "share"}):
        raise typer.BadParameter(f"{text!r}: give {EXAMPLES}")
    return Until(**given)
