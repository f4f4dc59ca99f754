"""What is compiled in every run of the tests, and what waits for the soak: a pass takes seconds to compile."""

from collections.abc import Container, Iterable
from typing import Any

import numpy as np
import pytest

import askance
from askance.jit.interop import COMPILING
from askance.rules.kernel import RULES as DUAL
from askance.rules.update.rule import form_of


def few_compiled(values: Iterable[Any], few: Container[Any], by: Any = lambda value: value) -> list[Any]:
    """The values to test with: where the compiler is on, all but the few wait for the soak."""
    return [
        value if not COMPILING or by(value) in few else pytest.param(value, marks=pytest.mark.soak)
        for value in values
    ]


def one_of_each_form() -> list[str]:
    """A name of the catalog for each form of states, for two classes and for many, weights and dual form."""
    kinds: dict[Any, str] = {}
    for name, entry in askance.catalog.items():
        update = entry.build()[0]
        kinds.setdefault((type(form_of(update.start(0, np.float64))), isinstance(update, DUAL), entry.kind), name)
    return list(kinds.values())
