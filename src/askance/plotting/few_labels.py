"""Figures of few labels: accuracy against the share of wrong labels, or the number of annotators."""

import os
from collections.abc import Sequence

import numpy as np

from askance._util.table_rows import Row, column, kinds
from askance.plotting.curves import COLOURS
from askance.plotting.panels import BRIGHT, MARKERS, LineStyle, PanelFigure, draw_line

AXES = {"noise": ("wrong labels in %", 100), "annotators": ("annotators", 1)}


def draw_along(rows: Sequence[Row], along: str, path: str | os.PathLike[str]) -> None:
    """Draw accuracy against `along`, one panel per data set; a line is the mean over splits.

    A row has data, algorithm, split, accuracy, noise and annotators; `along` is "noise" or "annotators".
    """
    names = kinds(rows, "algorithm")
    # The last method, which the figure is about, is black.
    styles = {name: LineStyle(BRIGHT[place], "--", MARKERS[place]) for place, name in enumerate(names[:-1])}
    styles[names[-1]] = LineStyle(COLOURS[-1], "-", MARKERS[len(names) - 1])
    sets = kinds(rows, "data")
    figure = PanelFigure(sets, styles, path, None, None)
    title, factor = AXES[along]
    for ax, data in zip(figure.panels, sets, strict=True):
        for name, style in styles.items():
            own = {"data": data, "algorithm": name}
            values = sorted({row[along] for row in rows if (row["data"], row["algorithm"]) == (data, name)})
            means = np.array([column(rows, "accuracy", **own, **{along: value}).mean() for value in values])
            draw_line(ax, style, factor * np.array(values), means, np.full(len(values), np.nan))
    figure.finish(title, "accuracy in % (higher is better)")
