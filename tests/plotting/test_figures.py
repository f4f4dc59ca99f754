"""Figures: what the panels hold, how methods are told apart, and files that fit a column."""

import dataclasses
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image

from askance.experiments.sweep.results import Results
from askance.plotting.sweeps import draw_errors, draw_rates, draw_times
from made_up_results import SMALL, results_of, sweep
from paths import SUPPORT
from thinning import rest_slow


@pytest.fixture(scope="module")
def results() -> Results:
    return sweep(permutations=3)


def legend_names(figure: Figure) -> list[str]:
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def band(ax: Axes, number: int) -> tuple[float, float]:
    """The ends of a band at its first point."""
    path = ax.collections[number].get_paths()[0].vertices
    first = path[np.isclose(path[:, 0], path[:, 0].min())]
    return first[:, 1].min(), first[:, 1].max()


def test_a_panel_by_hand() -> None:
    runs = {
        ("one", "PAA", 0.1): [0.5, 0.7],
        ("one", "PAA", 0.2): [0.8, 0.8],
        ("one", "PA", 1.0): [0.9, 0.9],
    }
    (ax,) = draw_rates(results_of(runs, asked=[0.1, 0.14, 0.2, 0.22, 1, 1])).axes
    line, level = ax.lines
    np.testing.assert_allclose(line.get_xydata(), [(12, 60), (21, 80)])
    np.testing.assert_allclose(level.get_ydata(), [90, 90])
    deviation = 10 * np.sqrt(2)
    np.testing.assert_allclose(band(ax, 0), (60 - deviation, 60 + deviation))
    assert len(ax.collections) == 1
    assert (ax.get_title(), ax.get_xlabel()) == ("one", "labels asked in %")
    assert ax.get_ylabel() == "F in % (higher is better)"


def test_every_data_set_has_a_panel_with_every_method(results: Results) -> None:
    figure = draw_rates(results, "accuracy")
    assert [ax.get_title() for ax in figure.axes] == ["a8a", "rcv1", "url"]
    assert legend_names(figure) == ["PAA-II", "RPA-II", "PEA", "SOAL", "PA-II (all labels)", "AROW (all labels)"]
    cells = {(cell.data, cell.algorithm, cell.rate): cell for cell in results.summary("accuracy")}
    for ax in figure.axes:
        for name, line in zip(("PAA-II", "RPA-II", "PEA", "SOAL"), ax.lines, strict=False):
            expected = [100 * cells[ax.get_title(), name, rate].mean for rate in results.rates[:-1]]
            np.testing.assert_allclose(line.get_ydata(), expected)
        assert len(ax.lines) == 6


@pytest.mark.parametrize(
    ("rates", "scale"), [((0.01, 0.2), "log"), ((0.05, 0.5), "linear"), ((0.1, 0.2), "linear"), ((0.1,), "linear")]
)
def test_more_than_a_decade_gets_a_logarithmic_axis(rates: tuple[float, ...], scale: str) -> None:
    (ax,) = draw_rates(sweep(data=["a8a"], rates=rates, permutations=2)).axes
    assert ax.get_xscale() == scale


def test_a_method_that_never_asked_gets_a_place() -> None:
    runs = {("one", "PAA", 0.01): [0.5, 0.6], ("one", "PAA", 0.5): [0.7, 0.8]}
    (ax,) = draw_rates(results_of(runs, asked=[0, 0, 0.5, 0.5])).axes
    assert ax.get_xscale() == "linear"
    np.testing.assert_allclose(ax.lines[0].get_xdata(), [0, 50])


def test_metrics_that_are_no_shares_and_lower_is_better() -> None:
    runs = {("one", "PAA", 0.1): [3.0, 5.0], ("one", "PAA", 0.2): [2.0, 4.0]}
    (ax,) = draw_rates(results_of(runs, "cost")).axes
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [4, 3])
    assert ax.get_ylabel() == "cost (lower is better)"


def test_one_permutation_has_no_band() -> None:
    (ax,) = draw_rates(sweep(data=["a8a"], permutations=1)).axes
    assert len(ax.collections) == 0
    (ax,) = draw_errors(sweep(data=["a8a"], permutations=1), 0.1).axes
    assert len(ax.collections) == 0


def test_methods_look_alike_everywhere_and_differ_without_colour() -> None:
    many = sweep(data=["a", "b"], active=[f"A{i}" for i in range(20)], full=list("CDEFG"), permutations=1)
    left, right = draw_rates(many).axes

    def looks(ax: Axes) -> list[tuple[str, str, str]]:
        return [(to_hex(line.get_color()), repr(line._dash_pattern), str(line.get_marker())) for line in ax.lines]

    assert looks(left) == looks(right)
    assert len({(dashes, marker) for _, dashes, marker in looks(left)}) == 25
    assert all(marker not in ("", "None") for _, _, marker in looks(left)[:20])
    assert all(marker in ("", "None") for _, _, marker in looks(left)[20:])


def test_errors_by_hand() -> None:
    # After 4, 8 and 12 rounds the permutations have made 1, 2, 3 and 2, 3, 4 mistakes.
    left, _ = draw_errors(results_of(SMALL, curves=True)).axes
    rounds, expected = np.array([4, 8, 12]), np.array([1.5, 2.5, 3.5])
    assert len(left.lines) == 4
    for line in left.lines:
        np.testing.assert_allclose(line.get_xdata(), rounds)
        np.testing.assert_allclose(line.get_ydata(), 100 * expected / rounds)
    np.testing.assert_allclose(band(left, 0), [100 * (1.5 - np.sqrt(0.5)) / 4, 100 * (1.5 + np.sqrt(0.5)) / 4])
    assert (left.get_xlabel(), left.get_ylabel()) == ("rounds", "error so far in % (lower is better)")


def test_only_rounds_that_all_permutations_have_are_drawn() -> None:
    results = results_of({("one", "PAA", 0.1): [0.5, 0.6]}, curves=True)
    assert results.curves is not None
    lacking = {name: np.delete(column, 1) for name, column in results.curves.items()}  # round 8 of the first
    (ax,) = draw_errors(dataclasses.replace(results, curves=lacking)).axes
    np.testing.assert_allclose(ax.lines[0].get_xdata(), [4, 12])


def test_a_rate_is_drawn_with_the_methods_that_use_every_label(results: Results) -> None:
    figure = draw_errors(results, 0.05)
    assert "PA-II (all labels)" in legend_names(figure)
    assert results.curves is not None
    ours = {"data": "a8a", "algorithm": "PEA", "rate": 0.05, "round": 10_000}
    keep = np.all([results.curves[name] == value for name, value in ours.items()], axis=0)
    expected = results.curves["mistakes"][keep].mean() / 100
    assert figure.axes[0].lines[2].get_ydata()[-1] == pytest.approx(expected)


def test_the_settled_part_fills_the_panel(results: Results) -> None:
    for ax in draw_errors(results, 0.05).axes:
        bottom, top = ax.get_ylim()
        settled = np.concatenate([line.get_ydata()[9:] for line in ax.lines])  # of 100 moments
        assert 0 <= bottom < settled.min() < settled.max() < top
        assert settled.max() - settled.min() > 0.7 * (top - bottom)
        assert max(line.get_ydata().max() for line in ax.lines) > top


def test_few_rates_are_the_ticks_of_a_logarithmic_axis(results: Results) -> None:
    assert draw_rates(results).axes[0].get_xticks().tolist() == [1, 2, 5, 10, 20, 50]
    many = sweep(data=["a8a"], rates=[0.01 * 1.3**i for i in range(12)], permutations=2)
    assert set(draw_rates(many).axes[0].get_xticks()) > {1, 2, 5, 10}


def test_a_method_that_may_ask_for_all_is_no_method_that_does() -> None:
    runs = {("one", "PAA", 0.1): [0.5, 0.6], ("one", "PAA", 1.0): [0.7, 0.8], ("one", "PA", 1.0): [0.9, 0.9]}
    results = results_of(runs, curves=True)
    (ax,) = draw_rates(results).axes
    assert [len(line.get_xdata()) for line in ax.lines] == [2, 2]
    np.testing.assert_allclose(ax.lines[0].get_xdata(), [10, 100])
    with pytest.raises(ValueError, match=r"several rates, 0\.1, 1\.0"):
        draw_errors(results)
    figure = draw_errors(results, 0.1)
    assert legend_names(figure) == ["PAA", "PA (all labels)"]
    assert len(draw_times(results, 0.1).axes[0].patches) == 2


def test_full_methods_alone_are_level_lines() -> None:
    (ax,) = draw_rates(results_of({("one", "PA", 1.0): [0.9, 0.7]})).axes
    np.testing.assert_allclose(ax.lines[0].get_ydata(), [80, 80])


def test_which_rate_must_be_said_if_there_are_several(results: Results) -> None:
    for draw in (draw_errors, draw_times):
        with pytest.raises(ValueError, match=r"several rates, 0\.01, .* 0\.5: pass the rate to draw"):
            draw(results)
        with pytest.raises(ValueError, match=r"no rate 0\.3"):
            draw(results, 0.3)


def test_results_without_curves_or_runs_are_refused(results: Results) -> None:
    with pytest.raises(ValueError, match="these results have no curves"):
        draw_errors(dataclasses.replace(results, curves=None), 0.1)
    nothing = results.where(algorithm="AROW", rate=0.1)
    with pytest.raises(ValueError, match="there are no results to draw"):
        draw_rates(nothing)


def test_times_by_hand() -> None:
    runs = {("one", "PAA", 0.1): [0.5, 0.5], ("two", "PAA", 0.1): [0.5, 0.5], ("two", "PA", 1.0): [0.5, 0.5]}
    figure = draw_times(results_of(runs, seconds=[1, 3, 0.0996, 0.0998, 120, 120]))
    left, right = figure.axes
    assert [bar.get_width() for bar in left.patches] == [2]
    assert [bar.get_width() for bar in right.patches] == [pytest.approx(0.0997), 120]
    assert [text.get_text() for text in left.texts + right.texts] == ["2.0", "0.10", "120"]
    assert [label.get_text() for label in left.get_yticklabels()] == ["PAA", "PA (all labels)"]
    assert left.get_xlim()[0] == 0
    assert left.get_xlabel() == "seconds"


@pytest.mark.parametrize(
    ("seconds", "unit", "length"),
    [(2.0, "seconds", 2), (0.25, "milliseconds", 250), (3e-5, "microseconds", 30), (0.0, "seconds", 0)],
)
def test_times_have_the_unit_of_the_longest(seconds: float, unit: str, length: float) -> None:
    (ax,) = draw_times(results_of({("one", "PAA", 0.1): [0.5, 0.5]}, seconds=[seconds] * 2)).axes
    assert ax.get_xlabel() == unit
    assert ax.patches[0].get_width() == pytest.approx(length)


def test_times_of_one_permutation_and_of_no_time() -> None:
    (ax,) = draw_times(results_of({("one", "PAA", 0.1): [0.5]}, seconds=[0.0])).axes
    assert [text.get_text() for text in ax.texts] == ["0"]


@pytest.mark.slow
@pytest.mark.parametrize("count", rest_slow([1, 3, 7], [7]))
def test_names_do_not_overlap_nor_leave_the_figure(count: int) -> None:
    results = sweep(
        data=[f"data {i}" for i in range(count)], full=["PA-II", "a long name, longer"], permutations=2
    )
    for figure in (draw_rates(results, title="A title"), draw_errors(results, 0.1), draw_times(results, 0.1)):
        figure.canvas.draw()
        boxes = [ax.get_tightbbox() for ax in figure.axes] + [one.get_window_extent() for one in figure.legends]
        assert len(figure.axes) == count
        for place, box in enumerate(boxes):
            assert box is not None
            assert box.x0 >= -1
            assert box.y0 >= -1
            assert box.x1 <= figure.bbox.x1 + 1
            assert box.y1 <= figure.bbox.y1 + 1
            assert not any(box.overlaps(other) for other in boxes[place + 1 :] if other is not None)
        for ax in figure.axes:
            assert ax.get_window_extent().height > 200


def test_a_column_and_a_page_are_as_wide_as_in_journals() -> None:
    assert draw_rates(sweep(data=["one"], permutations=1)).get_size_inches()[0] == 3.5
    assert draw_rates(sweep(data=["one", "two"], permutations=1)).get_size_inches()[0] == 7


@pytest.mark.slow
def test_files(results: Results, tmp_path: pathlib.Path) -> None:
    draw_rates(results, path=tmp_path / "rates.png", size=(900, 500))
    with Image.open(tmp_path / "rates.png") as image:
        assert (image.format, image.size) == ("PNG", (900, 500))
        assert np.ptp(np.asarray(image)) > 0
    draw_errors(results, 0.1, path=tmp_path / "errors.pdf")
    content = (tmp_path / "errors.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert b"/Type3" not in content  # fonts that publishers refuse
    draw_times(results, 0.1, path=tmp_path / "times.svg")
    assert b"<svg" in (tmp_path / "times.svg").read_bytes()
    with pytest.raises(ValueError, match=r"must end in \.png"):
        draw_rates(results, path=tmp_path / "rates.gif")
    assert len(list(tmp_path.iterdir())) == 3


def test_a_dollar_sign_is_a_dollar_sign(tmp_path: pathlib.Path) -> None:
    name = "$\\frac$"
    results = results_of({(name, name, 0.1): [0.5, 0.6], (name, "PA $x$", 1.0): [0.5, 0.6]}, curves=True)
    for draw in (draw_rates, draw_errors, draw_times):
        draw(results, path=tmp_path / "picture.png", title=name)


def test_matplotlib_is_imported_late_and_pyplot_never() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(SUPPORT)!r})\n"
        "import askance.plotting.sweeps as f, made_up_results as m\n"
        "assert not {'matplotlib', 'pyarrow', 'pandas', 'polars', 'scipy.stats'} & set(sys.modules)\n"
        "f.draw_rates(m.results_of(m.SMALL))\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
