"""The kernel forms: every one takes the parameters of its kernel and a budget of support vectors."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from askance.algorithms.entry import ACTIVE, SELECTIVE, Build, Entry, entry
from askance.rules.kernel import Kernelized, SecondOrder
from askance.rules.kernel.kernels import kernel_named
from askance.rules.query import Adaptive, Margin, QueryRule
from askance.rules.update import PassiveAggressive, PassiveAggressive1, PassiveAggressive2, Perceptron, UpdateRule

# None is what the kernel itself has.
KERNEL: Mapping[str, Any] = {"kernel": "linear", "gamma": None, "degree": None, "coef0": None}


def by_kernel(build: Callable[..., tuple[UpdateRule | None, QueryRule]]) -> Build:
    """The dual form of what `build` makes, and of the second-order Perceptron if it makes no update rule."""

    def whole(budget: int | None = None, **given: Any) -> tuple[UpdateRule, QueryRule]:
        kernel = kernel_named(**{name: given.pop(name, default) for name, default in KERNEL.items()})
        update, query = build(**given)
        return SecondOrder(kernel, budget) if update is None else Kernelized(update, kernel, budget), query

    defaults = {name: own.default for name, own in inspect.signature(build).parameters.items()}
    parameters = {**defaults, **KERNEL, "budget": None}
    kind = inspect.Parameter.KEYWORD_ONLY
    listed = [inspect.Parameter(name, kind, default=default) for name, default in parameters.items()]
    whole.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
    return whole


ENTRIES: Mapping[str, Entry] = {
    "K-SEL-P": entry(SELECTIVE, "section 2", by_kernel(lambda b=1.0: (Perceptron(), Margin(b))), sgn0=-1),
    "K-SEL-ADA": entry(
        SELECTIVE, "section 2", by_kernel(lambda beta=1.0: (Perceptron(), Adaptive(beta))), sgn0=-1
    ),
    "K-SEL-2ND": entry(SELECTIVE, "section 2", by_kernel(lambda b=1.0: (None, Margin(b))), sgn0=-1),
    "K-PAA": entry(ACTIVE, "algorithm 2", by_kernel(lambda delta=1.0: (PassiveAggressive(), Margin(delta)))),
    "K-PAA-I": entry(
        ACTIVE, "algorithm 2", by_kernel(lambda delta=1.0, C=1.0: (PassiveAggressive1(C), Margin(delta)))
    ),
    "K-PAA-II": entry(
        ACTIVE, "algorithm 2", by_kernel(lambda delta=1.0, C=1.0: (PassiveAggressive2(C), Margin(delta)))
    ),
}
