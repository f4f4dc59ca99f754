"""The parameters of a learner, apart from its rules."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from askance._util.parameters import NOT_NEGATIVE_AND_FINITE
from askance.errors import ParameterError
from askance.learners import labels
from askance.learners.features import Features
from askance.learners.scaling import SCALINGS
from askance.rules.kernel import RULES as DUAL


class Settings(NamedTuple):
    """The parameters of a learner, apart from its rules."""

    random_state: int = 0
    dtype: str = "float32"
    sgn0: int = 1
    classes: Sequence[Any] | None = None
    multiclass: bool = False
    intercept: float = 0.0
    scaling: str | None = None
    probability: bool = False
    positive: Any = None

    def check(self, owner: str = "Learner") -> None:
        """Raise ParameterError for the first parameter that cannot be used."""
        if self.dtype not in ("float32", "float64"):
            raise ParameterError(owner, "dtype", self.dtype, "'float32' (fast) or 'float64' (exact)")
        if self.sgn0 not in (1, -1):
            raise ParameterError(owner, "sgn0", self.sgn0, "+1 or -1")
        whole = isinstance(self.random_state, int | np.integer) and not isinstance(self.random_state, bool)
        if not whole or not 0 <= self.random_state < 2**64:
            raise ParameterError(owner, "random_state", self.random_state, "a whole number from 0 to 2^64 - 1")
        if not isinstance(self.multiclass, bool | np.bool_):
            raise ParameterError(owner, "multiclass", self.multiclass, "True or False")
        if self.classes is not None:
            labels.as_classes(self.classes, many=bool(self.multiclass))
        if not NOT_NEGATIVE_AND_FINITE.allows(self.intercept):
            wanted = NOT_NEGATIVE_AND_FINITE.wanted(self.intercept)
            raise ParameterError(owner, "intercept", self.intercept, wanted)
        if not (self.scaling is None or (isinstance(self.scaling, str) and self.scaling in SCALINGS)):
            raise ParameterError(owner, "scaling", self.scaling, f"None, {' or '.join(map(repr, SCALINGS))}")
        if not isinstance(self.probability, bool | np.bool_):
            raise ParameterError(owner, "probability", self.probability, "True or False")

        if self.positive is not None:
            self._check_positive(owner)

    def _check_positive(self, owner: str) -> None:
        if self.multiclass:
            raise ParameterError(owner, "positive", self.positive, "None, because it is for two classes")
        if not isinstance(self.positive, str | bool | int | float | np.generic):
            raise ParameterError(owner, "positive", self.positive, "a class: text, a number, True or False")
        if self.classes is not None and self.positive not in list(self.classes):
            raise ParameterError(owner, "positive", self.positive, f"one of the classes {list(self.classes)}")

    def check_for(self, update: Any) -> None:
        """Raise ValueError if this update rule cannot be used with these settings."""
        if self.intercept and isinstance(update, DUAL):
            raise ValueError(
                f"{type(update).__name__} has no intercept, because it has no weights of features: "
                "choose a kernel with a constant, such as kernels.Polynomial"
            )

    def described(self) -> str:
        """What is made of rows, for the name of a method; empty if nothing."""
        parts = [f"intercept {self.intercept:g}"] if self.intercept else []
        parts += [f"{self.scaling} scaling"] if self.scaling is not None else []
        return f" with {' and '.join(parts)}" if parts else ""

    @staticmethod
    def in_name(algorithm: str) -> str:
        """What `described` has said in the name of a method, such as "intercept 0.3"; empty if nothing."""
        found = re.search(r" with (intercept \S+(?: and \w+ scaling)?|\w+ scaling)$", algorithm)
        return found[1] if found else ""

    def features(self) -> Features | None:
        """What to make of rows before the rules see them; None if nothing."""
        if not self.intercept and self.scaling is None:
            return None
        return Features(self.intercept, self.scaling, np.dtype(self.dtype))
