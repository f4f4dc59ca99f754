"""Making a learner from a paper's name."""

from collections.abc import Sequence
from typing import Any

from askance.algorithms import parts_of
from askance.learners.from_rules import with_rules
from askance.learners.learner import Learner


def make(
    name: str,
    *,
    random_state: int = 0,
    dtype: str = "float32",
    classes: Sequence[Any] | None = None,
    **parameters: Any,
) -> Learner:
    """The learner that a paper calls `name`, with the paper's parameters: make("PAA-II", C=0.5, delta=1.0)."""
    update, query, sgn0, many, numbered = parts_of(name, parameters)
    if classes is not None and numbered is not None:
        raise ValueError("k says that the classes are 0 to k - 1: give k or classes, not both")
    known = classes if numbered is None else list(numbered)
    learner = with_rules(
        update, query, random_state=random_state, dtype=dtype, sgn0=sgn0, classes=known, many=many
    )
    learner.check_parameters()
    return learner
