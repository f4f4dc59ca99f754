"""What `make test` compiles, and what it leaves to the soak: a pass takes a second to compile, some take eight."""

from collections.abc import Container, Iterable
from typing import Any

import numpy as np
import pytest

import askance
from askance.rules.kernel import RULES as DUAL
from askance.rules.update.rule import form_of


def also_compiled(values: Iterable[Any], few: Container[Any], by: Any = lambda value: value) -> list[Any]:
    """The values for a plain test: of these, `make test` also compiles the few."""
    both = (pytest.mark.plain, pytest.mark.compiled)
    return [_marked(value, *both) if by(value) in few else value for value in values]


# Pages, modules and scripts whose examples compute for so long that compiling is quicker.
LONG_EXAMPLES = (
    *("auto", "few-labels", "imbalance", "multiclass", "pool", "ratings"),
    *("selective-sampling", "sweeps", "oracles"),
    *("semi_supervised", "label", "predict", "export", "any-model", "pipeline", "rare-positives"),
    *("rare_class", "raw_table", "live_service", "certified"),
)


# Those that take longer still.
SLOW_EXAMPLES = (
    *("cost-sensitive", "fleet", "imbalance", "kernels", "multiclass", "rare_class", "raw_table", "second-order"),
    *("selective-sampling", "certified", "multilabel", "export", "sweeps", "tables", "budgets", "embeddings"),
    "notebook",
)


def compiled_if_long(name: str) -> list[pytest.MarkDecorator]:
    """The marks for the examples of a page, module or script."""
    kind = pytest.mark.compiled if any(word in name for word in LONG_EXAMPLES) else pytest.mark.plain
    return [kind, pytest.mark.slow] if name in SLOW_EXAMPLES else [kind]


def rest_in_soak(values: Iterable[Any], few: Container[Any], by: Any = lambda value: value) -> list[Any]:
    """The values for a test of which all but the few wait for the soak."""
    return [value if by(value) in few else _marked(value, pytest.mark.soak) for value in values]


def rest_slow(values: Iterable[Any], few: Container[Any], by: Any = lambda value: value) -> list[Any]:
    """The values for a test of which all but the few wait for `make slow`."""
    return [value if by(value) in few else _marked(value, pytest.mark.slow) for value in values]


def _marked(value: Any, *marks: pytest.MarkDecorator) -> Any:
    values = value if type(value) is tuple else (value,)
    return pytest.param(*values, marks=marks)


def one_of_each_form() -> list[str]:
    """A name of the catalog for each form of states, for two classes and for many, weights and dual form."""
    kinds: dict[Any, str] = {}
    for name, entry in askance.catalog.items():
        update = entry.build()[0]
        kinds.setdefault((type(form_of(update.start(0, np.float64))), isinstance(update, DUAL), entry.kind), name)
    return list(kinds.values())
