"""Critical-difference diagrams."""

import pathlib

import numpy as np
import pytest

from askance.plotting.ranks import columns_of, draw_ranks

RANKS = {"worst $x$": 3.5, "best": 1.25, "middle": 2.5}


def test_a_diagram_by_hand(tmp_path: pathlib.Path) -> None:
    figure = draw_ranks(
        RANKS, [("best", "middle"), ("middle", "worst $x$")], tmp_path / "ranks.png", title="three"
    )
    left, right = figure.axes
    assert [label.get_text() for label in left.get_yticklabels()] == ["best  1.2", "middle  2.5", "worst $x$  3.5"]
    dots = [line.get_xydata()[0] for line in left.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(dots, [(1.25, 0), (2.5, 1), (3.5, 2)])
    bars = [tuple(np.round(line.get_ydata(), 1)) for line in right.lines]
    assert bars == [(-0.3, 1.3), (0.7, 2.3)]
    assert len({line.get_xdata()[0] for line in right.lines}) == 2  # they overlap, so side by side
    bottom, top = left.get_ylim()
    assert bottom > top  # the best is on top
    assert (tmp_path / "ranks.png").stat().st_size > 1000


def test_methods_that_all_differ_have_no_bars() -> None:
    _, right = draw_ranks(RANKS, [("best",), ("middle",)]).axes
    assert not right.lines
    assert right.get_title() == ""


def test_bars_share_a_column_if_they_do_not_touch() -> None:
    assert columns_of([(0, 2), (3, 5), (2, 4), (5, 6)]) == [[(0, 2), (3, 5)], [(2, 4), (5, 6)]]
    assert columns_of([]) == []


def test_a_file_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="must end in"):
        draw_ranks(RANKS, [], "ranks.txt")
