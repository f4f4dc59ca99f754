"""The plan of a sweep: algorithms, settings and data sets, checked before the first run."""

import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from askance.algorithms import look_up
from askance.errors import DataError, shown
from askance.experiments.dataset import Dataset, as_seen
from askance.experiments.sweep.pair import RulePair, can_scale, defaults_of, given_algorithm, is_known, parts_with
from askance.experiments.sweep.results import NOT_TUNED
from askance.experiments.sweep.trial import Candidate
from askance.learners.settings import Settings
from askance.metrics.measures import check_kind, find
from askance.rules.query import Always
from askance.rules.registry import MULTICLASS, check_rules, with_floats

# The range of penalties that the papers search, 2^-5 to 2^5.
GRID: Mapping[str, Sequence[float]] = {"C": tuple(2.0**power for power in range(-5, 6))}


class SweptAlgorithm(NamedTuple):
    """An algorithm of the plan: a name of the catalog or a pair of rules, and the settings that are tried."""

    label: str
    given: str | RulePair
    settings: tuple[Mapping[str, Any], ...]

    @property
    def key(self) -> str | None:
        """The text that tells the algorithm from others; None if its code may change while the text stays."""
        if isinstance(self.given, str):
            return self.given
        return repr(tuple(map(with_floats, self.given))) if is_known(self.given) else None

    @property
    def asks_for_all(self) -> bool:
        """Whether the algorithm uses every label."""
        return isinstance(self.candidate(self.settings[0]).query, Always)

    def candidate(self, setting: Mapping[str, Any], factor: float = 1.0) -> Candidate:
        """Return the rules of a setting, made `factor` times as eager to ask."""
        parts = parts_with(self.label, self.given, setting)
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
    intercept: float = 0.0
    scaling: str | None = None
    threads: int = 1  # of each part of the sweep; results do not depend on it

    @property
    def learner_settings(self) -> Settings:
        """The parameters of learners, apart from their rules and classes."""
        return Settings(dtype=self.dtype, intercept=self.intercept, scaling=self.scaling)

    def describe_tuning(self) -> str:
        """Say in words how settings are chosen."""
        if self.rates is None:
            return NOT_TUNED
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
    intercept: float = 0.0,
    scaling: str | None = None,
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
    settings = Settings(dtype=dtype, intercept=intercept, scaling=scaling)
    _check_features(data, settings)
    methods = tuple(_methods(algorithms, GRID if grid is None else grid, data[0], searched=rates is not None))
    for method in methods:
        settings.check_for(method.candidate(method.settings[0]).update)
    return SweepPlan(
        methods,
        int(permutations),
        int(tuning),
        _rates(rates),
        metric,
        int(random_state),
        dtype,
        int(points),
        float(intercept),
        scaling,
    )


def _check_features(data: Sequence[Dataset], settings: Settings) -> None:
    """Raise ValueError if the rows of a data set cannot be scaled."""
    settings.check("sweep")
    for one in data:
        try:
            as_seen(one.X[:1], settings.features())
        except DataError as error:
            raise DataError(f"{one.name}: {error}", parameter=error.parameter) from None


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


def _named(algorithms: Any) -> Mapping[str, Any]:
    """Return the algorithms by label."""
    if isinstance(algorithms, Mapping):
        return algorithms
    names = [algorithms] if isinstance(algorithms, str) or not isinstance(algorithms, Iterable) else algorithms
    for name in names:
        if not isinstance(name, str):
            raise ValueError(
                "algorithms must be names of the catalog, or a mapping of labels to names or pairs of rules: "
                f'{{"mine": (updates.AROW(), queries.Margin())}}, not {shown(name)}'
            )
    return {name: name for name in names}


def _methods(algorithms: Any, grid: Mapping[str, Any], data: Dataset, *, searched: bool) -> list[SweptAlgorithm]:
    named = _named(algorithms)
    if not named:
        raise ValueError("a sweep needs at least one algorithm")
    per_algorithm = {key: value for key, value in grid.items() if isinstance(value, Mapping)}
    for key in per_algorithm:
        if key not in named:
            raise ValueError(f"the grid has {key!r}, which is not one of the algorithms")
    common = {key: value for key, value in grid.items() if key not in per_algorithm}
    methods = []
    for label, value in named.items():
        given, fixed = given_algorithm(label, value)
        own = per_algorithm.get(label, {})
        method = SweptAlgorithm(label, given, tuple(_settings(given, fixed, common, own)))
        _check(method, data, searched=searched)
        methods.append(method)
    for key in () if grid is GRID else common:
        if not any(key in defaults_of(method.given) for method in methods):
            raise ValueError(f"the grid has {key!r}, which is not a parameter of any algorithm in the plan")
    return methods


def _settings(
    given: str | RulePair, fixed: Mapping[str, Any], common: Mapping[str, Any], own: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return every combination of values."""
    known = defaults_of(given)
    tried = {key: values for key, values in common.items() if key in known and key not in fixed} | dict(own)
    for key, values in tried.items():
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or not len(values):
            raise ValueError(f"the grid of {key} must list at least one value, not {values!r}")
    return [{**fixed, **dict(zip(tried, values, strict=True))} for values in itertools.product(*tried.values())]


def _check(method: SweptAlgorithm, data: Dataset, *, searched: bool) -> None:
    """Create the rules of each setting; ValueError or TypeError if they cannot be run on the data."""
    many = data.many if isinstance(method.given, RulePair) else look_up(method.given).kind == MULTICLASS
    for setting in method.settings:
        update, query, _ = method.candidate(setting)
        check_rules(update, query, many=many)
        if searched and not (can_scale(query) or isinstance(query, Always)):
            raise ValueError(
                f"{method.label}: {type(query).__name__} cannot be adjusted to a rate: use a query rule with a "
                "method scaled, or rates=None"
            )
    if many != data.many:
        kind = "more than two classes" if many else "two classes"
        raise ValueError(f"{method.label} is for {kind}, but {data.name} has {len(data.classes)}")


def as_json(setting: Mapping[str, Any]) -> str:
    """Return a setting as JSON text, the same text for equal settings."""
    return json.dumps({key: _number(value) for key, value in setting.items()}, sort_keys=True)


def _number(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return "inf" if isinstance(value, float) and math.isinf(value) else value
