"""The figures of the league, on results whose answers are worked out by hand."""

import csv
import importlib.util
import pathlib
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy import stats

from paths import ROOT

sys.path.append(str(ROOT))  # the benchmark is not part of the package

from bench.league.figures import (
    above_larger,
    ahead,
    calibration,
    differences,
    labels_against_random,
    labels_needed,
    over_orders,
    points,
    ranks,
    share_at_or_above,
    times_cheaper,
    worst,
)
from bench.league.tables import rare, sheets


def tool(name: str) -> ModuleType:
    """A script of the folder tools."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def result(method: str, stream: float, **others: Any) -> dict[str, Any]:
    """A line of the results, of which a test names what it is about."""
    common = {"set": "a", "order": 0, "budget": "50", "method": method, "stream": stream, "held_out": stream}
    about = {"is_table": True, "classes": 2, "larger": 0.5, "larger_held": 0.5}
    return (
        common
        | about
        | {"labels": 50, "seconds": 1.0, "calibration_error": None}
        | {"f_stream": None, "f_held_out": None}
        | others
    )


def pair(auto: float, script: float, **others: Any) -> list[dict[str, Any]]:
    return [result("auto", auto, **others), result("script", script, **others)]


def test_points_are_means_over_budgets_and_orders() -> None:
    results = [
        *pair(0.75, 0.5),
        *pair(0.5, 0.5, budget="10%"),
        *pair(0.5, 0.625, set="b"),
        result("auto", 1, set="c"),
    ]
    assert differences(results, "stream", "auto") == {
        ("a", "50", 0): 25.0,
        ("a", "10%", 0): 0.0,
        ("b", "50", 0): -12.5,
    }
    assert points(results, "stream", "auto") == {"a": 12.5, "b": -12.5}
    assert worst(results, "stream", "auto", 1) == [("b", -12.5)]
    assert share_at_or_above(results, "stream", "auto") == pytest.approx(2 / 3)


def test_methods_are_compared_where_both_ran() -> None:
    results = [*pair(0.75, 0.5), *pair(0.5, 0.5, order=1), result("river", 0.25), result("river", 0.5, set="b")]
    assert ahead(results, "stream", "auto", "script") == {"a": 12.5}
    assert ahead(results, "stream", "auto", "river") == {"a": 50.0}
    assert ahead(results, "stream", "river", "script") == {"a": -25.0}


def test_intervals_pool_the_spread_over_orders() -> None:
    results = [
        *pair(0.51, 0.5),  # set a: 1 and 3 points, variance 2
        *pair(0.53, 0.5, order=1),
        *pair(0.54, 0.5, set="b"),  # set b: 4 and 8 points, variance 8
        *pair(0.58, 0.5, set="b", order=1),
        *pair(0.57, 0.5, set="c"),  # set c: 7 points, in one order
    ]
    found = over_orders(results, "stream", "auto")
    assert found.mean == pytest.approx((2 + 6 + 7) / 3)
    pooled = (2 + 8) / 2
    assert found.half == pytest.approx(stats.t.ppf(0.975, 2) * np.sqrt(pooled / 2 + pooled / 2 + pooled) / 3)
    alone = over_orders(pair(0.51, 0.5), "stream", "auto")
    assert alone.mean == pytest.approx(1.0)
    assert str(alone) == "+1.0"


def test_ranks_count_streams_on_which_all_ran() -> None:
    results = [
        *(*pair(0.9, 0.8), result("random", 0.8)),
        *(*pair(0.7, 0.9, set="b"), result("random", 0.6, set="b")),
        *pair(0.0, 1.0, set="c"),
        *(*pair(0.5, 0.4, budget="10%"), result("random", 0.3, budget="10%")),
    ]
    assert ranks(results, "stream", ("auto", "script", "random")) == {
        "50": {"auto": 1.5, "script": 1.75, "random": 2.75},
        "10%": {"auto": 1.0, "script": 2.0, "random": 3.0},
    }


def test_distance_to_the_larger_class() -> None:
    results = [result("auto", 0.75), result("auto", 0.25, order=1), result("auto", 0.875, set="b")]
    mean, below = above_larger(results, "auto")
    assert mean == pytest.approx((0 + 37.5) / 2)
    assert below == pytest.approx(1 / 3)


def curve(method: str, *values: tuple[int, float], **others: Any) -> list[dict[str, Any]]:
    return [result(method, value, labels=labels, budget=str(labels), **others) for labels, value in values]


def test_labels_needed_are_interpolated_by_their_logarithm() -> None:
    results = [
        result("all labels", 1.0, held_out=0.8, budget="all"),  # the goal is 0.76
        *curve("auto", (50, 0.72), (200, 0.80)),
        *curve("random", (50, 0.70), (200, 0.76)),
        *curve("script", (50, 0.77), (200, 0.80)),
        *curve("PAA-II", (50, 0.70), (200, 0.71)),
    ]
    assert labels_needed(results, "auto") == {("a", 0): (pytest.approx(100), False)}  # half way from 50 to 200
    assert labels_needed(results, "script") == {("a", 0): (50, True)}
    assert labels_needed(results, "PAA-II") == {("a", 0): (np.inf, False)}
    assert labels_against_random(results, "auto") == pytest.approx(0.5)
    assert labels_against_random(results, "PAA-II") == np.inf
    assert labels_against_random(results, "random") == 1.0


def test_labels_are_compared_where_there_is_a_difference_to_see() -> None:
    results = [result("all labels", 1.0, held_out=0.5, budget="all")]
    results += curve("auto", (48, 0.9)) + curve("random", (50, 0.9))
    assert np.isnan(labels_against_random(results, "auto"))  # both with the smallest budget
    results = [result("all labels", 1.0, held_out=1.0, budget="all")]
    results += curve("auto", (50, 0.96)) + curve("random", (50, 0.9))
    assert labels_against_random(results, "auto") == 0.0  # random asking never gets there


def test_labels_are_compared_at_the_budgets_of_the_method_if_random_asking_ran_with_them() -> None:
    results = [result("all labels", 1.0, held_out=1.0, budget="all")]
    results += curve("random", (20, 0.8), (50, 0.9), (200, 0.96))
    assert labels_against_random(results + curve("auto", (50, 0.9), (200, 0.96)), "auto") == 1.0
    assert np.isnan(labels_against_random(results + curve("auto", (12, 0.96), (50, 0.9), (200, 0.96)), "auto"))


def test_cost_and_calibration() -> None:
    results = [
        *pair(0.5, 0.5),
        result("auto", 0.5, set="b", seconds=2.0, budget="10%", calibration_error=0.1),
        result("script", 0.5, set="b", seconds=8.0, budget="10%"),
        result("auto", 0.5, set="c", seconds=1.0, budget="10%", calibration_error=0.3),
        result("script", 0.5, set="c", seconds=10.0, budget="10%"),
        result("auto", 0.5, set="c", seconds=100.0, budget="50"),  # without the script there is no ratio
    ]
    assert times_cheaper(results, "auto") == 4.0
    assert calibration(results, "auto") == pytest.approx(0.2)
    assert np.isnan(calibration(results, "script"))


def test_sheets_have_a_row_for_each_method_kind_and_set() -> None:
    results = [
        *pair(0.75, 0.5, order=0),
        *pair(0.5, 0.5, order=1),
        *pair(0.6, 0.5, set="sms:embedded", classes=12),
    ]
    methods, overview, paired, quality, ranked, kinds, _, sets = sheets(results).values()
    assert [(row[0], *row[2:]) for row in methods.rows] == [("auto", "1", "2"), ("script", "1", "2")]
    assert overview.rows == [
        ("auto", "1", "+12.5 ± 158.8", "+12.5 ± 158.8", "100% / 100%", "a +12.5", "a +12.5"),
    ]
    assert paired.rows == [("script", "1", "+12.5", "+12.5", "1 / 1")]
    assert [row[0] for row in quality.rows] == ["auto", "script"]
    assert quality.rows[0] == ("auto", "+12.5", "0%", "–", "–", "1.0")
    assert (ranked.header, ranked.rows) == (("method", "50"), [("auto", "1.25"), ("script", "1.75")])
    assert kinds.header == ("method", "tables", "embeddings")
    assert kinds.rows == [("auto", "+12.5 / +12.5 (1)", "+10.0 / +10.0 (1)")]
    assert sets.rows == [("a", "+12.5 / +12.5"), ("sms:embedded", "+10.0 / +10.0")]
    assert overview.shown().row_count == 1


def test_pages_include_all_that_is_written_for_them(tmp_path: pathlib.Path) -> None:
    results = [*pair(0.75, 0.5), *pair(0.5, 0.5, set="b", budget="10%", f_stream=0.5, f_held_out=0.5, larger=0.9)]
    maker = tool("make_league")
    written = maker.write_tables(results, tmp_path)
    assert {path.name for path in written} == {path.name for path in maker.TABLES.glob("*.csv")}
    with (tmp_path / "kinds.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [
            ["method", "tables", "rare positives"],
            ["auto", "+12.5 / +12.5 (2)", "+0.0 / +0.0 (1)"],
        ]
    pages = "".join(
        (ROOT / "docs" / page).read_text() for page in ("reference/league.md", "guides/which-learner.md")
    )
    for path in [*written, *maker.PICTURES.glob("league-*.png")]:
        assert path.name in pages


@pytest.mark.slow
def test_figures_are_drawn(tmp_path: pathlib.Path) -> None:
    results, maker = [*pair(0.75, 0.5), *pair(0.5, 0.5, set="b", budget="10%")], tool("make_league")
    maker.draw_points(results, tmp_path / "points.png")
    maker.draw_budgets(results, tmp_path / "budgets.png")
    assert all((tmp_path / f"{name}.png").stat().st_size > 1000 for name in ("points", "budgets"))


def test_f_of_rare_positives_at_one_budget() -> None:
    common = {"set": "a:rarest", "larger": 0.9, "budget": "10%"}
    results = [
        result("auto", 0.9, **common, f_stream=0.5, f_held_out=0.6),
        result("auto", 0.9, **common, f_stream=0.7, f_held_out=0.7, order=1),
        result("OMCSL", 0.9, **common, f_stream=0.25, f_held_out=0.5),
        result("script", 0.9, f_stream=1.0, f_held_out=1.0, budget="10%"),  # positives are not rare
        result("script", 0.9, **{**common, "budget": "50"}, f_stream=1.0, f_held_out=1.0),
    ]
    sheet = rare(results)
    assert sheet.header == ("data", "positive", "auto", "OMCSL")
    assert sheet.rows == [["a:rarest", "10.0%", "0.60 / 0.65", "0.25 / 0.50"]]
