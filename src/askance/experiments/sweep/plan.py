"""The plan of a sweep: what is tried on what. All that can be wrong with it is found before the first pass."""

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from askance.algorithms import look_up, parts_of
from askance.experiments.dataset import Material
from askance.experiments.sweep.trial import Candidate
from askance.metrics.measures import check_kind, find
from askance.rules.query import Always
from askance.rules.registry import MULTICLASS, check_rules, with_floats

# What the papers search the penalty in: 2^-5 to 2^5.
GRID: Mapping[str, Sequence[float]] = {"C": tuple(2.0**power for power in range(-5, 6))}


class Method(NamedTuple):
    """An algorithm of the plan: a name of the catalog, and the settings of its parameters that are tried."""

    label: str
    name: str
    settings: tuple[Mapping[str, Any], ...]

    @property
    def many(self) -> bool:
        """Whether it is for more than two classes."""
        return look_up(self.name).kind == MULTICLASS

    @property
    def asks_for_all(self) -> bool:
        """Whether it uses every label."""
        return isinstance(self.candidate(self.settings[0]).query, Always)

    def candidate(self, setting: Mapping[str, Any], factor: float = 1.0) -> Candidate:
        """The learner of a setting, made `factor` times as eager to ask."""
        parts = parts_of(self.name, setting)
        query = with_floats(parts.query)
        return Candidate(
            with_floats(parts.update), query if factor == 1.0 else query.scaled(factor), int(parts.sgn0)
        )


class Plan(NamedTuple):
    """What a sweep does. Permutations that decide on settings are others than those that are reported."""

    methods: tuple[Method, ...]
    permutations: int
    tuning: int
    rates: tuple[float, ...] | None
    metric: str
    random_state: int
    dtype: str
    points: int

    def told(self) -> str:
        """How settings were chosen, in words."""
        if self.rates is None:
            return "nothing was tuned: every setting is reported"
        first = self.permutations
        return (
            f"settings by the mean {self.metric} on permutations {first} to {first + self.tuning - 1}, none of "
            "which is reported; eagerness by the share of labels on each of those reported"
        )


def make_plan(
    data: Sequence[Material],
    algorithms: Sequence[str] | Mapping[str, Any],
    grid: Mapping[str, Any] | None,
    permutations: int,
    rates: Sequence[float] | None,
    metric: str | None,
    random_state: int,
    *,
    tuning: int,
    dtype: str,
    points: int,
) -> Plan:
    """A plan, checked: ValueError in one sentence if any part of it cannot be done."""
    if not data:
        raise ValueError("a sweep needs a data set")
    kinds = {one.many for one in data}
    if len(kinds) > 1:
        raise ValueError("data sets of two classes and of more need different algorithms: sweep them apart")
    many = kinds.pop()
    metric = metric or ("accuracy" if many else "f")
    if find(metric).of_scores:
        raise ValueError(
            f"a sweep keeps counts and no scores, so it cannot tell {metric!r}: choose another metric"
        )
    check_kind(metric, many=many)
    for number, what in ((permutations, "permutations"), (tuning, "tuning"), (points, "points")):
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < 1:
            raise ValueError(f"{what} must be a whole number from 1 on, not {number!r}")
    methods = tuple(_methods(algorithms, GRID if grid is None else grid, searched=rates is not None))
    for method in methods:
        if method.many != many:
            kind = "more than two classes" if method.many else "two classes"
            raise ValueError(f"{method.label} is for {kind}, and {data[0].name} has {len(data[0].classes)}")
    return Plan(
        methods, int(permutations), int(tuning), _rates(rates), metric, int(random_state), dtype, int(points)
    )


def _rates(rates: Sequence[float] | None) -> tuple[float, ...] | None:
    if rates is None:
        return None
    wanted = tuple(float(rate) for rate in np.atleast_1d(np.asarray(rates, dtype=float)))
    if not wanted:
        raise ValueError("rates must name at least one share of labels, or be None")
    for rate in wanted:
        if not 0 < rate <= 1:
            raise ValueError(f"a rate is a share of the labels, greater than 0 and at most 1, not {rate}")
    return wanted


def _methods(algorithms: Any, grid: Mapping[str, Any], *, searched: bool) -> list[Method]:
    if isinstance(algorithms, str):
        algorithms = [algorithms]
    named = algorithms if isinstance(algorithms, Mapping) else {name: name for name in algorithms}
    if not named:
        raise ValueError("a sweep needs an algorithm")
    per_algorithm = {key: value for key, value in grid.items() if isinstance(value, Mapping)}
    for key in per_algorithm:
        if key not in named:
            raise ValueError(f"the grid names {key!r}, which is none of the algorithms")
    common = {key: value for key, value in grid.items() if key not in per_algorithm}
    methods = []
    for label, given in named.items():
        name, fixed = (given, {}) if isinstance(given, str) else (given[0], dict(given[1]))
        own = per_algorithm.get(label, {})
        methods.append(Method(label, name, tuple(_settings(label, name, fixed, common, own, searched=searched))))
    for key in () if grid is GRID else common:
        if not any(key in look_up(method.name).defaults for method in methods):
            raise ValueError(f"the grid names {key!r}, which no algorithm of the plan has for a parameter")
    return methods


def _settings(
    label: str,
    name: str,
    fixed: Mapping[str, Any],
    common: Mapping[str, Any],
    own: Mapping[str, Any],
    *,
    searched: bool,
) -> list[dict[str, Any]]:
    """Every combination of the values that are tried, checked by making its rules."""
    known = look_up(name).defaults
    tried = {key: values for key, values in common.items() if key in known and key not in fixed} | dict(own)
    for key, values in tried.items():
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or not len(values):
            raise ValueError(f"the grid of {key} must list at least one value, not {values!r}")
    settings = [
        {**fixed, **dict(zip(tried, values, strict=True))} for values in itertools.product(*tried.values())
    ]
    for setting in settings:
        parts = parts_of(name, setting)
        check_rules(with_floats(parts.update), with_floats(parts.query), many=look_up(name).kind == MULTICLASS)
        if searched and not (hasattr(parts.query, "scaled") or isinstance(parts.query, Always)):
            raise ValueError(f"{label}: its query rule cannot be made to ask at a given rate")
    return settings


def as_json(setting: Mapping[str, Any]) -> str:
    """A setting as text, the same for equal settings."""
    return json.dumps({key: _number(value) for key, value in setting.items()}, sort_keys=True)


def _number(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return "inf" if isinstance(value, float) and math.isinf(value) else value
