"""Sweeps: compare algorithms on data sets, at given shares of labels, over permutations."""

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from askance import __version__
from askance._util.table_rows import Row
from askance.errors import ScaleWarning
from askance.experiments.dataset import Dataset, ShuffledDataset, load_datasets, shuffled, with_positive
from askance.experiments.parallel import Execution, Watch, collect_rows
from askance.experiments.store import Store
from askance.experiments.sweep.plan import SweepPlan, SweptAlgorithm, as_json, make_plan
from askance.experiments.sweep.results import Results
from askance.experiments.sweep.search import FINE, ChosenSetting, choose, meeting, steps
from askance.experiments.sweep.trial import Trial, in_banks, run_trials
from askance.jit.source_digest import package_digest
from askance.learners.inputs import unlike_columns
from askance.learners.settings import Settings
from askance.metrics import METRICS, Counts, measure

COUNTED = ("true_positives", "false_positives", "true_negatives", "false_negatives")
LEAST_SHARE = 1e-9  # for a setting that never asks
NEAR = 1.0  # powers of two around the tuned factor


def sweep(
    data: Any,
    algorithms: Sequence[str] | Mapping[str, Any],
    grid: Mapping[str, Any] | None = None,
    permutations: int = 20,
    rates: Sequence[float] | None = (0.1, 0.2),
    metric: str | None = None,
    random_state: int = 0,
    backend: str = "loky",
    *,
    tuning: int = 5,
    positive: Any = None,
    dtype: str = "float32",
    intercept: float = 0.0,
    scaling: str | None = None,
    points: int = 1,
    n_jobs: int = -1,
    store: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
    cluster: str | None = None,
) -> Results:
    """Compare algorithms over permutations of data sets.

    The settings of each algorithm are chosen on separate permutations, which are not reported.

    Parameters
    ----------
    data : mapping, tuple, stream, str, path-like or sequence
        A mapping of names to (X, y) or to streams such as `data.read("mails.csv", label="folder")`, one pair
        (X, y), or streams, file paths and names of `askance data list`.
    algorithms : sequence of str or mapping
        Names of the catalog, or a mapping of labels to names, to pairs (name, parameters), or to pairs
        (update rule, query rule), whose rules may be your own.
    grid : mapping, optional
        Values to try, by parameter for all algorithms that have it, or by algorithm. Default: C from 2⁻⁵ to 2⁵.
    permutations : int, default=20
        The number of reported permutations of each data set.
    rates : sequence of float or None, default=(0.1, 0.2)
        The wanted shares of labels. They are met by making the query rule more or less eager. None reports every
        setting of the grid without tuning.
    metric : str, optional
        The metric by which settings are chosen. Default: "f", or "accuracy" for more than two classes.
    random_state : int, default=0
        Decides permutations and coins.
    backend : {"loky", "sequential", "dask", "ray", "spark"}, default="loky"
        The engine: processes on this machine, this process alone, or a cluster.
    tuning : int, default=5
        The number of permutations on which settings are chosen.
    positive : object, optional
        The class that F, precision and recall are about, and that cost-sensitive algorithms favour. Default: of
        each data set, the rarer class if it has less than a third of the rows, otherwise the larger one in sorted
        order. `Results.positive` says which.
    dtype : {"float32", "float64"}, default="float32"
        "float32" is fast, "float64" exact.
    intercept : float, default=0.0
        The value of an additional constant feature, as in `Learner`.
    scaling : {"standard", "tfidf"}, optional
        What to do with the columns, as in `Learner`: each row is scaled by what is known from the rows up to it.
    points : int, default=1
        The number of equal parts of a stream after which mistakes are recorded, for curves.
    n_jobs : int, default=-1
        The number of workers; -1 uses all processors. If there are fewer pairs of a data set and an algorithm than
        workers, "loky" gives each pair several threads instead. Results do not depend on it.
    store : str or path-like, optional
        A directory for finished parts. Call again with the same directory to continue after an interruption.
        Workers on other machines must be able to access it too.
    watch : callable, optional
        Called with the number of finished parts, the number of all parts, and the title of the last one.
    cluster : str, optional
        The address of a Dask scheduler, a Ray head node or a Spark master. By default, the current client or
        session is used, or workers are started on this machine.

    Returns
    -------
    Results
        One row per data set, algorithm, rate and permutation.

    Raises
    ------
    ValueError
        If a part of the plan cannot be run. All parts are checked before the first run.

    Examples
    --------
    >>> import numpy as np
    >>> import askance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> y = np.where(X[:, 0] + X[:, 1] > 0, "spam", "ham")
    >>> grid = {"C": [0.1, 1.0]}
    >>> algorithms = ["PAA-II", "RPA-II"]
    >>> results = askance.sweep(
    ...     (X, y), algorithms, grid, permutations=2, rates=[0.2], tuning=1, backend="sequential"
    ... )
    >>> len(results), results.algorithms, results.rates
    (4, ('PAA-II', 'RPA-II'), (0.2,))
    """
    settings = Settings(dtype=dtype, intercept=intercept, scaling=scaling)
    settings.check("sweep")
    features = settings.features()
    raw_dtype = np.dtype(dtype) if features is None else features.raw_dtype
    sets = [with_positive(each, positive) for each in load_datasets(data, raw_dtype)]
    if scaling is None:
        _warn_of_scales(sets)
    plan = make_plan(
        sets,
        algorithms,
        grid,
        permutations,
        rates,
        metric,
        random_state,
        tuning=tuning,
        dtype=dtype,
        points=points,
        intercept=intercept,
        scaling=scaling,
    )
    execution = Execution(backend, n_jobs, store, watch, cluster)
    plan = plan._replace(threads=execution.threads_per_cell(len(sets) * len(plan.methods)))
    cells = [(plan, method, data) for data in sets for method in plan.methods]
    titles = [f"{method.label} on {data.name}" for _, method, data in cells]
    rows = collect_rows(run_cell, cells, titles, execution)
    return _results(plan, sets, rows)


def _warn_of_scales(sets: Sequence[Dataset]) -> None:
    """Warn of each data set whose columns are of very different size."""
    for one in sets:
        found = unlike_columns(one.X, "pass scaling='standard', or in a plan scaling = \"standard\"")
        if found is not None:
            warnings.warn(f"{one.name}: {found}", ScaleWarning, stacklevel=3)


def run_cell(plan: SweepPlan, method: SweptAlgorithm, data: Dataset, store: Store) -> list[Row]:
    """Tune one algorithm on one data set, then run it on every permutation."""
    key: list[Any] = [__version__, package_digest(), data.digest, method.key, list(map(as_json, method.settings))]
    key += [plan.permutations, plan.tuning, plan.metric, plan.random_state, plan.dtype, plan.points]
    key += [plan.intercept, plan.scaling]
    if method.key is None:  # stored parts could be those of an earlier version of the rules
        store = Store(None)
    if plan.rates is None:
        rows: list[Row] = store.recall(["grid", *key], lambda: _grid(plan, method, data))
    else:
        rates = [1.0] if method.asks_for_all else list(plan.rates)
        chosen = store.recall(["tuning", rates, *key], lambda: _tuned(plan, method, data, rates))
        rows = store.recall(["test", rates, *key], lambda: _tested(plan, method, data, rates, chosen))
    return [{"data": data.name, "algorithm": method.label, **row} for row in rows]


def _grid(plan: SweepPlan, method: SweptAlgorithm, data: Dataset) -> list[Row]:
    """Run every setting on every permutation, as an algorithm of its own at the mean share it asks for."""
    candidates = [method.candidate(setting) for setting in method.settings]
    streams = (_stream(plan, data, permutation) for permutation in range(plan.permutations))
    trials = [run_trials(candidates, data, stream, plan.points, plan.threads) for stream in streams]
    rows = []
    for setting, own in zip(method.settings, zip(*trials, strict=True), strict=True):
        share = float(np.mean([_share(trial.counts[-1]) for trial in own]))
        for permutation, trial in enumerate(own):
            row = _row(plan, data, permutation, as_json(setting), max(share, LEAST_SHARE), trial)
            rows.append({**row, "algorithm": " ".join([method.label, *_in_words(setting)])})
    return rows


def _stream(plan: SweepPlan, data: Dataset, permutation: int) -> ShuffledDataset:
    """Return a permutation of the rows, as learners with the intercept and the scaling of the plan see them."""
    return shuffled(data, plan.random_state, permutation, plan.learner_settings.features())


def _in_words(setting: Mapping[str, Any]) -> list[str]:
    return [
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in setting.items()
    ]


def _tuned(
    plan: SweepPlan, method: SweptAlgorithm, data: Dataset, rates: list[float]
) -> list[ChosenSetting | None]:
    """Return the best setting at each rate, on permutations that are not reported."""
    streams = [_stream(plan, data, plan.permutations + number) for number in range(plan.tuning)]

    def measured(settings: list[int], factors: Any, count: int) -> Any:
        candidates = [
            method.candidate(method.settings[setting], factor)
            for setting, row in zip(settings, factors, strict=True)
            for factor in row
        ]
        found = [
            [trial.counts[-1] for trial in run_trials(candidates, data, stream, threads=plan.threads)]
            for stream in streams[:count]
        ]
        shares = np.array([[_share(counts) for counts in one] for one in found])
        values = np.array([[_value(counts, plan.metric) for counts in one] for one in found])
        return shares.reshape(-1, *factors.shape), values.reshape(-1, *factors.shape)

    better = METRICS[plan.metric].larger_is_better
    if not method.asks_for_all:
        plan_of_search = steps(plan.tuning, cheap=_is_cheap(method, data))
        return choose(len(method.settings), rates, better, measured, plan_of_search)
    _, values = measured(list(range(len(method.settings))), np.ones((len(method.settings), 1)), plan.tuning)
    means = values.mean(axis=(0, 2))
    best = int(np.argmax(means) if better else np.argmin(means))
    return [ChosenSetting(best, 1.0, 1.0, float(means[best]))]


def _is_cheap(method: SweptAlgorithm, data: Dataset) -> bool:
    return in_banks(method.candidate(method.settings[0]), data)


def _tested(
    plan: SweepPlan, method: SweptAlgorithm, data: Dataset, rates: list[float], chosen: list[Any]
) -> list[Row]:
    """Run the chosen settings on the reported permutations."""
    able = [
        (rate, ChosenSetting(*choice)) for rate, choice in zip(rates, chosen, strict=True) if choice is not None
    ]
    settings = [method.settings[choice.setting] for _, choice in able]
    rows = []
    for permutation in range(plan.permutations):
        stream = _stream(plan, data, permutation)
        factors = [1.0] * len(able) if method.asks_for_all else _meeting_factors(plan, method, data, stream, able)
        candidates = [method.candidate(*pair) for pair in zip(settings, factors, strict=True)]
        trials = run_trials(candidates, data, stream, plan.points, plan.threads)
        for (rate, _), setting, factor, trial in zip(able, settings, factors, trials, strict=True):
            parameters = as_json({**setting, "eagerness": factor})
            rows.append(_row(plan, data, permutation, parameters, rate, trial))
    return rows


def _meeting_factors(
    plan: SweepPlan,
    method: SweptAlgorithm,
    data: Dataset,
    stream: ShuffledDataset,
    able: list[tuple[float, ChosenSetting]],
) -> list[float]:
    """Return the factors with which the rates are met on this stream."""
    near = 2.0 ** np.linspace(-NEAR, NEAR, FINE if _is_cheap(method, data) else 6)
    candidates = [
        method.candidate(method.settings[choice.setting], choice.factor * factor)
        for _, choice in able
        for factor in near
    ]
    trials = run_trials(candidates, data, stream, threads=plan.threads)
    shares = np.array([_share(trial.counts[-1]) for trial in trials])
    pairs = zip(able, shares.reshape(len(able), len(near)), strict=True)
    return [meeting(rate, choice.factor * near, share) for (rate, choice), share in pairs]


def _row(plan: SweepPlan, data: Dataset, permutation: int, setting: str, rate: float, trial: Trial) -> Row:
    counts = trial.counts[-1]
    return {
        "rate": rate,
        "permutation": permutation,
        "parameters": setting,
        "tuned_on": plan.describe_tuning(),
        "asked": _share(counts),
        "updates": counts.updates,
        **{name: _value(counts, name) for name in _metrics(data)},
        **{name: int(getattr(counts, name)) for name in COUNTED},
        "mistakes": counts.mistakes,
        "seconds": trial.seconds,
        "rounds": [moment.rows for moment in trial.counts],
        "mistakes_by_round": [moment.mistakes for moment in trial.counts],
    }


def _metrics(data: Dataset) -> tuple[str, ...]:
    """Return the metrics that are defined for the number of classes."""
    return tuple(
        name for name, entry in METRICS.items() if not (entry.of_scores or (data.many and entry.two_classes))
    )


def _share(counts: Counts) -> float:
    """Return the share of labels that were asked for."""
    return _value(counts, "query_ratio")


def _value(counts: Counts, metric: str) -> float:
    return float(measure(counts, metric))


def _results(plan: SweepPlan, sets: Sequence[Dataset], rows: list[Row]) -> Results:
    if not rows:
        raise ValueError("no algorithm can meet these rates of labels: choose other rates")
    curves = _curves(rows) if plan.points > 1 else None
    single = [name for name in rows[0] if name not in ("rounds", "mistakes_by_round")]
    columns = {name: np.array([row[name] for row in rows]) for name in single}
    return Results(
        columns=columns,
        metrics=_metrics(sets[0]),
        main=plan.metric,
        curves=curves,
        positive={one.name: one.classes[1] for one in sets if not one.many},
        most_frequent={
            one.name: float(np.unique(one.y, return_counts=True)[1].max() / len(one.y)) for one in sets
        },
    )


def _curves(rows: list[Row]) -> dict[str, Any]:
    """Return the mistakes of each run after each part of its stream."""
    lengths = [len(row["rounds"]) for row in rows]
    same = {
        name: np.repeat(np.array([row[name] for row in rows]), lengths)
        for name in ("data", "algorithm", "rate", "permutation")
    }
    return {
        **same,
        "round": np.concatenate([row["rounds"] for row in rows]),
        "mistakes": np.concatenate([row["mistakes_by_round"] for row in rows]),
    }
