"""The results of a sweep: a tidy table with one row per run, and its summary."""

import dataclasses
import math
import os
import pathlib
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.atomic_write import write_whole
from askance._util.optional import require
from askance.experiments.statistics import Ranking, deviation, mean, paired_t_test, ranking, t_interval
from askance.experiments.sweep.results_file import (
    RUN,
    Columns,
    ResultsContent,
    arrow_table,
    from_bytes,
    rows_by_run,
    times_path,
    times_to_bytes,
    to_bytes,
)
from askance.metrics.measures import METRICS, find

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

KINDS: Mapping[str, type] = {
    "data": str,
    "algorithm": str,
    "rate": float,
    "permutation": int,
    "parameters": str,
    "tuned_on": str,
    "asked": float,
    "updates": int,
    "mistakes": int,
    "seconds": float,
}
CURVE_KINDS: Mapping[str, type] = {**{name: KINDS[name] for name in RUN}, "round": int, "mistakes": int}
ALL_LABELS = 1.0  # the rate of methods that use every label
LEVEL = 0.05  # of the tests
NOT_TUNED = "not tuned: every setting is reported"


class Quantity(NamedTuple):
    """What a summary can describe: a metric, or what a run cost."""

    title: str
    larger_is_better: bool
    is_share: bool


COSTS = {
    "asked": Quantity("labels asked", larger_is_better=False, is_share=True),
    "updates": Quantity("updates", larger_is_better=False, is_share=False),
    "seconds": Quantity("seconds", larger_is_better=False, is_share=False),
}
COUNTS = ("mistakes", "cost")  # metrics that are not shares


@dataclasses.dataclass(frozen=True)
class Cell:
    """The summary of an algorithm on a data set at a rate, over permutations.

    `low` and `high` are the ends of the 95 % confidence interval of the mean. `is_best` marks the best mean of the
    data set and rate; `ties` marks those that are not significantly worse in a paired t-test over the same
    permutations.
    """

    data: str
    algorithm: str
    rate: float
    mean: float
    deviation: float
    count: int
    low: float
    high: float
    asked: float
    is_best: bool = False
    ties: bool = False


class Standing(NamedTuple):
    """The ranks of algorithms at a rate, over the data sets on which all of them were run."""

    rate: float
    algorithms: tuple[str, ...]
    data: tuple[str, ...]
    ranking: Ranking


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Results:
    """The results of a sweep, one row per run.

    Parameters
    ----------
    columns : dict of str to ndarray
        Columns of equal length. `rate` is the wanted share of labels, and `asked` the share that was asked for.
    metrics : tuple of str
        The metrics among the columns.
    main : str
        The metric for which settings were chosen.
    curves : dict of str to ndarray, optional
        One row per recorded moment of a run: its `round`, and the `mistakes` up to it.
    positive : mapping of str to object, optional
        The positive class of each data set with two classes. It is not saved.
    most_frequent : mapping of str to float, optional
        The share of the most frequent class of each data set, which is the accuracy of always predicting it. It is
        not saved.

    See Also
    --------
    askance.sweep : Runs a sweep and returns its results.

    Examples
    --------
    >>> import numpy as np
    >>> import askance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> y = np.where(X[:, 0] > 0, 1, -1)
    >>> results = askance.sweep(
    ...     {"toy": (X, y)}, ["PAA-II"], {"C": [1.0]}, permutations=2, rates=[0.2], tuning=1, backend="sequential"
    ... )
    >>> results
    <Results: 1 data sets, 1 algorithms, 2 runs, tuned for f>
    >>> [(cell.algorithm, cell.count) for cell in results.summary("accuracy")]
    [('PAA-II', 2)]
    """

    columns: Columns
    metrics: tuple[str, ...]
    main: str
    curves: Columns | None = None
    positive: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    most_frequent: Mapping[str, float] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        for metric in self.metrics:
            find(metric)
        if self.main not in self.metrics:
            raise ValueError(
                f"the main metric {self.main!r} is not one of {', '.join(self.metrics) or 'no metrics'}"
            )
        kinds = {**dict.fromkeys(self.metrics, float), **KINDS}
        # The way to set a field of a frozen class.
        object.__setattr__(self, "columns", _checked(self.columns, kinds, "results"))
        if self.curves is not None:
            object.__setattr__(self, "curves", _checked(self.curves, CURVE_KINDS, "curves"))
        rates = self.columns["rate"]
        if not np.all((rates > 0) & (rates <= 1)):
            raise ValueError("rates must be shares of the labels, greater than 0 and at most 1")
        rows_by_run(self.columns)

    def __len__(self) -> int:
        return len(self.columns["data"])

    def __repr__(self) -> str:
        return (
            f"<Results: {len(self.data_sets)} data sets, {len(self.algorithms)} algorithms, {len(self)} runs, "
            f"tuned for {self.main}>"
        )

    @property
    def data_sets(self) -> tuple[str, ...]:
        """The names of the data sets, in order of appearance."""
        return tuple(dict.fromkeys(self.columns["data"].tolist()))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names of the algorithms, in order of appearance."""
        return tuple(dict.fromkeys(self.columns["algorithm"].tolist()))

    @property
    def rates(self) -> tuple[float, ...]:
        """The wanted shares of labels, in ascending order."""
        return tuple(np.unique(self.columns["rate"]).tolist())

    @property
    def is_tuned(self) -> bool:
        """Whether methods were set to the rates, so that the shares that they asked for say nothing about them."""
        return bool((self.columns["tuned_on"] != NOT_TUNED).any())

    @property
    def full_methods(self) -> tuple[str, ...]:
        """The algorithms that use every label, which have no other rate."""
        choosing = set(self.columns["algorithm"][self.columns["rate"] != ALL_LABELS].tolist())
        return tuple(name for name in self.algorithms if name not in choosing)

    def where(
        self,
        data: str | Iterable[str] | None = None,
        algorithm: str | Iterable[str] | None = None,
        rate: float | Iterable[float] | None = None,
    ) -> "Results":
        """Select the runs of one or several data sets, algorithms and rates."""
        wanted = {
            "data": _chosen(data, self.data_sets, "data set"),
            "algorithm": _chosen(algorithm, self.algorithms, "algorithm"),
            "rate": _chosen(rate, self.rates, "rate"),
        }

        return self._select(
            lambda runs: np.all([np.isin(runs[name], values) for name, values in wanted.items()], axis=0)
        )

    def at_rate(self, rate: float) -> "Results":
        """Select the runs at a rate, and those of algorithms that use every label."""
        (same,) = _chosen(rate, self.rates, "rate")
        return self._select(lambda runs: (runs["rate"] == same) | np.isin(runs["algorithm"], self.full_methods))

    def summary(self, metric: str | None = None) -> list[Cell]:
        """Return mean, deviation and interval of each algorithm on each data set at each rate.

        Parameters
        ----------
        metric : str, optional
            One of `metrics`, or "asked", "updates", "mistakes" or "seconds". Default: `main`.

        Returns
        -------
        list of Cell
            One cell per data set, rate and algorithm.
        """
        name = self.main if metric is None else metric
        larger_is_better, values = self.quantity(name).larger_is_better, self.columns[name]
        groups = self._groups()
        cells: list[Cell] = []
        for data in self.data_sets:
            for rate in self.rates:
                group = groups.get((data, rate), {})
                competitors = [
                    _Competitor(self._cell(data, algorithm, rate, values, list(runs.values())), runs)
                    for algorithm, runs in group.items()
                ]
                cells.extend(_with_best(competitors, values, larger_is_better))
        return cells

    def standings(self, metric: str | None = None) -> list[Standing]:
        """Return the average ranks of algorithms over data sets, separately for each rate.

        Rates are not pooled, because they are not independent on the same data set.
        """
        name = self.main if metric is None else metric
        larger_is_better = self.quantity(name).larger_is_better
        means = {(cell.rate, cell.data, cell.algorithm): cell.mean for cell in self.summary(name)}
        standings = []
        for rate in self.rates:
            present = {algorithm for at, _, algorithm in means if at == rate}
            algorithms = tuple(algorithm for algorithm in self.algorithms if algorithm in present)
            table = {
                data: [means.get((rate, data, one), math.nan) for one in algorithms] for data in self.data_sets
            }
            whole = {data: row for data, row in table.items() if np.isfinite(row).all()}
            scores = np.array(list(whole.values())).reshape(len(whole), len(algorithms))
            ranked = ranking(scores, larger_is_better=larger_is_better, level=LEVEL)
            standings.append(Standing(rate, algorithms, tuple(whole), ranked))
        return standings

    def quantity(self, metric: str | None = None) -> Quantity:
        """Describe a metric of these results, or what runs cost."""
        name = self.main if metric is None else metric
        if name in COSTS:
            return COSTS[name]
        if name not in self.columns or name not in METRICS:
            known = dict.fromkeys((*self.metrics, "mistakes", *COSTS))
            raise ValueError(f"these results have no metric {name!r}: they have {', '.join(known)}")
        entry = METRICS[name]
        return Quantity(entry.title, entry.larger_is_better, is_share=name not in COUNTS)

    def to_arrow(self) -> "pyarrow.Table":
        """Return the columns as an Arrow table."""
        return arrow_table(self.columns)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the columns as a pandas data frame."""
        return require("pandas", None, "this table").DataFrame(self.columns)

    def to_polars(self) -> "polars.DataFrame":
        """Return the columns as a polars data frame."""
        return require("polars", None, "this table").DataFrame(self.columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write results and curves to a Parquet file, completely or not at all.

        The times differ in each sweep and have a file of their own: results.times.parquet for results.parquet. So
        the same plan in exact mode gives the same file on every machine.

        Parameters
        ----------
        path : str or path-like
            A name that ends in .parquet.
        """
        if pathlib.Path(path).suffix.lower() != ".parquet":
            raise ValueError(f"{os.fspath(path)!r} does not end in .parquet: results are saved as Parquet")
        content = to_bytes(ResultsContent(self.columns, self.metrics, self.main, self.curves))
        write_whole(path, content)
        write_whole(times_path(pathlib.Path(path)), times_to_bytes(self.columns, content))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Results":
        """Load results that `save` wrote. Without their file of times, `seconds` is nan.

        Parameters
        ----------
        path : str or path-like
            The Parquet file.

        Returns
        -------
        Results
            The saved results.

        Raises
        ------
        ValueError
            If the file cannot be read, is damaged, or is not a file of results.
        """
        try:
            content = pathlib.Path(path).read_bytes()
            times = times_path(pathlib.Path(path))
            seconds = times.read_bytes() if times.is_file() else None
        except OSError as error:
            raise ValueError(f"{os.fspath(path)} cannot be read: {error.strerror or error}") from None
        try:
            return cls(*from_bytes(content, seconds))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{os.fspath(path)} {error}: run the sweep again") from None

    def _select(self, condition: Callable[[Columns], NDArray[np.bool_]]) -> "Results":
        """Select the runs that meet a condition, with their curves."""

        def some(columns: Columns) -> Columns:
            keep = condition(columns)
            return {name: column[keep] for name, column in columns.items()}

        curves = None if self.curves is None else some(self.curves)
        return dataclasses.replace(self, columns=some(self.columns), curves=curves)

    def _groups(self) -> dict[tuple[str, float], dict[str, dict[int, int]]]:
        """Return, for each data set and rate, the rows of each algorithm by permutation."""
        groups: dict[tuple[str, float], dict[str, dict[int, int]]] = {}
        order = {algorithm: place for place, algorithm in enumerate(self.algorithms)}
        for (data, algorithm, rate, permutation), row in sorted(
            rows_by_run(self.columns).items(), key=lambda item: order[item[0][1]]
        ):
            groups.setdefault((data, rate), {}).setdefault(algorithm, {})[permutation] = row
        return groups

    def _cell(self, data: str, algorithm: str, rate: float, values: NDArray[Any], rows: list[int]) -> Cell:
        ours = values[rows]
        low, high = t_interval(ours)
        asked = mean(self.columns["asked"][rows])
        return Cell(data, algorithm, rate, mean(ours), deviation(ours), len(rows), low, high, asked)


class _Competitor(NamedTuple):
    """A cell before the best is marked, and the row of each of its permutations."""

    cell: Cell
    rows: dict[int, int]


def _with_best(group: list[_Competitor], values: NDArray[Any], larger_is_better: bool) -> list[Cell]:
    """Return the cells of one data set and rate, with the best and its ties marked."""
    means = [one.cell.mean for one in group if math.isfinite(one.cell.mean)]
    if not means:
        return [one.cell for one in group]
    top = max(means) if larger_is_better else min(means)
    best = next(one for one in group if one.cell.mean == top)
    return [
        dataclasses.replace(one.cell, is_best=True)
        if one.cell.mean == top
        else dataclasses.replace(one.cell, ties=_ties(one, best, values, larger_is_better))
        for one in group
    ]


def _ties(one: _Competitor, best: _Competitor, values: NDArray[Any], larger_is_better: bool) -> bool:
    """Return whether a test was possible and `one` is not significantly worse than the best."""
    common = sorted(one.rows.keys() & best.rows.keys())
    ours, theirs = (values[[competitor.rows[number] for number in common]] for competitor in (one, best))
    test = paired_t_test(ours, theirs)
    # On the permutations that both have, `one` may even be better.
    worse = test.statistic < 0 if larger_is_better else test.statistic > 0
    return not math.isnan(test.p) and not (worse and test.p < LEVEL)


def _checked(columns: Mapping[str, Any], kinds: Mapping[str, type], what: str) -> Columns:
    """Return the columns as arrays of their types and of one length."""
    absent = [name for name in kinds if name not in columns]
    if absent:
        raise ValueError(f"{what} need the columns {', '.join(kinds)}: missing {', '.join(absent)}")
    arrays = {name: _array(column, kinds.get(name), name) for name, column in columns.items()}
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of {what} must have the same length, not {lengths}")
    return arrays


def _array(column: Any, kind: type | None, name: str) -> NDArray[Any]:
    array = np.asarray(column)
    if array.ndim != 1:
        raise ValueError(f"the column {name!r} must have one dimension, not {array.ndim}")
    if kind is None:
        return array.astype(str) if array.dtype.kind in "OT" else array
    if kind is str or not array.size:
        return array.astype(kind)
    if not np.can_cast(array.dtype, kind, "same_kind"):  # 0.5 is not a count
        raise ValueError(f"the column {name!r} must hold {kind.__name__}, not {array.dtype}")
    return array.astype(kind)


def _chosen(wanted: Any, known: tuple[Any, ...], what: str) -> list[Any]:
    """Return the `known` values that are wanted; ValueError if one is unknown."""
    if wanted is None:
        return list(known)
    chosen: list[Any] = []
    several: list[Any] = [wanted] if isinstance(wanted, str | float | int) else list(wanted)
    for one in several:
        # 0.1 + 0.2 is the rate 0.3.
        same = [value for value in known if value == one or (what == "rate" and math.isclose(value, one))]
        if not same:
            raise ValueError(
                f"these results have no {what} {one!r}: they have {', '.join(map(str, known)) or 'none'}"
            )
        chosen += same
    return chosen
