"""The parameters of a learner of several labels."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from askance._util.parameters import POSITIVE, SHARE, Constraints, Interval, OneOf
from askance.errors import ParameterError

PAIRS, ITEMS = "pairs", "items"
OWNER = "MultiLabelLearner"
CONSTRAINTS: Constraints = {
    "rate": SHARE,
    "questions": OneOf((PAIRS, ITEMS)),
    "audit": SHARE,
    "C": POSITIVE,
    "memory": Interval(1, low_closed=True, whole=True),
    "random_state": Interval(0, 2**63, low_closed=True, high_closed=False, whole=True),
}
LIMIT = Interval(0, low_closed=True, whole=True)


class MultiLabelSettings(NamedTuple):
    """The parameters of a learner of several labels."""

    rate: float = 0.1
    questions: str = PAIRS
    limit: int | None = None
    audit: float = 0.5
    C: float = 10.0
    memory: int = 10_000
    random_state: int = 0
    classes: Sequence[Any] | None = None

    def check(self) -> None:
        """Raise ParameterError for the first parameter that cannot be used."""
        for name, constraint in CONSTRAINTS.items():
            value = getattr(self, name)
            if not constraint.allows(value):
                raise ParameterError(OWNER, name, value, constraint.wanted(value))
        if self.limit is not None and not LIMIT.allows(self.limit):
            raise ParameterError(OWNER, "limit", self.limit, "None or a whole number of at least 0")
