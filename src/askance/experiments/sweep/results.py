"""The results of a sweep: a tidy table with one row a run, its summary and its file."""

import dataclasses
import importlib
import math
import os
import pathlib
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.atomic_write import write_whole
from askance.experiments.statistics import Ranking, deviation, mean, paired_t_test, ranking, t_interval
from askance.metrics.measures import METRICS, find

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Columns = dict[str, NDArray[Any]]

RUN = ("data", "algorithm", "rate", "permutation")  # these tell one run from another
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


class Quantity(NamedTuple):
    """What a summary can be about: a metric, or what a run took."""

    title: str
    larger_is_better: bool
    is_share: bool


TAKEN = {
    "asked": Quantity("labels asked", larger_is_better=False, is_share=True),
    "updates": Quantity("updates", larger_is_better=False, is_share=False),
    "seconds": Quantity("seconds", larger_is_better=False, is_share=False),
}
COUNTS = ("mistakes", "cost")  # the metrics that are no shares


@dataclasses.dataclass(frozen=True)
class Cell:
    """An algorithm on a data set at a rate, over permutations.

    `low` and `high` are the ends of the mean's 95 % interval. `is_best` marks the best mean of the data set and
    rate; `ties` the others that a paired t-test over the same permutations does not call worse.
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
    """The algorithms' ranks at a rate, over the data sets on which all of them were run."""

    rate: float
    algorithms: tuple[str, ...]
    data: tuple[str, ...]
    ranking: Ranking


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Results:
    """What came of a sweep: `columns` of equal length, one row a run.

    `rate` is the share of labels that was wanted, `asked` the one that was asked for. `main` is the metric that
    was tuned for. `curves` has a row for each kept moment of a run: `round` and the `mistakes` until then.
    """

    columns: Columns
    metrics: tuple[str, ...]
    main: str
    curves: Columns | None = None

    def __post_init__(self) -> None:
        for metric in self.metrics:
            find(metric)
        if self.main not in self.metrics:
            raise ValueError(f"the main metric {self.main!r} is none of {', '.join(self.metrics) or 'no metrics'}")
        kinds = {**dict.fromkeys(self.metrics, float), **KINDS}
        # A frozen class sets its own fields so, once.
        object.__setattr__(self, "columns", _checked(self.columns, kinds, "results"))
        if self.curves is not None:
            object.__setattr__(self, "curves", _checked(self.curves, CURVE_KINDS, "curves"))
        rates = self.columns["rate"]
        if not np.all((rates > 0) & (rates <= 1)):
            raise ValueError("rates are shares of the labels: more than 0 and at most 1")
        self.rows_by_run()

    def __len__(self) -> int:
        return len(self.columns["data"])

    def __repr__(self) -> str:
        return (
            f"<Results: {len(self.data_sets)} data sets, {len(self.algorithms)} algorithms, {len(self)} runs, "
            f"tuned for {self.main}>"
        )

    @property
    def data_sets(self) -> tuple[str, ...]:
        """The names of the data sets, in the order in which they come."""
        return tuple(dict.fromkeys(self.columns["data"].tolist()))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names of the algorithms, in the order in which they come."""
        return tuple(dict.fromkeys(self.columns["algorithm"].tolist()))

    @property
    def rates(self) -> tuple[float, ...]:
        """The shares of labels that were wanted, rising."""
        return tuple(np.unique(self.columns["rate"]).tolist())

    @property
    def full_methods(self) -> tuple[str, ...]:
        """The algorithms that use every label: those with no other rate."""
        choosing = set(self.columns["algorithm"][self.columns["rate"] != ALL_LABELS].tolist())
        return tuple(name for name in self.algorithms if name not in choosing)

    def where(
        self,
        data: str | Iterable[str] | None = None,
        algorithm: str | Iterable[str] | None = None,
        rate: float | Iterable[float] | None = None,
    ) -> "Results":
        """The runs of these data sets, algorithms and rates, each given as one or as several."""
        wanted = {
            "data": _chosen(data, self.data_sets, "data set"),
            "algorithm": _chosen(algorithm, self.algorithms, "algorithm"),
            "rate": _chosen(rate, self.rates, "rate"),
        }

        return self._kept(
            lambda runs: np.all([np.isin(runs[name], values) for name, values in wanted.items()], axis=0)
        )

    def at_rate(self, rate: float) -> "Results":
        """The runs at a rate, and those of the methods that use every label."""
        (same,) = _chosen(rate, self.rates, "rate")
        return self._kept(lambda runs: (runs["rate"] == same) | np.isin(runs["algorithm"], self.full_methods))

    def summary(self, metric: str | None = None) -> list[Cell]:
        """Mean, deviation and interval of each algorithm on each data set at each rate.

        `metric` is one of `metrics`, or "asked", "updates", "mistakes" or "seconds"; without it, it is `main`.
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
                cells.extend(_judged(competitors, values, larger_is_better))
        return cells

    def standings(self, metric: str | None = None) -> list[Standing]:
        """The algorithms' average ranks over data sets, for each rate by itself.

        Rates are not pooled: on the same data set they are no independent comparisons.
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
        """What is known of a metric of these results, or of what runs took."""
        name = self.main if metric is None else metric
        if name in TAKEN:
            return TAKEN[name]
        if name not in self.columns or name not in METRICS:
            there = dict.fromkeys((*self.metrics, "mistakes", *TAKEN))
            raise ValueError(f"these results have no metric {name!r}; they have {', '.join(there)}")
        entry = METRICS[name]
        return Quantity(entry.title, entry.larger_is_better, is_share=name not in COUNTS)

    def to_arrow(self) -> "pyarrow.Table":
        """The columns as an Arrow table."""
        arrow = package("Parquet", "pyarrow", "pip install 'askance[parquet]'")
        return arrow.table({name: arrow.array(column) for name, column in self.columns.items()})

    def to_pandas(self) -> "pandas.DataFrame":
        """The columns as a data frame of pandas."""
        frames = package("this table", "pandas", "pip install pandas")
        return frames.DataFrame(self.columns)

    def to_polars(self) -> "polars.DataFrame":
        """The columns as a data frame of polars."""
        frames = package("this table", "polars", "pip install polars")
        return frames.DataFrame(self.columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything, the curves too, to one Parquet file: all of it or nothing.

        But for the seconds, which differ each time and go to a file of their own: of results.parquet, that is
        results.times.parquet. So the same plan in exact mode gives the same file, wherever it was run.
        """
        if pathlib.Path(path).suffix.lower() != ".parquet":
            raise ValueError(
                f"results are saved as Parquet: give a name that ends in .parquet, not {os.fspath(path)!r}"
            )
        from askance.experiments.sweep.results_file import times_beside, times_to_bytes, to_bytes

        content = to_bytes(self)
        write_whole(path, content)
        write_whole(times_beside(pathlib.Path(path)), times_to_bytes(self, content))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Results":
        """The results in a file that `save` wrote; a damaged file, or another one, raises ValueError.

        Without the file of times that was written beside it, `seconds` is not a number.
        """
        from askance.experiments.sweep.results_file import from_bytes, times_beside

        try:
            content = pathlib.Path(path).read_bytes()
            times = times_beside(pathlib.Path(path))
            seconds = times.read_bytes() if times.is_file() else None
        except OSError as error:
            raise ValueError(f"{os.fspath(path)} cannot be read: {error.strerror or error}") from None
        try:
            return from_bytes(content, seconds)
        except ValueError as fault:
            raise ValueError(f"{os.fspath(path)} {fault}: make the results again") from None

    def _kept(self, condition: Callable[[Columns], NDArray[np.bool_]]) -> "Results":
        """The runs that fulfil a condition, with their curves."""

        def some(columns: Columns) -> Columns:
            keep = condition(columns)
            return {name: column[keep] for name, column in columns.items()}

        curves = None if self.curves is None else some(self.curves)
        return dataclasses.replace(self, columns=some(self.columns), curves=curves)

    def rows_by_run(self) -> dict[tuple[Any, ...], int]:
        """The row of each run."""
        rows: dict[tuple[Any, ...], int] = {}
        for row, run in enumerate(zip(*(self.columns[name].tolist() for name in RUN), strict=True)):
            if rows.setdefault(run, row) != row:
                told = ", ".join(f"{name} {value}" for name, value in zip(RUN, run, strict=True))
                raise ValueError(f"a run is there twice ({told}): give each run one row")
        return rows

    def _groups(self) -> dict[tuple[str, float], dict[str, dict[int, int]]]:
        """For each data set and rate, the rows of each algorithm by permutation."""
        groups: dict[tuple[str, float], dict[str, dict[int, int]]] = {}
        order = {algorithm: place for place, algorithm in enumerate(self.algorithms)}
        for (data, algorithm, rate, permutation), row in sorted(
            self.rows_by_run().items(), key=lambda item: order[item[0][1]]
        ):
            groups.setdefault((data, rate), {}).setdefault(algorithm, {})[permutation] = row
        return groups

    def _cell(self, data: str, algorithm: str, rate: float, values: NDArray[Any], rows: list[int]) -> Cell:
        ours = values[rows]
        low, high = t_interval(ours)
        asked = mean(self.columns["asked"][rows])
        return Cell(data, algorithm, rate, mean(ours), deviation(ours), len(rows), low, high, asked)


class _Competitor(NamedTuple):
    """A cell that is not judged yet, and the row of each of its permutations."""

    cell: Cell
    rows: dict[int, int]


def _judged(group: list[_Competitor], values: NDArray[Any], larger_is_better: bool) -> list[Cell]:
    """The cells of one data set and rate, with the best one and its ties marked."""
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
    """Whether a test was made and did not call `one` worse than the best."""
    common = sorted(one.rows.keys() & best.rows.keys())
    ours, theirs = (values[[competitor.rows[number] for number in common]] for competitor in (one, best))
    test = paired_t_test(ours, theirs)
    # On the permutations that both have, `one` may even be the better.
    worse = test.statistic < 0 if larger_is_better else test.statistic > 0
    return not math.isnan(test.p) and not (worse and test.p < LEVEL)


def _checked(columns: Mapping[str, Any], kinds: Mapping[str, type], what: str) -> Columns:
    """The columns as arrays of their kinds and of one length."""
    absent = [name for name in kinds if name not in columns]
    if absent:
        raise ValueError(f"{what} need the columns {', '.join(kinds)}: {', '.join(absent)} is not there")
    arrays = {name: _array(column, kinds.get(name), name) for name, column in columns.items()}
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of {what} must be equally long, not {lengths}")
    return arrays


def _array(column: Any, kind: type | None, name: str) -> NDArray[Any]:
    array = np.asarray(column)
    if array.ndim != 1:
        raise ValueError(f"the column {name!r} must have one dimension, not {array.ndim}")
    if kind is None:
        return array.astype(str) if array.dtype.kind in "OT" else array
    if kind is str or not array.size:
        return array.astype(kind)
    if not np.can_cast(array.dtype, kind, "same_kind"):  # 0.5 is no count
        raise ValueError(f"the column {name!r} must hold {kind.__name__}, not {array.dtype}")
    return array.astype(kind)


def _chosen(wanted: Any, there: tuple[Any, ...], what: str) -> list[Any]:
    """Those of `there` that are wanted, which all must be there."""
    if wanted is None:
        return list(there)
    chosen: list[Any] = []
    several: list[Any] = [wanted] if isinstance(wanted, str | float | int) else list(wanted)
    for one in several:
        # 0.1 + 0.2 is the rate 0.3.
        same = [value for value in there if value == one or (what == "rate" and math.isclose(value, one))]
        if not same:
            raise ValueError(
                f"these results have no {what} {one!r}; they have {', '.join(map(str, there)) or 'none'}"
            )
        chosen += same
    return chosen


def package(use: str, name: str, remedy: str) -> Any:
    """An optional package; ImportError in one sentence if it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise ImportError(f"{use} needs {name}: {remedy}") from missing
