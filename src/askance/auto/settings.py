"""The parameters of an automatic learner."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from askance.errors import ParameterError
from askance.learners import labels


class AutoSettings(NamedTuple):
    """The parameters of an automatic learner."""

    rate: float = 0.1
    limit: int | None = None
    audit: float = 0.2
    memory: int = 2000
    random_state: int = 0
    classes: Sequence[Any] | None = None
    certify: float | None = None
    forget: bool = True
    reserve: float = 0.0

    def check(self) -> None:
        """Raise ParameterError for the first parameter that cannot be used."""
        owner = "AutoLearner"
        if not 0 < self.rate <= 1:
            raise ParameterError(owner, "rate", self.rate, "greater than 0 and at most 1")
        if self.limit is not None and (not _is_whole(self.limit) or self.limit < 0):
            raise ParameterError(owner, "limit", self.limit, "None or a whole number of at least 0")
        if not 0 < self.audit <= 1:
            raise ParameterError(owner, "audit", self.audit, "greater than 0 and at most 1")
        if not _is_whole(self.memory) or self.memory < 1:
            raise ParameterError(owner, "memory", self.memory, "a whole number of at least 1")
        if not _is_whole(self.random_state) or not 0 <= self.random_state < 2**63:
            raise ParameterError(owner, "random_state", self.random_state, "a whole number from 0 to 2^63 - 1")
        if self.classes is not None:
            labels.as_classes(self.classes, many=True)
        if self.certify is not None and not 0 < self.certify < 1:
            raise ParameterError(owner, "certify", self.certify, "None, or greater than 0 and less than 1")
        if not isinstance(self.forget, bool | np.bool_):
            raise ParameterError(owner, "forget", self.forget, "True or False")
        if not 0 <= self.reserve < 1:
            raise ParameterError(owner, "reserve", self.reserve, "at least 0 and less than 1")
        if self.reserve and not self.forget:
            raise ParameterError(owner, "reserve", self.reserve, "0 without forget, which spends it")


def check_names(parameters: Iterable[str]) -> None:
    """Raise ValueError for the first of these names that is not a parameter of the automatic learner alone."""
    own = sorted(set(AutoSettings._fields) - {"random_state", "classes"})
    unknown = [name for name in parameters if name not in own]
    if unknown:
        raise ValueError(f"auto has no parameter {unknown[0]!r}: its parameters are {', '.join(own)}")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
