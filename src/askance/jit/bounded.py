"""Probabilities of rules that are not ours, which may be any number."""

from typing import Any

from numba.extending import overload

from askance.jit.interop import INLINE, inlined
from askance.jit.select import maximum, minimum
from askance.jit.source_digest import is_ours


def bounded(rule: Any, probability: Any) -> Any:
    """Return the probability that a query rule has returned: from 0 to 1, if the rule is not of this package.

    NaN stays NaN, for `askance.engine.own_rules` to find. Rules of the package keep to these bounds themselves, so
    that their compiled code does not change.
    """
    return probability if is_ours(type(rule)) else _clipped(probability)


@inlined
def _clipped(probability: Any) -> Any:
    return minimum(1.0, maximum(0.0, probability))


@overload(bounded, jit_options=INLINE)
def _compiled_bounded(rule, probability):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if is_ours(rule.instance_class):
        return lambda rule, probability: probability  # noqa: ARG005
    return lambda rule, probability: _clipped(probability)  # noqa: ARG005
