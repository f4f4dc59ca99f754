"""The learner for given rules: most are a `Learner`, one has a class of its own."""

from typing import Any

from askance.learners.core import LearnerCore
from askance.learners.learner import Learner
from askance.learners.omcsl import OMCSL
from askance.rules.imbalance import ManyCosts


def with_rules(update: Any, query: Any, *, multiclass: bool = False, **others: Any) -> Learner:
    """A learner with these rules."""
    if isinstance(update, ManyCosts):
        return OMCSL.of(update, query, **others)
    return Learner(update, query, multiclass=multiclass, **others)


def with_core(core: LearnerCore) -> Learner:
    """The learner around a core, with all that it has learned."""
    learner = with_rules(core.machine.core.update, core.machine.core.query, **core.settings._asdict())
    learner._core = core
    learner._sync()
    return learner
