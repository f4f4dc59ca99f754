"""Pictures: what the axes hold, and files of the asked kind and size."""

import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from matplotlib.axes import Axes
from PIL import Image

from askance.metrics import METRICS, Curve
from askance.plotting.curves import draw
from thinning import rest_slow


def some_curve(rows: int = 200, asked: float = 0.1, level: float = 0.9) -> Curve:
    seen = np.arange(1, rows + 1) * 10
    return Curve(seen, (seen * asked).astype(np.int64), level - 1 / np.sqrt(seen))


def many_curves(count: int, name: str = "method") -> dict[str, Curve]:
    return {f"{name} {i}": some_curve(asked=(i + 1) / count, level=0.8 + i / 100) for i in range(count)}


def assert_holds(ax: Axes, curves: dict[str, Curve], against: str) -> None:
    assert [line.get_label() for line in ax.lines] == list(curves)
    for line, curve in zip(ax.lines, curves.values(), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), getattr(curve, against))
        np.testing.assert_array_equal(line.get_ydata(), curve.values)


EDGE_CASES = {
    "one method": many_curves(1),
    "five methods": many_curves(5),
    "one row": {"PAA": some_curve(1)},
    "few rows": {"PAA": some_curve(3), "RPA": some_curve(2)},
    "equal values": {
        name: Curve(curve.rows, curve.labels, np.ones(200)) for name, curve in many_curves(3).items()
    },
    "nothing asked": {"never": some_curve(asked=0), "always": some_curve(asked=1)},
    "no label known": {"PAA": some_curve()._replace(values=np.full(200, np.nan))},
    "no rows": {"PAA": some_curve(0)},
    "no methods": {},
}


@pytest.mark.parametrize("case", rest_slow(EDGE_CASES, ["five methods", "no label known", "no rows"]))
def test_both_panels_hold_the_curves(case: str, tmp_path: pathlib.Path) -> None:
    curves = EDGE_CASES[case]
    left, right = draw(curves, "accuracy", tmp_path / "picture.png").axes
    assert_holds(left, curves, "rows")
    assert_holds(right, curves, "labels")
    assert (left.get_xlabel(), right.get_xlabel()) == ("rows", "labels asked")
    assert left.get_ylabel() == "accuracy so far (higher is better)"


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_is_named_with_its_better_direction(metric: str) -> None:
    label = draw(many_curves(1), metric).axes[0].get_ylabel()
    assert label.startswith(METRICS[metric].title)
    assert ("higher" in label) == METRICS[metric].larger_is_better


@pytest.mark.parametrize("size", [(800, 400), (1234, 567)])
def test_a_png_has_the_asked_size(size: tuple[int, int], tmp_path: pathlib.Path) -> None:
    draw(many_curves(2), path=tmp_path / "picture.png", size=size)
    with Image.open(tmp_path / "picture.png") as image:
        image.load()
        assert (image.format, image.size) == ("PNG", size)
        assert np.ptp(np.asarray(image)) > 0  # something is drawn


def test_svg_and_pdf_have_the_same_proportions(tmp_path: pathlib.Path) -> None:
    draw(many_curves(2), path=tmp_path / "picture.svg", size=(800, 400))
    root = ElementTree.parse(tmp_path / "picture.svg").getroot()
    assert root.tag.endswith("svg")
    assert root.attrib["viewBox"] == "0 0 288 144"  # points: 800 dots are 4 inches
    draw(many_curves(2), path=str(tmp_path / "picture.PDF"), size=(800, 400))
    content = (tmp_path / "picture.PDF").read_bytes()
    assert content.startswith(b"%PDF-")
    assert b"/MediaBox [ 0 0 288 144 ]" in content


@pytest.mark.parametrize("name", ["picture.gif", "picture"])
def test_unknown_endings_are_refused(name: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match=r"must end in \.png, \.svg, \.pdf, not in"):
        draw(many_curves(1), path=tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_unknown_metrics_and_axes_are_refused() -> None:
    with pytest.raises(ValueError, match="there is no metric 'auc'"):
        draw(many_curves(1), "auc")
    with pytest.raises(ValueError, match="against rows or labels, not against 'time'"):
        draw(many_curves(1), panels=("time",))


@pytest.mark.parametrize("panels", [("rows",), ("rows", "labels")])
@pytest.mark.parametrize("name", ["PA", "a method with a name as long as this one"])
@pytest.mark.parametrize("count", rest_slow([1, 5, 28], [28]))
def test_the_legend_hides_nothing_and_is_not_cut(count: int, name: str, panels: tuple[str, ...]) -> None:
    curves = many_curves(count, name)
    figure = draw(curves, title="A title", panels=panels)
    figure.canvas.draw()
    (legend,) = figure.legends
    box = legend.get_window_extent()
    assert [text.get_text() for text in legend.get_texts()] == list(curves)
    assert box.x0 >= 0
    assert box.y0 >= 0
    assert box.x1 <= figure.bbox.x1
    for ax in figure.axes:
        tight = ax.get_tightbbox()
        assert tight is not None
        assert box.y1 <= tight.y0
        assert tight.height > figure.bbox.height / 3


def test_lines_can_be_told_apart() -> None:
    left, _ = draw(many_curves(28)).axes
    assert len({(line.get_color(), line.get_linestyle()) for line in left.lines}) == 28


def test_a_dollar_sign_is_a_dollar_sign(tmp_path: pathlib.Path) -> None:
    figure = draw({"$\\frac$": some_curve()}, path=tmp_path / "picture.png", title="$\\frac$")
    assert figure.get_suptitle() == "$\\frac$"


@pytest.mark.parametrize(("shares", "scale"), [((1, 0.02), "log"), ((0.2, 0.1), "linear"), ((1, 0), "linear")])
def test_labels_get_a_logarithmic_axis_where_it_helps(shares: tuple[float, ...], scale: str) -> None:
    curves = {str(share): some_curve(asked=share) for share in shares}
    left, right = draw(curves).axes
    assert (left.get_xscale(), right.get_xscale()) == ("linear", scale)


def test_missing_matplotlib_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"^a plot needs matplotlib: pip install 'askance\[plots\]'$"):
        draw(many_curves(1))


def test_optional_packages_are_imported_late_and_pyplot_never() -> None:
    script = (
        "import sys, askance.learners.trace as t, askance.metrics as m, askance.plotting as p\n"
        "assert not {'matplotlib', 'pyarrow'} & set(sys.modules)\n"
        "p.draw({'PAA': m.curve([1, -1], [1, 1], [True, True])})\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
