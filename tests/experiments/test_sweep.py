"""Sweeps: what is reported of whom, at which share of labels, and going on after an interruption."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import askance
from askance import queries, updates
from askance.errors import ScaleWarning
from askance.experiments.dataset import make_dataset, shuffled
from askance.experiments.parallel import Execution
from askance.experiments.sweep.results import Results
from own_rules import Near, Undecided
from paths import SUPPORT
from small_sweeps import ALGORITHMS, small, stream

pytestmark = pytest.mark.compiled  # trials share compiled passes over the rows


def without_time(results: Results) -> dict[str, list[Any]]:
    return {name: column.tolist() for name, column in results.columns.items() if name != "seconds"}


def test_one_row_a_run_at_the_wanted_shares() -> None:
    found = small()
    assert len(found) == 4 * (2 + 2 + 1)
    assert found.data_sets == ("made",)
    assert found.algorithms == tuple(ALGORITHMS)
    assert found.rates == (0.1, 0.4, 1.0)
    for cell in found.summary("asked"):
        assert cell.mean == pytest.approx(cell.rate, abs=0.01)
    assert (found.columns["rate"][found.columns["algorithm"] == "PA-II"] == 1).all()
    assert found.main == "f"
    assert (found.columns["seconds"] > 0).all()


def test_figures_are_those_of_runs() -> None:
    found = small(dtype="float64")
    given = make_dataset("made", *stream(), np.dtype("float64"))
    for row in range(0, len(found), 3):
        name, permutation = found.columns["algorithm"][row], int(found.columns["permutation"][row])
        setting = json.loads(found.columns["parameters"][row])
        eagerness = setting.pop("eagerness")
        learner = askance.make(name, dtype="float64", classes=(-1, 1), **setting)
        if eagerness != 1:
            learner = learner.set_params(query=learner.query.scaled(eagerness))
        rows = shuffled(given, 0, permutation)
        trace = learner.run(rows.X, rows.y.astype(int), coins=rows.coins)
        assert found.columns["mistakes"][row] == (trace.predictions != rows.y).sum()
        assert found.columns["asked"][row] == trace.asked.mean()
        assert found.columns["updates"][row] == trace.updated.sum()
        assert found.columns["f"][row] == pytest.approx(f1(trace, rows.y))


def f1(trace: Any, y: Any) -> float:
    hits = ((trace.predictions > 0) & (y > 0)).sum()
    return float(2 * hits / ((trace.predictions > 0).sum() + (y > 0).sum()))


@pytest.mark.slow
def test_what_was_tuned_on_what() -> None:
    found = small()
    assert set(found.columns["tuned_on"]) == {
        "settings by the mean f on permutations 4 to 5, which are not reported; "
        "eagerness by the share of labels on each reported permutation"
    }
    chosen = {json.loads(text)["C"] for text in found.columns["parameters"]}
    assert chosen <= {0.01, 1.0}


@pytest.mark.parametrize("grid", [[1e4, 0.01], [0.01, 1e4]])
def test_the_better_setting_is_chosen(grid: list[float]) -> None:
    """Labels are noisy, so steps as long as a label asks for are the worse ones."""
    found = small(grid={"C": grid}, algorithms=["PA-II"])
    assert {json.loads(text)["C"] for text in found.columns["parameters"]} == {0.01}
    each = [small(grid={"C": [value]}, algorithms=["PA-II"]).summary()[0].mean for value in (0.01, 1e4)]
    assert each[0] > each[1]


def test_a_grid_without_rates_is_reported_whole() -> None:
    found = small(rates=None, algorithms=["PAA-II", "PE"], grid={"C": [0.1, 1.0], "delta": [0.5, 2.0]})
    assert len(found.algorithms) == 4 + 1
    assert "PAA-II C=0.1 delta=0.5" in found.algorithms
    assert set(found.columns["tuned_on"]) == {"not tuned: every setting is reported"}


@pytest.mark.slow
def test_many_classes_and_curves() -> None:
    found = small(data={"three": stream(classes=3)}, algorithms=["MPAA-II", "MRPA-II"], points=5)
    assert found.main == "accuracy"
    assert found.curves is not None
    ends = found.curves["round"] == 600
    assert ends.sum() == len(found)
    assert sorted(found.curves["mistakes"][ends]) == sorted(found.columns["mistakes"])


@pytest.mark.slow
def test_a_share_out_of_reach_is_left_out() -> None:
    found = small(algorithms=["D-AMD-I", "D-AMD"], grid={"eta": [1.0], "delta": [1e-3]}, rates=(0.002, 0.5))
    shares = {(cell.algorithm, cell.rate) for cell in found.summary()}
    assert ("D-AMD-I", 0.5) in shares
    assert ("D-AMD-I", 0.002) not in shares


def test_nothing_within_reach_gets_a_sentence() -> None:
    with pytest.raises(ValueError, match="no algorithm can meet these rates"):
        small(algorithms=["D-AMD-I"], grid={"eta": [1.0], "delta": [1e-3]}, rates=(0.002,))


def test_pairs_of_rules_are_compared_at_the_same_shares() -> None:
    given = {"near": (updates.PassiveAggressive2(), Near()), "random": (updates.AROW(), queries.Random())}
    found = small(algorithms=given, grid={"far": [0.5, 2.0]}, rates=(0.3,))
    assert {cell.algorithm for cell in found.summary()} == {"near", "random"}
    for cell in found.summary("asked"):
        assert cell.mean == pytest.approx(0.3, abs=0.03)
    assert "far" in json.loads(found.where(algorithm="near").columns["parameters"][0])


def test_nan_of_an_own_rule_stops_the_sweep() -> None:
    with pytest.raises(ValueError, match=r"Undecided\.ask returned nan for row 0"):
        small(algorithms={"undecided": (updates.AROW(), Undecided())}, grid={}, rates=None)


def test_parts_of_own_rules_are_not_kept(tmp_path: Path) -> None:
    given = {"near": (updates.AROW(), Near()), "margin": (updates.AROW(), queries.Margin())}
    small(algorithms=given, grid={}, rates=None, store=tmp_path)
    assert len(list((tmp_path / "parts").iterdir())) == 1


@pytest.mark.slow
def test_own_rules_reach_other_processes() -> None:
    given = {"near": (updates.PassiveAggressive2(), Near()), "arow": (updates.AROW(), queries.Margin())}
    alone, together = (small(algorithms=given, rates=None, backend=name) for name in ("sequential", "loky"))
    assert without_time(alone) == without_time(together)


@pytest.mark.parametrize("name", ["PAA-II", "Split"])
def test_scaling_and_intercept_are_those_of_a_learner(name: str) -> None:
    """One algorithm runs in banks, the other alone."""
    X, y = stream()
    X, options = X.astype(float) * 10.0 ** np.arange(8) + 1e6, {"scaling": "standard", "intercept": 0.5}
    pair = {"PAA-II": (updates.PassiveAggressive2(), queries.Margin()), "Split": (updates.AROW(), queries.Split())}
    found = small(
        data={"made": (X, y)}, algorithms={"it": pair[name]}, grid={}, rates=None, dtype="float64", **options
    )
    given = make_dataset("made", X, y, np.dtype("float64"))
    for permutation in range(2):
        rows = shuffled(given, 0, permutation)
        learner = askance.Learner(*pair[name], dtype="float64", classes=[-1, 1], **options)
        trace = learner.run(rows.X, rows.y.astype(int), coins=rows.coins)
        assert found.columns["mistakes"][permutation] == (trace.predictions != rows.y).sum()
        assert found.columns["asked"][permutation] == trace.asked.mean()


def test_parts_with_and_without_scaling_differ(tmp_path: Path) -> None:
    options: dict[str, Any] = {"algorithms": ["PEA"], "grid": {}, "rates": None, "store": tmp_path}
    plain, scaled = small(**options), small(scaling="standard", **options)
    assert without_time(plain) != without_time(scaled)
    assert without_time(small(scaling="standard", **options)) == without_time(scaled)


def test_scales_are_warned_of_once_per_data_set() -> None:
    X, y = stream()
    sets = {"even": (X, y), "uneven": (X * [1, 1, 1, 1, 1, 1, 1, 1e6], y)}
    options: dict[str, Any] = {
        "data": sets,
        "algorithms": {"it": (updates.AROW(), queries.Split())},
        "grid": {},
        "rates": None,
    }
    with pytest.warns(ScaleWarning, match='uneven: typical values .* in a plan scaling = "standard"') as caught:
        small(**options)
    assert len(caught) == 1
    small(scaling="standard", **options)


def test_the_most_frequent_class_is_known() -> None:
    _, y = stream()
    found = small(algorithms=["PEA"], grid={}, rates=None)
    assert found.most_frequent == {"made": max(y.mean(), 1 - y.mean())}


@pytest.mark.slow
def test_processes_find_the_same(tmp_path: Path) -> None:
    alone = small()
    together = small(backend="loky", n_jobs=2, store=tmp_path)
    assert without_time(alone) == without_time(together)


@pytest.mark.slow
def test_threads_of_a_process_find_the_same() -> None:
    alone = small(algorithms=["PAA-II"])
    together = small(algorithms=["PAA-II"], backend="loky", n_jobs=3)
    assert without_time(alone) == without_time(together)


@pytest.mark.parametrize(
    ("backend", "cells", "threads"), [("loky", 2, 4), ("loky", 5, 1), ("loky", 9, 1), ("ray", 2, 1)]
)
def test_processors_that_cells_leave_become_threads(backend: str, cells: int, threads: int) -> None:
    assert Execution(backend, 8).threads_per_cell(cells) == threads


def test_nothing_is_computed_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = small(store=tmp_path)
    told: list[Any] = []
    monkeypatch.setattr("askance.experiments.sweep.run.run_trials", lambda *_: pytest.fail("was computed again"))
    again = small(store=tmp_path, watch=lambda *progress: told.append(progress))
    assert {name: column.tolist() for name, column in first.columns.items()} == {
        name: column.tolist() for name, column in again.columns.items()
    }
    assert told[-1] == (3, 3, "PA-II on made")


def test_a_damaged_part_alone_is_done_again(tmp_path: Path) -> None:
    first = small(store=tmp_path)
    part = sorted(tmp_path.glob("parts/*.json"))[0]
    part.write_bytes(part.read_bytes()[:-5])
    with pytest.warns(RuntimeWarning, match="damaged"):
        again = small(store=tmp_path)
    assert without_time(first) == without_time(again)


SCRIPT = """
import sys
sys.path[:0] = {tests!r}
from small_sweeps import small
small(store=sys.argv[1], permutations=12).save(sys.argv[1] + "/results.parquet")
"""


def killed_sweep(path: Path, kills: int) -> Results:
    """Kill the sweep so many times at random moments, then let it end."""
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    script = SCRIPT.format(tests=[str(SUPPORT)])
    for left in range(kills, -1, -1):
        process = subprocess.Popen([sys.executable, "-c", script, str(path)], env=os.environ)
        if left:
            time.sleep(rng.uniform(1.0, 6.0))
            process.kill()
        assert process.wait(timeout=300) == (-9 if left else 0) or process.returncode == 0
    return Results.load(path / "results.parquet")


@pytest.mark.soak
def test_a_killed_sweep_goes_on(tmp_path: Path) -> None:
    assert without_time(killed_sweep(tmp_path, 2)) == without_time(small(permutations=12))


@pytest.mark.soak
def test_a_sweep_killed_ten_times_goes_on(tmp_path: Path) -> None:
    assert without_time(killed_sweep(tmp_path, 10)) == without_time(small(permutations=12))


def test_a_bad_plan_fails_before_the_first_pass(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="dtype must be"):
        small(dtype="float16")
    with pytest.raises(ValueError, match="not 2"):
        small(rates=(2,), store=tmp_path)
    assert not list(tmp_path.glob("parts/*"))
