"""The learner for given rules: most are a `Learner`, one has a class of its own."""

from typing import Any

from askance.learners.learner import Learner
from askance.learners.omcsl import OMCSL
from askance.rules.imbalance import ManyCosts


def with_rules(update: Any, query: Any, *, many: bool = False, **others: Any) -> Learner:
    """A learner of these rules; one that learns with many costs knows more of itself than others."""
    if isinstance(update, ManyCosts):
        return OMCSL.of(update, query, **others)
    return Learner(update, query, many=many, **others)
