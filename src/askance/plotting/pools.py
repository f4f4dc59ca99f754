"""Figures of pools: accuracy against the number of labels asked for."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from askance._util.table_rows import Row, kinds
from askance.plotting.curves import COLOURS
from askance.plotting.panels import BRIGHT, MARKERS, LineStyle, PanelFigure, draw_line

DASHES: tuple[Any, ...] = ("--", (0, (1, 1.2)))


def draw_curves(rows: Sequence[Row], hero: str, path: str | os.PathLike[str]) -> None:
    """Draw accuracy against labels, one panel per data set; lines are means over splits, that of `hero` is black.

    A row has data, algorithm, batch (labels per question) and curve (the accuracy before and after each question).
    """
    others = [name for name in kinds(rows, "algorithm") if name != hero]
    styles = {hero: LineStyle(COLOURS[-1], "-", MARKERS[0])}
    for place, name in enumerate(others):
        turn, colour = divmod(place, len(BRIGHT))
        styles[name] = LineStyle(BRIGHT[colour], DASHES[turn % len(DASHES)], MARKERS[(place + 1) % len(MARKERS)])
    sets = kinds(rows, "data")
    figure = PanelFigure(sets, styles, path, None, None)
    for ax, data in zip(figure.panels, sets, strict=True):
        for name, style in styles.items():
            curves = [row["curve"] for row in rows if (row["data"], row["algorithm"]) == (data, name)]
            means = np.mean(curves, axis=0)
            asked = rows[0]["batch"] * np.arange(len(means))
            draw_line(ax, style, asked, means, np.full(len(means), np.nan))
    figure.finish("labels asked for", "accuracy in % (higher is better)")
