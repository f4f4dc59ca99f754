"""Figures of convergence: errors against λ, and objectives against time."""

import os
from collections.abc import Sequence

import numpy as np

from askance._util.table_rows import Row, column, kinds, matching
from askance.plotting.curves import COLOURS, DASHES
from askance.plotting.panels import BRIGHT, MARKERS, LineStyle, PanelFigure, draw_line

PARTS = {
    "training ratings": ("learned_rmse", LineStyle(BRIGHT[0], "--", "s")),
    "test ratings": ("tested_rmse", LineStyle(COLOURS[-1], "-", "o")),
}


def draw_rmse(rows: Sequence[Row], path: str | os.PathLike[str]) -> None:
    """Draw training and test errors against λ, one panel per data set; a line is the mean over splits.

    A row has data, algorithm (the value of λ), split, learned_rmse and tested_rmse.
    """
    sets = kinds(rows, "data")
    figure = PanelFigure(sets, {name: style for name, (_, style) in PARTS.items()}, path, None, None)
    for ax, data in zip(figure.panels, sets, strict=True):
        lines = kinds([row for row in rows if row["data"] == data], "algorithm")
        for what, style in PARTS.values():
            means = np.array([column(rows, what, data=data, algorithm=one).mean() for one in lines])
            draw_line(ax, style, np.array(lines, float), means, np.full(len(means), np.nan))
        ax.set_xscale("log")
    figure.finish("λ", "RMSE (lower is better)")


def draw_objectives(rows: Sequence[Row], path: str | os.PathLike[str]) -> None:
    """Draw the objective of split 0, relative to that at X = 0, against seconds, one panel per data set.

    A row has data, algorithm, split, and the lists seconds and objective.
    """
    places = [(row["data"], row["algorithm"]) for row in rows if row["split"] == 0]
    names = list(dict.fromkeys(line for _, line in places))
    # The last method, which the figure is about, is black.
    styles = {
        name: LineStyle(BRIGHT[i % len(BRIGHT)], DASHES[i % len(DASHES)], MARKERS[i % len(MARKERS)])
        for i, name in enumerate(names[:-1])
    }
    styles[names[-1]] = LineStyle(COLOURS[-1], "-", MARKERS[-1])
    sets = kinds(rows, "data")
    figure = PanelFigure(sets, styles, path, None, None)
    for ax, data in zip(figure.panels, sets, strict=True):
        for number, (name, style) in enumerate(styles.items()):
            for row in matching(rows, data=data, algorithm=name, split=0):
                seconds, objective = np.array(row["seconds"]), np.array(row["objective"])
                draw_line(ax, style, seconds, objective, np.full(len(seconds), np.nan), shift=number / len(styles))
        ax.set_yscale("log")
    figure.finish("seconds", "objective, 1 at X = 0")
