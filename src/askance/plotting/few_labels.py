"""Figures of few labels: accuracy along the share of wrong labels, or along the number of annotators."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from askance.experiments.table_rows import column, kinds
from askance.plotting.curves import COLOURS
from askance.plotting.sweeps import BRIGHT, MARKERS, Look, Sheet, draw_line

AXES = {"noise": ("wrong labels in %", 100), "annotators": ("annotators", 1)}


def draw_along(rows: Sequence[dict[str, Any]], along: str, path: str | os.PathLike[str]) -> None:
    """Draw accuracy against one or the other, a panel a data set; a line is the mean over splits."""
    names = kinds(rows, "algorithm")
    # Black is kept for the last, the method that the figure is about.
    looks = {name: Look(BRIGHT[place], "--", MARKERS[place]) for place, name in enumerate(names[:-1])}
    looks[names[-1]] = Look(COLOURS[-1], "-", MARKERS[len(names) - 1])
    sets = kinds(rows, "data")
    sheet = Sheet(sets, looks, path, None, None)
    title, factor = AXES[along]
    for ax, data in zip(sheet.panels, sets, strict=True):
        for name, look in looks.items():
            own = {"data": data, "algorithm": name}
            values = sorted({row[along] for row in rows if (row["data"], row["algorithm"]) == (data, name)})
            means = np.array([column(rows, "accuracy", **own, **{along: value}).mean() for value in values])
            draw_line(ax, look, factor * np.array(values), means, np.full(len(values), np.nan))
    sheet.finished(title, "accuracy in % (higher is better)")
