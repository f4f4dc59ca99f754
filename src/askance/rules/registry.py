"""Functions for all rules: check them, list them, find them by name, and change their parameters."""

import functools
import inspect
from collections.abc import Iterator, Mapping
from typing import Any, get_type_hints

from askance._util.parameters import check_parameters
from askance.rules.imbalance import MEASURES
from askance.rules.imbalance import RULES as IMBALANCE
from askance.rules.kernel import KERNELS
from askance.rules.kernel import RULES as DUAL
from askance.rules.query import RULES as QUERIES
from askance.rules.query import WRAPPERS, AtRate, QueryRule, RowQueryRule, ScalableRule
from askance.rules.query.rule import needs_spread
from askance.rules.regression import LOSSES as RESIDUAL_LOSSES
from askance.rules.regression import QUERIES as REGRESSION_QUERIES
from askance.rules.regression import RULES as REGRESSION
from askance.rules.update import RULES as UPDATES
from askance.rules.update import UpdateRule
from askance.rules.update.losses import LOSSES
from askance.rules.update.rule import about

BINARY, MULTICLASS = "binary", "multiclass"


def is_rule(value: Any) -> bool:
    """Return whether `value` is a named tuple, as every rule is."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def parameters_of(rule: Any) -> dict[str, Any]:
    """Return the parameters of a rule by name; those of a rule inside it as `inner__name`."""
    found: dict[str, Any] = {}
    for name, value in rule._asdict().items():
        found[name] = value
        if is_rule(value):
            found |= {f"{name}__{inner}": one for inner, one in parameters_of(value).items()}
    return found


def with_parameters(rule: Any, parameters: Mapping[str, Any]) -> Any:
    """Return a copy of a rule with some parameters changed; `inner__name` is a parameter of a rule inside it."""
    for name, value in parameters.items():
        part, _, rest = name.partition("__")
        changed = with_parameters(getattr(rule, part), {rest: value}) if rest else value
        rule = rule._replace(**{part: changed})
    return rule


def check_rules(update: Any, query: Any, *, many: bool = False, regression: bool = False) -> None:
    """Raise ValueError or TypeError if a rule is not valid, or rules do not fit together or the kind of label."""
    for rule in _with_inner(update):
        _check_methods(rule, UpdateRule, "an update rule")
        check_parameters(rule, rule.constraints())
    if hasattr(update, "check"):
        update.check()
    _check_kind(update, regression=regression)
    if needs_spread(query) and not about(update).has_spread:
        raise ValueError(
            f"{type(query).__name__} needs a spread, which {type(update).__name__} does not have: "
            f"use an update rule that has one, such as AROW or MirrorDescent, or the query rule Margin"
        )
    if many and not about(update).many_classes:
        if getattr(update, "full", False) and about(update._replace(full=False)).many_classes:
            raise ValueError(f"{type(update).__name__} keeps a full matrix for two classes only: use full=False")
        able = ", ".join(rule.__name__ for rule in UPDATES if about(rule()).many_classes)
        raise ValueError(f"{type(update).__name__} is for two classes: for more classes use {able}")
    while query is not None:
        _check_methods(query, QueryRule, "a query rule")
        check_parameters(query, query.constraints())
        if hasattr(query, "see"):
            _check_methods(query, RowQueryRule, "a query rule that sees rows")
        if isinstance(query, AtRate):
            _check_scaled(query.inner)
        query = getattr(query, "inner", None)


def _check_scaled(query: Any) -> None:
    if not hasattr(query, "scaled"):
        raise ValueError(f"AtRate needs a rule with a method scaled, which {type(query).__name__} does not have")
    _check_methods(query, ScalableRule, "a query rule for AtRate")
    if hasattr(query, "inner"):
        _check_scaled(query.inner)


def _check_kind(update: Any, *, regression: bool) -> None:
    kind = type(update).__name__
    if isinstance(update, REGRESSION) and not regression:
        raise TypeError(f"{kind} learns numbers: use it with StreamRegressor, or a rule of askance.updates here")
    if regression and isinstance(getattr(update, "inner", update), (*UPDATES, *DUAL, *IMBALANCE)):
        raise TypeError(f"{kind} learns classes: use a rule of askance.regression, or Learner for classes")


def _with_inner(rule: Any) -> Iterator[Any]:
    yield rule
    if hasattr(rule, "inner"):
        yield from _with_inner(rule.inner)


def _check_methods(rule: Any, protocol: type, kind: str) -> None:
    if isinstance(rule, type) or not is_rule(rule):
        raise TypeError(f"{kind} must be a named tuple such as {_example(protocol)}, not {rule!r}")
    _check_methods_of(type(rule), protocol, kind)  # type: ignore[arg-type]  # types are hashable


@functools.lru_cache(maxsize=256)  # reading signatures takes most of the time in which a learner is made
def _check_methods_of(rule: type, protocol: type, kind: str) -> None:
    for method, wanted in vars(protocol).items():
        if method.startswith("_") or not inspect.isfunction(wanted):
            continue
        found = getattr(rule, method, None)
        if found is None:
            raise TypeError(f"{rule.__name__} is not {kind}: it has no method {method!r}")
        parameters = list(inspect.signature(wanted).parameters)
        if list(inspect.signature(found).parameters) != parameters:
            raise TypeError(f"{rule.__name__}.{method} must take the parameters ({', '.join(parameters)})")


def _example(protocol: type) -> str:
    return "updates.PassiveAggressive2(C=1.0)" if protocol is UpdateRule else "queries.Margin(b=1.0)"


def with_floats(rule: Any) -> Any:
    """Return the rule with its float parameters as floats, so that C=1 and C=1.0 share compiled code."""
    hints = get_type_hints(type(rule))
    fields = rule._asdict().items()
    return type(rule)(**{name: _plain(value, hints.get(name)) for name, value in fields})


def _plain(value: Any, hint: Any) -> Any:
    if hasattr(value, "_fields"):
        return with_floats(value)
    return float(value) if hint is float else value


def known_rules(extra: tuple[type, ...] = ()) -> dict[str, type]:
    """Return every registered rule and the given ones by name; ValueError if two rules have the same name."""
    rules: dict[str, type] = {}
    for rule in (
        *UPDATES,
        *LOSSES.values(),
        *DUAL,
        *KERNELS,
        *IMBALANCE,
        *MEASURES.values(),
        *QUERIES,
        *WRAPPERS,
        *REGRESSION,
        *RESIDUAL_LOSSES.values(),
        *REGRESSION_QUERIES,
        *extra,
    ):
        if rules.setdefault(rule.__name__, rule) is not rule:
            raise ValueError(f"two rules are named {rule.__name__}: rename one of them")
    return rules


def get_params(self: Any, deep: bool = True) -> dict[str, Any]:
    """Return the parameters by name; with `deep`, also those of rules inside this one, as `inner__name`."""
    return parameters_of(self) if deep else dict(self._asdict())


def set_params(self: Any, **params: Any) -> Any:
    """Return a copy with some parameters changed. Rules are immutable."""
    return with_parameters(self, params)


# Assigned here, because named tuples cannot inherit from a base class.
for _rule in known_rules().values():
    _rule.get_params = get_params  # type: ignore[attr-defined]
    _rule.set_params = set_params  # type: ignore[attr-defined]
