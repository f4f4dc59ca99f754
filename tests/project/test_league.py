"""The league: small runs of what compares methods at equal numbers of labels."""

import pathlib
import sys

import numpy as np
import pytest

from paths import ROOT

sys.path.append(str(ROOT))  # the benchmark is not part of the package

from bench.league.__main__ import main
from bench.league.methods import METHODS, calibration_error
from bench.league.tables import cheaper, points, ranks
from bench.league.tasks import budgets, made_up, task

QUICK = ["--quick", "--orders", "1", "--budgets", "50"]


def test_a_quick_run_is_stored_and_goes_on(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = main([*QUICK, "--sets", "table", "--methods", "script"], tmp_path)
    both = main([*QUICK, "--methods", "auto", "script"], tmp_path)
    assert len(first) == 1
    assert both[0] == first[0]
    assert [(one["set"], one["method"]) for one in both[1:]] == [
        ("table", "auto"),
        ("words", "auto"),
        ("words", "script"),
    ]
    assert all(0.4 < one["stream"] <= 1 and 0.4 < one["held_out"] <= 1 and one["labels"] <= 50 for one in both)
    assert "times cheaper" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_every_method_keeps_the_budget(method: str) -> None:
    one = task("table", *made_up()["table"], order=0)
    found = METHODS[method](one, 60, 0)
    assert 30 <= found.labels <= 60
    assert found.held_out > 0.4


def test_streams_and_held_out_rows_are_apart() -> None:
    rows = np.arange(1000.0).reshape(-1, 1)
    for name in ("any", "elec2"):
        one = task(name, rows, np.zeros(1000, np.int64), order=1)
        assert len(one.y) == 700
        assert not set(one.X.ravel()) & set(one.X_held.ravel())
        assert (np.diff(one.X.ravel()) > 0).all() == (name == "elec2")
    assert budgets(700) == {"50": 50, "100": 100, "200": 200, "2%": 14, "5%": 35, "10%": 70, "1%": 12}


def test_figures_by_hand() -> None:
    common = {"set": "a", "order": 0, "budget": "50"}
    results = [
        {**common, "method": "script", "stream": 0.5, "seconds": 8.0},
        {**common, "method": "auto", "stream": 0.75, "seconds": 2.0},
    ]
    assert points(results, "stream", "auto") == {"a": [25.0]}
    assert (ranks(results, "auto"), ranks(results, "script")) == (1.0, 2.0)
    assert cheaper(results, "auto") == 4.0
    sure, right = np.array([0.95, 0.95, 0.65, 0.65]), np.array([True, True, True, False])
    assert calibration_error(sure, right) == pytest.approx(0.5 * 0.05 + 0.5 * 0.15)
