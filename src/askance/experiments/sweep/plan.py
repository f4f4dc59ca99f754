"""The plan of a sweep: algorithms, settings and data sets, checked before the first run."""

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from askance.algorithms import look_up, parts_of
from askance.experiments.dataset import Dataset
from askance.experiments.sweep.trial import Candidate
from askance.metrics.measures import check_kind, find
from askance.rules.query import Always
from askance.rules.registry import MULTICLASS, check_rules, with_floats

# The range of penalties that the papers search, 2^-5 to 2^5.
GRID: Mapping[str, Sequence[float]] = {"C": tuple(2.0**power for power in range(-5, 6))}


class SweptAlgorithm(NamedTuple):
    """An algorithm of the plan: a name of the catalog, and the settings that are tried."""

    label: str
    name: str
    settings: tuple[Mapping[str, Any], ...]

    @property
    def many(self) -> bool:
        """Whether the algorithm is for more than two classes."""
        return look_up(self.name).kind == MULTICLASS

    @property
    def asks_for_all(self) -> bool:
        """Whether the algorithm uses every label."""
        return isinstance(self.candidate(self.settings[0]).query, Always)

    def candidate(self, setting: Mapping[str, Any], factor: float = 1.0) -> Candidate:
        """Return the rules of a setting, made `factor` times as eager to ask."""
        parts = parts_of(self.name, setting)
        query = with_floats(parts.query)
        return Candidate(
            with_floats(parts.update), query if factor == 1.0 else query.scaled(factor), int(parts.sgn0)
        )


class SweepPlan(NamedTuple):
    """What a sweep runs. Settings are chosen on permutations that are not reported."""

    methods: tuple[SweptAlgorithm, ...]
    permutations: int
    tuning: int
    rates: tuple[float, ...] | None
    metric: str
    random_state: int
    dtype: str
    points: int
    threads: int = 1  # of each part of the sweep; results do not depend on it

    def describe_tuning(self) -> str:
        """Say in words how settings are chosen."""
        if self.rates is None:
            return "not tuned: every setting is reported"
        first = self.permutations
        return (
            f"settings by the mean {self.metric} on permutations {first} to {first + self.tuning - 1}, which are "
            "not reported; eagerness by the share of labels on each reported permutation"
        )


def make_plan(
    data: Sequence[Dataset],
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
) -> SweepPlan:
    """Create a plan; ValueError if any part of it cannot be run."""
    if not data:
        raise ValueError("a sweep needs at least one data set")
    kinds = {one.many for one in data}
    if len(kinds) > 1:
        raise ValueError(
            "data sets with two classes and with more need different algorithms: sweep them separately"
        )
    many = kinds.pop()
    metric = metric or ("accuracy" if many else "f")
    if find(metric).of_scores:
        raise ValueError(f"{metric!r} needs scores, but a sweep stores only counts: choose another metric")
    check_kind(metric, many=many)
    for number, what in ((permutations, "permutations"), (tuning, "tuning"), (points, "points")):
        if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < 1:
            raise ValueError(f"{what} must be a positive integer, not {number!r}")
    methods = tuple(_methods(algorithms, GRID if grid is None else grid, searched=rates is not None))
    for method in methods:
        if method.many != many:
            kind = "more than two classes" if method.many else "two classes"
            raise ValueError(f"{method.label} is for {kind}, but {data[0].name} has {len(data[0].classes)}")
    return SweepPlan(
        methods, int(permutations), int(tuning), _rates(rates), metric, int(random_state), dtype, int(points)
    )


def _rates(rates: Sequence[float] | None) -> tuple[float, ...] | None:
    if rates is None:
        return None
    wanted = tuple(float(rate) for rate in np.atleast_1d(np.asarray(rates, dtype=float)))
    if not wanted:
        raise ValueError("rates must have at least one share of labels, or be None")
    for rate in wanted:
        if not 0 < rate <= 1:
            raise ValueError(f"rates must be shares of the labels, greater than 0 and at most 1, not {rate}")
    return wanted


def _methods(algorithms: Any, grid: Mapping[str, Any], *, searched: bool) -> list[SweptAlgorithm]:
    if isinstance(algorithms, str):
        algorithms = [algorithms]
    named = algorithms if isinstance(algorithms, Mapping) else {name: name for name in algorithms}
    if not named:
        raise ValueError("a sweep needs at least one algorithm")
    per_algorithm = {key: value for key, value in grid.items() if isinstance(value, Mapping)}
    for key in per_algorithm:
        if key not in named:
            raise ValueError(f"the grid has {key!r}, which is not one of the algorithms")
    common = {key: value for key, value in grid.items() if key not in per_algorithm}
    methods = []
    for label, given in named.items():
        name, fixed = (given, {}) if isinstance(given, str) else (given[0], dict(given[1]))
        own = per_algorithm.get(label, {})
        methods.append(
            SweptAlgorithm(label, name, tuple(_settings(label, name, fixed, common, own, searched=searched)))
        )
    for key in () if grid is GRID else common:
        if not any(key in look_up(method.name).defaults for method in methods):
            raise ValueError(f"the grid has {key!r}, which is not a parameter of any algorithm in the plan")
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
    """Return every combination of values, checked by creating its rules."""
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
            raise ValueError(f"{label}: its query rule cannot be adjusted to a rate")
    return settings


def as_json(setting: Mapping[str, Any]) -> str:
    """Return a setting as JSON text, the same text for equal settings."""
    return json.dumps({key: _number(value) for key, value in setting.items()}, sort_keys=True)


def _number(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return "inf" if isinstance(value, float) and math.isinf(value) else value
