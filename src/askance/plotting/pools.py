"""Figures of pools: accuracy against the labels that were asked for."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from askance.experiments.table_rows import kinds
from askance.plotting.curves import COLOURS
from askance.plotting.sweeps import BRIGHT, MARKERS, Look, Sheet, draw_line

DASHES: tuple[Any, ...] = ("--", (0, (1, 1.2)))


def draw_curves(rows: Sequence[dict[str, Any]], hero: str, path: str | os.PathLike[str]) -> None:
    """Draw accuracy against labels, a panel a data set; a line is the mean over splits, the hero's a black one."""
    others = [name for name in kinds(rows, "algorithm") if name != hero]
    looks = {hero: Look(COLOURS[-1], "-", MARKERS[0])}
    for place, name in enumerate(others):
        turn, colour = divmod(place, len(BRIGHT))
        looks[name] = Look(BRIGHT[colour], DASHES[turn % len(DASHES)], MARKERS[(place + 1) % len(MARKERS)])
    sets = kinds(rows, "data")
    sheet = Sheet(sets, looks, path, None, None)
    for ax, data in zip(sheet.panels, sets, strict=True):
        for name, look in looks.items():
            curves = [row["curve"] for row in rows if (row["data"], row["algorithm"]) == (data, name)]
            means = np.mean(curves, axis=0)
            asked = rows[0]["batch"] * np.arange(len(means))
            draw_line(ax, look, asked, means, np.full(len(means), np.nan))
    sheet.finished("labels asked for", "accuracy in % (higher is better)")
