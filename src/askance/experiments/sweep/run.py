"""Sweeps: algorithms on data sets, at wanted shares of labels, over permutations."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from askance import __version__
from askance.experiments.dataset import Material, Shuffled, materials, shuffled
from askance.experiments.parallel import Spread, Watch, rows_of
from askance.experiments.store import Store
from askance.experiments.sweep.plan import Method, Plan, as_json, make_plan
from askance.experiments.sweep.results import Results
from askance.experiments.sweep.search import FINE, Choice, choose, meeting, steps
from askance.experiments.sweep.trial import Trial, in_banks, play
from askance.experiments.table_rows import Row
from askance.jit.source_digest import package_digest
from askance.metrics import METRICS, Counts, measure

COUNTED = ("true_positives", "false_positives", "true_negatives", "false_negatives")
LEAST_SHARE = 1e-9  # of a setting that never asked
NEAR = 1.0  # powers of two around the factor that was found in tuning


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
    dtype: str = "float32",
    points: int = 1,
    jobs: int = -1,
    store: str | os.PathLike[str] | None = None,
    watch: Watch | None = None,
    cluster: str | None = None,
) -> Results:
    """Compare algorithms: each is tuned on permutations of their own, then run on those that are reported.

    - `data`: a mapping of names to (X, y), one such pair, paths of files, or names of `askance data list`.
    - `algorithms`: names of the catalog, or a mapping of labels to names or to (name, parameters).
    - `grid`: values to try, by parameter for all algorithms that have it, or by algorithm; unless said, C from 2⁻⁵
      to 2⁵.
    - `rates`: the wanted shares of labels, which are hit by making the query rule more or less eager. None reports
      every setting of the grid as it is, untuned.
    - `metric`: what settings are chosen by: "f" unless said, or for more than two classes "accuracy".
    - `tuning`: how many permutations settings are chosen on.
    - `points`: after how many equal parts of a stream the mistakes are noted, for curves.
    - `backend`, `jobs`: where it is done, and by how many workers: "loky" (processes here), "dask", "ray" or
      "spark", or "sequential" for this process alone.
    - `cluster`: the address of a Dask scheduler, a Ray head or a Spark master. Without it, the client or session
      of this process serves, or else workers on this machine.
    - `store`: a directory. What is finished is kept there: after an interruption, call again, and it goes on.
      Workers on other machines must see it too.
    - `watch`: is told how many parts are done, of how many, and which came last.
    """
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype must be 'float32' (fast) or 'float64' (exact), not {dtype!r}")
    sets = materials(data, np.dtype(dtype))
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
    )
    cells = [(plan, method, data) for data in sets for method in plan.methods]
    titles = [f"{method.label} on {data.name}" for _, method, data in cells]
    rows = rows_of(run_cell, cells, titles, Spread(backend, jobs, store, watch, cluster))
    return _results(plan, sets, rows)


def run_cell(plan: Plan, method: Method, data: Material, store: Store) -> list[Row]:
    """One algorithm on one data set: tuned, then run on every permutation."""
    key: list[Any] = [__version__, package_digest(), data.digest, method.name, list(map(as_json, method.settings))]
    key += [plan.permutations, plan.tuning, plan.metric, plan.random_state, plan.dtype, plan.points]
    if plan.rates is None:
        rows: list[Row] = store.recall(["grid", *key], lambda: _grid(plan, method, data))
    else:
        rates = [1.0] if method.asks_for_all else list(plan.rates)
        chosen = store.recall(["tuning", rates, *key], lambda: _tuned(plan, method, data, rates))
        rows = store.recall(["test", rates, *key], lambda: _tested(plan, method, data, rates, chosen))
    return [{"data": data.name, "algorithm": method.label, **row} for row in rows]


def _grid(plan: Plan, method: Method, data: Material) -> list[Row]:
    """Every setting on every permutation, as it is: an algorithm of its own, at the mean share it asks for."""
    candidates = [method.candidate(setting) for setting in method.settings]
    streams = (shuffled(data, plan.random_state, permutation) for permutation in range(plan.permutations))
    trials = [play(candidates, data, stream, plan.points) for stream in streams]
    rows = []
    for setting, own in zip(method.settings, zip(*trials, strict=True), strict=True):
        share = float(np.mean([_share(trial.counts[-1]) for trial in own]))
        for permutation, trial in enumerate(own):
            row = _row(plan, data, permutation, as_json(setting), max(share, LEAST_SHARE), trial)
            rows.append({**row, "algorithm": " ".join([method.label, *_told(setting)])})
    return rows


def _told(setting: Mapping[str, Any]) -> list[str]:
    return [
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in setting.items()
    ]


def _tuned(plan: Plan, method: Method, data: Material, rates: list[float]) -> list[Choice | None]:
    """The best setting at each rate, on permutations that are not reported."""
    streams = [shuffled(data, plan.random_state, plan.permutations + number) for number in range(plan.tuning)]

    def measured(settings: list[int], factors: Any, count: int) -> Any:
        candidates = [
            method.candidate(method.settings[setting], factor)
            for setting, row in zip(settings, factors, strict=True)
            for factor in row
        ]
        found = [[trial.counts[-1] for trial in play(candidates, data, stream)] for stream in streams[:count]]
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
    return [Choice(best, 1.0, 1.0, float(means[best]))]


def _is_cheap(method: Method, data: Material) -> bool:
    return in_banks(method.candidate(method.settings[0]), data)


def _tested(plan: Plan, method: Method, data: Material, rates: list[float], chosen: list[Any]) -> list[Row]:
    """The chosen settings on the permutations that are reported."""
    able = [(rate, Choice(*choice)) for rate, choice in zip(rates, chosen, strict=True) if choice is not None]
    settings = [method.settings[choice.setting] for _, choice in able]
    rows = []
    for permutation in range(plan.permutations):
        stream = shuffled(data, plan.random_state, permutation)
        factors = [1.0] * len(able) if method.asks_for_all else _met(method, data, stream, able)
        candidates = [method.candidate(*pair) for pair in zip(settings, factors, strict=True)]
        trials = play(candidates, data, stream, plan.points)
        for (rate, _), setting, factor, trial in zip(able, settings, factors, trials, strict=True):
            told = as_json({**setting, "eagerness": factor})
            rows.append(_row(plan, data, permutation, told, rate, trial))
    return rows


def _met(method: Method, data: Material, stream: Shuffled, able: list[tuple[float, Choice]]) -> list[float]:
    """The factors with which the rates are met on this stream."""
    near = 2.0 ** np.linspace(-NEAR, NEAR, FINE if _is_cheap(method, data) else 6)
    candidates = [
        method.candidate(method.settings[choice.setting], choice.factor * factor)
        for _, choice in able
        for factor in near
    ]
    shares = np.array([_share(trial.counts[-1]) for trial in play(candidates, data, stream)])
    pairs = zip(able, shares.reshape(len(able), len(near)), strict=True)
    return [meeting(rate, choice.factor * near, share) for (rate, choice), share in pairs]


def _row(plan: Plan, data: Material, permutation: int, setting: str, rate: float, trial: Trial) -> Row:
    counts = trial.counts[-1]
    return {
        "rate": rate,
        "permutation": permutation,
        "parameters": setting,
        "tuned_on": plan.told(),
        "asked": _share(counts),
        "updates": counts.updates,
        **{name: _value(counts, name) for name in _metrics(data)},
        **{name: int(getattr(counts, name)) for name in COUNTED},
        "mistakes": counts.mistakes,
        "seconds": trial.seconds,
        "rounds": [moment.rows for moment in trial.counts],
        "mistakes_by_round": [moment.mistakes for moment in trial.counts],
    }


def _metrics(data: Material) -> tuple[str, ...]:
    """The metrics that have a meaning for so many classes."""
    return tuple(
        name for name, entry in METRICS.items() if not (entry.of_scores or (data.many and entry.two_classes))
    )


def _share(counts: Counts) -> float:
    """Of labels that were asked for."""
    return _value(counts, "query_ratio")


def _value(counts: Counts, metric: str) -> float:
    return float(measure(counts, metric))


def _results(plan: Plan, sets: Sequence[Material], rows: list[Row]) -> Results:
    if not rows:
        raise ValueError("no algorithm of the plan can ask for so few or so many labels: give other rates")
    curves = _curves(rows) if plan.points > 1 else None
    single = [name for name in rows[0] if name not in ("rounds", "mistakes_by_round")]
    columns = {name: np.array([row[name] for row in rows]) for name in single}
    return Results(columns=columns, metrics=_metrics(sets[0]), main=plan.metric, curves=curves)


def _curves(rows: list[Row]) -> dict[str, Any]:
    """The mistakes of each run after each part of its stream."""
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
