"""Results of sweeps: who is best and who ties, choosing runs, tables of other packages, files."""

import dataclasses
import hashlib
import math
import pathlib
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from askance.experiments.sweep.results import Cell, Results
from askance.experiments.sweep.results_file import BLANK, DIGEST, RUN
from askance.plotting.sweeps import draw_times
from made_up_results import SMALL, results_of, sweep


def cells(results: Results, metric: str | None = None) -> dict[tuple[str, str, float], Cell]:
    return {(cell.data, cell.algorithm, cell.rate): cell for cell in results.summary(metric)}


def marks(results: Results, metric: str | None = None) -> dict[str, str]:
    return {
        cell.algorithm: "best" if cell.is_best else "ties" if cell.ties else "worse"
        for cell in results.summary(metric)
    }


def assert_same(one: Results, two: Results) -> None:
    assert (one.metrics, one.main, list(one.columns)) == (two.metrics, two.main, list(two.columns))
    for name, column in one.columns.items():
        assert column.dtype.kind == two.columns[name].dtype.kind
        np.testing.assert_array_equal(column, two.columns[name])
    assert (one.curves is None) == (two.curves is None)
    if one.curves is not None and two.curves is not None:
        for name in one.curves:
            np.testing.assert_array_equal(one.curves[name], two.curves[name])


def test_a_summary_by_hand() -> None:
    found = cells(results_of(SMALL))
    assert list(found) == [
        *[("one", name, 0.1) for name in ("PAA", "RPA", "PEA")],
        ("one", "PA", 1.0),
        *[("two", name, 0.1) for name in ("PAA", "RPA", "PEA")],
        ("two", "PA", 1.0),
    ]
    paa = found["one", "PAA", 0.1]
    assert (paa.mean, paa.count, paa.asked) == (pytest.approx(0.7), 2, pytest.approx(0.1))
    assert paa.deviation == pytest.approx(0.1 * math.sqrt(2))
    # Two values: s / √2 = 0.1 and t = 12.7062 at 97.5 % with one degree of freedom.
    assert (paa.low, paa.high) == (pytest.approx(0.7 - 1.27062, abs=1e-5), pytest.approx(0.7 + 1.27062, abs=1e-5))


def test_the_best_and_its_ties_by_hand() -> None:
    found = {key: (cell.is_best, cell.ties) for key, cell in cells(results_of(SMALL)).items()}
    assert found == {
        ("one", "PAA", 0.1): (True, False),
        ("one", "RPA", 0.1): (False, True),
        ("one", "PEA", 0.1): (False, False),  # worse by the same on every permutation
        ("one", "PA", 1.0): (True, False),  # with all labels, judged by itself
        ("two", "PAA", 0.1): (True, False),
        ("two", "RPA", 0.1): (True, False),  # the very same mean
        ("two", "PEA", 0.1): (False, True),
        ("two", "PA", 1.0): (True, False),
    }


def test_a_small_difference_that_is_always_there_counts_and_a_large_one_now_and_then_does_not() -> None:
    base = np.linspace(0.5, 0.9, 10)
    jitter = np.tile([0.001, -0.001], 5)
    runs = {
        ("one", "best", 0.1): base,
        ("one", "steady", 0.1): base - 0.01 + jitter,
        ("one", "wild", 0.1): base - 0.1 + 200 * jitter,  # its mean is far lower
    }
    assert marks(results_of(runs)) == {"best": "best", "steady": "worse", "wild": "ties"}


@pytest.mark.parametrize(("metric", "best"), [("f", "high"), ("error", "low"), ("cost", "low"), ("sum", "high")])
def test_every_metric_has_its_direction(metric: str, best: str) -> None:
    runs = {("one", "low", 0.1): [0.1, 0.2], ("one", "high", 0.1): [0.8, 0.9]}
    other = {"low": "high", "high": "low"}[best]
    assert marks(results_of(runs, metric)) == {best: "best", other: "worse"}


def test_permutations_are_matched_by_number_not_by_place() -> None:
    runs = {("one", "PAA", 0.1): [0.5, 0.6, 0.7, 0.8], ("one", "RPA", 0.1): [0.49, 0.58, 0.69, 0.79]}
    assert marks(results_of(runs)) == {"PAA": "best", "RPA": "worse"}
    # The same values, but each on another permutation: now the differences are large both ways.
    mixed = results_of(runs, permutation=[0, 1, 2, 3, 3, 2, 1, 0])
    assert marks(mixed) == {"PAA": "best", "RPA": "ties"}


def test_only_common_permutations_are_tested() -> None:
    runs = {("one", "PAA", 0.1): [0.9, 0.9, 0.6, 0.61, 0.62], ("one", "RPA", 0.1): [0.65, 0.67, 0.68]}
    results = results_of(runs, permutation=[0, 1, 2, 3, 4, 2, 3, 4])
    # On those three it is clearly better, so nobody can call it worse.
    assert marks(results) == {"PAA": "best", "RPA": "ties"}
    apart = results_of(runs, permutation=[0, 1, 2, 3, 4, 5, 6, 7])
    assert marks(apart) == {"PAA": "best", "RPA": "worse"}  # no test, so no tie


def test_one_permutation_is_no_test() -> None:
    found = cells(results_of({("one", "PAA", 0.1): [0.5], ("one", "RPA", 0.1): [0.4999]}))
    assert [(cell.is_best, cell.ties) for cell in found.values()] == [(True, False), (False, False)]
    assert all(math.isnan(value) for cell in found.values() for value in (cell.deviation, cell.low, cell.high))


def test_the_best_ignores_what_is_not_a_number() -> None:
    runs = {("one", "PAA", 0.1): [0.5, 0.6], ("one", "RPA", 0.1): [math.nan, 0.9]}
    assert marks(results_of(runs)) == {"PAA": "best", "RPA": "worse"}
    assert marks(results_of({("one", "PAA", 0.1): [math.nan]})) == {"PAA": "worse"}


def test_what_runs_took_can_be_summed_up_too() -> None:
    results = results_of(SMALL, seconds=[1, 2, 4, 4, 9, 9, 9, 9, *[1] * 8])
    found = cells(results, "seconds")
    assert (found["one", "PAA", 0.1].mean, found["one", "PAA", 0.1].is_best) == (1.5, True)
    assert found["one", "RPA", 0.1].mean == 4
    assert cells(results, "mistakes")["one", "PAA", 0.1].mean == 10.5
    with pytest.raises(ValueError, match="no metric 'auc': they have f, mistakes, asked, updates, seconds"):
        results.summary("auc")
    with pytest.raises(ValueError, match="no metric 'accuracy'"):
        results.summary("accuracy")


def test_standings_by_hand() -> None:
    at_ten, full = results_of(SMALL).standings()
    assert (at_ten.rate, at_ten.algorithms, at_ten.data) == (0.1, ("PAA", "RPA", "PEA"), ("one", "two"))
    assert at_ten.ranking.average.tolist() == [1.25, 1.75, 3]
    assert at_ten.ranking.difference == pytest.approx(2.343, abs=1e-3)  # q √(3 · 4 / (6 · 2)) = q
    assert (full.rate, full.algorithms, full.ranking.average.tolist()) == (1.0, ("PA",), [1])
    assert math.isnan(full.ranking.test.p)


def test_standings_leave_out_data_sets_that_somebody_lacks() -> None:
    runs = dict(SMALL)
    del runs["two", "PEA", 0.1]
    at_ten, _ = results_of(runs).standings()
    assert at_ten.data == ("one",)
    assert at_ten.ranking.average.tolist() == [1, 2, 3]


def test_where() -> None:
    results = results_of(SMALL, curves=True)
    part = results.where(data="one", algorithm=["PA", "PEA"])
    assert (part.data_sets, part.algorithms, part.rates, len(part)) == (("one",), ("PEA", "PA"), (0.1, 1.0), 4)
    assert part.curves is not None
    assert set(part.curves["algorithm"]) == {"PA", "PEA"}
    assert len(part.curves["round"]) == 12
    assert results.where(rate=0.1 + 1e-17).rates == (0.1,)
    assert len(results.where()) == len(results) == 16
    nothing = results.where(algorithm="PA", rate=0.1)
    assert (len(nothing), nothing.summary(), nothing.standings()) == (0, [], [])


def test_at_rate_keeps_the_methods_that_use_every_label() -> None:
    runs = {
        ("one", "PAA", 0.1): [0.5],
        ("one", "PAA", 0.2): [0.6],
        ("one", "PAA", 1.0): [0.7],
        ("one", "PA", 1.0): [0.9],
    }
    results = results_of(runs, curves=True)
    assert results.full_methods == ("PA",)
    part = results.at_rate(0.2)
    assert part.columns["f"].tolist() == [0.6, 0.9]
    assert part.curves is not None
    assert len(part.curves["round"]) == 6
    assert results.at_rate(1.0).columns["f"].tolist() == [0.7, 0.9]


@pytest.mark.parametrize(
    ("choice", "fault"),
    [
        ({"data": "three"}, "no data set 'three': they have one, two"),
        ({"algorithm": ["PAA", "PB"]}, "no algorithm 'PB': they have PAA, RPA, PEA, PA"),
        ({"rate": 0.2}, r"no rate 0\.2: they have 0\.1, 1\.0"),
    ],
)
def test_what_is_not_there_cannot_be_chosen(choice: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        results_of(SMALL).where(**choice)


@pytest.mark.parametrize(
    ("columns", "fault"),
    [
        ({"seconds": [1.0]}, "must have the same length"),
        ({"permutation": [0] * 16}, r"has several rows \(data one, algorithm PAA, rate 0.1, permutation 0\)"),
        ({"updates": [0.5] * 16}, "'updates' must hold int, not float64"),
        ({"rate": [10.0] * 16}, "rates must be shares"),
        ({"asked": np.zeros((16, 2))}, "'asked' must have one dimension, not 2"),
    ],
)
def test_faulty_columns_are_refused(columns: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        results_of(SMALL, **columns)


def test_missing_columns_and_metrics_are_refused() -> None:
    results = results_of(SMALL)
    some = {name: column for name, column in results.columns.items() if name != "seconds"}
    with pytest.raises(ValueError, match="missing seconds"):
        dataclasses.replace(results, columns=some)
    with pytest.raises(ValueError, match="the main metric 'error' is not one of f"):
        dataclasses.replace(results, main="error")
    with pytest.raises(ValueError, match="there is no metric 'auc'"):
        dataclasses.replace(results, metrics=("f", "auc"))
    with pytest.raises(ValueError, match=r"curves need the columns .*: missing round, mistakes"):
        dataclasses.replace(results, curves={name: results.columns[name] for name in RUN})


def test_it_introduces_itself() -> None:
    assert repr(results_of(SMALL)) == "<Results: 2 data sets, 4 algorithms, 16 runs, tuned for f>"


@pytest.mark.parametrize("package", ["pandas", "polars", "arrow"])
def test_tables_of_other_packages(package: str) -> None:
    results = results_of(SMALL)
    table = getattr(results, f"to_{package}")()
    assert list(table.column_names if package == "arrow" else table.columns) == list(results.columns)
    for name, column in results.columns.items():
        values = table[name]
        assert (values.to_pylist() if package == "arrow" else values.to_list()) == column.tolist()


@pytest.mark.parametrize(
    ("package", "method", "fault"),
    [
        ("pandas", "to_pandas", "this table needs pandas: pip install pandas"),
        ("polars", "to_polars", "this table needs polars: pip install polars"),
        ("pyarrow", "to_arrow", r"Parquet needs pyarrow: pip install 'askance\[parquet\]'"),
    ],
)
def test_missing_packages_are_named(
    package: str, method: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"^{fault}$"):
        getattr(results_of(SMALL), method)()


@pytest.mark.parametrize("curves", [True, False])
def test_a_file_holds_everything(curves: bool, tmp_path: pathlib.Path) -> None:
    results = results_of(SMALL, curves=curves)
    results.save(tmp_path / "sweep.parquet")
    results.save(tmp_path / "sweep.parquet")  # again, over the old one
    assert {path.name for path in tmp_path.iterdir()} == {"sweep.parquet", "sweep.times.parquet"}
    assert_same(Results.load(tmp_path / "sweep.parquet"), results)
    assert parquet.read_table(tmp_path / "sweep.parquet").num_rows == 16  # others can read it too


def test_times_have_a_file_of_their_own(tmp_path: pathlib.Path) -> None:
    results, slower = results_of(SMALL), results_of(SMALL, seconds=[9.0] * 16)
    results.save(tmp_path / "sweep.parquet")
    slower.save(tmp_path / "slower.parquet")
    assert (tmp_path / "sweep.parquet").read_bytes() == (tmp_path / "slower.parquet").read_bytes()
    assert Results.load(tmp_path / "slower.parquet").columns["seconds"].tolist() == [9.0] * 16
    assert parquet.read_table(tmp_path / "slower.times.parquet").column_names == [*RUN, "seconds"]


def test_results_are_there_without_their_times(tmp_path: pathlib.Path) -> None:
    results = results_of(SMALL)
    results.save(tmp_path / "sweep.parquet")
    times = tmp_path / "sweep.times.parquet"
    results.where(data="one").save(tmp_path / "other.parquet")
    for change in (
        lambda: times.write_bytes((tmp_path / "other.times.parquet").read_bytes()),  # of other results
        lambda: times.write_bytes(times.read_bytes()[:-9]),
        lambda: times.unlink(),
    ):
        change()
        found = Results.load(tmp_path / "sweep.parquet")
        assert np.isnan(found.columns["seconds"]).all()
        assert found.columns["f"].tolist() == results.columns["f"].tolist()
    with pytest.raises(ValueError, match="these results have no times"):
        draw_times(found, 0.1)


def test_a_file_of_a_whole_sweep_and_of_none(tmp_path: pathlib.Path) -> None:
    results = sweep(permutations=3)
    for some in (results, results.where(algorithm="AROW", rate=0.1), dataclasses.replace(results, curves=None)):
        some.save(tmp_path / "sweep.parquet")
        assert_same(Results.load(tmp_path / "sweep.parquet"), some)


def test_curves_in_any_order_are_kept(tmp_path: pathlib.Path) -> None:
    results = sweep(data=["a8a"], active=["PAA"], permutations=2)
    assert results.curves is not None
    order = np.random.default_rng(1).permutation(len(results.curves["round"]))
    mixed = dataclasses.replace(results, curves={name: one[order] for name, one in results.curves.items()})
    mixed.save(tmp_path / "sweep.parquet")
    loaded = Results.load(tmp_path / "sweep.parquet").curves
    assert loaded is not None

    # Runs in their own order, and the moments of each as they came.
    run = dict(
        zip(zip(*(results.columns[name].tolist() for name in RUN), strict=True), range(len(results)), strict=True)
    )
    moments = list(zip(*(column[order].tolist() for column in results.curves.values()), strict=True))
    expected = sorted(moments, key=lambda moment: run[moment[:4]])
    assert list(zip(*(column.tolist() for column in loaded.values()), strict=True)) == expected


def test_a_curve_without_a_run_is_not_saved(tmp_path: pathlib.Path) -> None:
    results = results_of(SMALL, curves=True)
    part = dataclasses.replace(results.where(data="one"), curves=results.curves)
    with pytest.raises(ValueError, match=r"a curve belongs to a run that has no row: two, PAA, 0.1, 0"):
        part.save(tmp_path / "sweep.parquet")
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("results") / "sweep.parquet"
    results_of(SMALL, curves=True).save(path)
    return path.read_bytes()


@given(place=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255))
def test_a_changed_byte_is_noticed(
    content: bytes, place: float, change: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    damaged = bytearray(content)
    damaged[int(place * len(content))] ^= change
    path = tmp_path_factory.mktemp("damaged") / "sweep.parquet"
    path.write_bytes(damaged)
    with pytest.raises(
        ValueError, match=r"sweep\.parquet is damaged, or not a file of results: run the sweep again"
    ):
        Results.load(path)


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.99])
def test_a_file_that_was_cut_off_is_noticed(content: bytes, share: float, tmp_path: pathlib.Path) -> None:
    (tmp_path / "sweep.parquet").write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match="is damaged, or not a file of results"):
        Results.load(tmp_path / "sweep.parquet")


def test_other_files_are_refused(tmp_path: pathlib.Path) -> None:
    parquet.write_table(results_of(SMALL).to_arrow(), tmp_path / "other.parquet")
    with pytest.raises(ValueError, match="not a file of results"):
        Results.load(tmp_path / "other.parquet")
    with pytest.raises(ValueError, match=r"absent\.parquet cannot be read: No such file"):
        Results.load(tmp_path / "absent.parquet")
    with pytest.raises(ValueError, match=r"'sweep\.csv' does not end in \.parquet"):
        results_of(SMALL).save("sweep.csv")
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(ValueError, match="is not a file that can be replaced"):
        results_of(SMALL).save(tmp_path / "folder.parquet")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (b'"main": "f"', b'"main": "g"', "the main metric 'g' is not one of f"),
        (b'"metrics": [', b'"metricz": [', r"is not a valid file of results \('metrics'\)"),
    ],
)
def test_a_forged_file_is_refused(
    content: bytes, old: bytes, new: bytes, fault: str, tmp_path: pathlib.Path
) -> None:
    assert content.count(old) == 1
    forged = DIGEST.sub(BLANK, content).replace(old, new)
    forged = DIGEST.sub(hashlib.sha256(forged).hexdigest().encode(), forged)
    (tmp_path / "sweep.parquet").write_bytes(forged)
    with pytest.raises(ValueError, match=fault):
        Results.load(tmp_path / "sweep.parquet")


def test_another_format_is_told(content: bytes, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("askance.experiments.sweep.results_file.FORMAT", 2)
    (tmp_path / "sweep.parquet").write_bytes(content)
    with pytest.raises(ValueError, match="has format 1, but this version of askance reads format 2"):
        Results.load(tmp_path / "sweep.parquet")
