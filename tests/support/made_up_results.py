"""Results of sweeps that never happened, with known answers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from askance.experiments.sweep.results import Results

Runs = Mapping[tuple[str, str, float], Sequence[float]]


def results_of(runs: Runs, metric: str = "f", curves: bool = False, **columns: Any) -> Results:
    """Results whose runs have these values of a metric; permutations count from 0."""
    rows = [(*key, number, value) for key, values in runs.items() for number, value in enumerate(values)]
    data, algorithm, rate, permutation, value = (list(column) for column in zip(*rows, strict=True))
    table: dict[str, Any] = {
        "data": data,
        "algorithm": algorithm,
        "rate": rate,
        "permutation": permutation,
        "parameters": ['{"C": 1.0}'] * len(rows),
        "tuned_on": ["first half"] * len(rows),
        "asked": rate,
        "updates": range(len(rows)),
        "mistakes": range(10, 10 + len(rows)),
        metric: value,
        "seconds": [0.5] * len(rows),
    }
    return Results(table | columns, (metric,), metric, made_up_curves(table) if curves else None)


def made_up_curves(table: dict[str, Any], rounds: Sequence[int] = (4, 8, 12)) -> dict[str, Any]:
    """After 4, 8 and 12 rounds, run number i has made 1, 2 and 3 mistakes, and i % 2 more."""
    count, moments = len(table["data"]), len(rounds)
    curves = {
        name: np.repeat(np.array(table[name]), moments) for name in ("data", "algorithm", "rate", "permutation")
    }
    more = np.repeat(np.arange(count) % 2, moments)
    return curves | {"round": np.tile(rounds, count), "mistakes": np.tile(np.arange(1, moments + 1), count) + more}


# By hand: on "one" PAA is the best; RPA's differences 0.1 and 0.0 have t = 1, so it ties; PEA's are -0.3 always.
SMALL: Runs = {
    ("one", "PAA", 0.1): [0.8, 0.6],
    ("one", "RPA", 0.1): [0.7, 0.6],
    ("one", "PEA", 0.1): [0.5, 0.3],
    ("one", "PA", 1.0): [0.9, 0.9],
    ("two", "PAA", 0.1): [0.5, 0.5],
    ("two", "RPA", 0.1): [0.5, 0.5],
    ("two", "PEA", 0.1): [0.25, 0.5],
    ("two", "PA", 1.0): [0.75, 1.0],
}


def sweep(
    data: Sequence[str] = ("a8a", "rcv1", "url"),
    active: Sequence[str] = ("PAA-II", "RPA-II", "PEA", "SOAL"),
    full: Sequence[str] = ("PA-II", "AROW"),
    rates: Sequence[float] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5),
    permutations: int = 10,
) -> Results:
    """Curves and values as a sweep might give them: more labels, better and steadier; seeded."""
    random = np.random.default_rng(7)
    names = [(name, rate) for name in active for rate in rates] + [(name, 1.0) for name in full]
    skill = {name: place for place, name in enumerate([*full, *active])}
    columns: dict[str, list[Any]] = {name: [] for name in ("data", "algorithm", "rate", "permutation", "seconds")}
    columns |= {name: [] for name in ("parameters", "tuned_on", "asked", "updates", "mistakes", "f", "accuracy")}
    curves: dict[str, list[Any]] = {
        name: [] for name in ("data", "algorithm", "rate", "permutation", "round", "mistakes")
    }
    moments = np.arange(1, 101) * 100
    for hardness, one in enumerate(data, start=1):
        for name, rate in names:
            for permutation in range(permutations):
                error = 0.03 * hardness**0.7 * (1 + 0.1 * skill[name] ** (1 / hardness)) * rate**-0.25
                error *= 1 + random.normal(0, 0.06)
                mistakes = np.cumsum(error * np.r_[3, 2, 1.5, np.ones(97)] * 100 + random.normal(0, 2, 100))
                mistakes = np.maximum.accumulate(np.round(np.maximum(mistakes, 0))).astype(int)
                row = (
                    one,
                    name,
                    rate,
                    permutation,
                    (0.01 + 0.02 * skill[name]) * hardness * random.uniform(1, 1.2),
                )
                asked = rate if rate == 1 else rate * random.uniform(0.95, 1.05)
                share = mistakes[-1] / 10_000
                row += ("{}", "f", asked, int(5000 * rate), int(mistakes[-1]), 1 - 1.5 * share, 1 - share)
                for column, value in zip(columns.values(), row, strict=True):
                    column.append(value)
                for column, value in zip(list(curves.values())[:4], row[:4], strict=True):
                    column += [value] * len(moments)
                curves["round"] += moments.tolist()
                curves["mistakes"] += mistakes.tolist()
    return Results(columns, ("f", "accuracy"), "f", curves)  # type: ignore[arg-type]
