"""Figures of descents: errors against λ, and objectives against time."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from askance.experiments.table_rows import column, kinds, matching
from askance.plotting.curves import COLOURS, DASHES
from askance.plotting.sweeps import BRIGHT, MARKERS, Look, Sheet, draw_line

PARTS = {
    "ratings learned from": ("learned_rmse", Look(BRIGHT[0], "--", "s")),
    "ratings for the test": ("tested_rmse", Look(COLOURS[-1], "-", "o")),
}


def draw_errors(rows: Sequence[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Draw the errors of both parts against λ, a panel a data set; a line is the mean over splits."""
    sets = kinds(rows, "data")
    sheet = Sheet(sets, {name: look for name, (_, look) in PARTS.items()}, path, None, None)
    for ax, data in zip(sheet.panels, sets, strict=True):
        lines = kinds([row for row in rows if row["data"] == data], "algorithm")
        for what, look in PARTS.values():
            means = np.array([column(rows, what, data=data, algorithm=one).mean() for one in lines])
            draw_line(ax, look, np.array(lines, float), means, np.full(len(means), np.nan))
        ax.set_xscale("log")
    sheet.finished("λ", "RMSE (lower is better)")


def draw_objectives(rows: Sequence[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Draw the objective, relative to that at X = 0, against seconds of the first split; a panel a data set."""
    places = [(row["data"], row["algorithm"]) for row in rows if row["split"] == 0]
    names = list(dict.fromkeys(line for _, line in places))
    # Black is kept for the last, the method that the figure is about.
    looks = {
        name: Look(BRIGHT[i % len(BRIGHT)], DASHES[i % len(DASHES)], MARKERS[i % len(MARKERS)])
        for i, name in enumerate(names[:-1])
    }
    looks[names[-1]] = Look(COLOURS[-1], "-", MARKERS[-1])
    sets = kinds(rows, "data")
    sheet = Sheet(sets, looks, path, None, None)
    for ax, data in zip(sheet.panels, sets, strict=True):
        for number, (name, look) in enumerate(looks.items()):
            for row in matching(rows, data=data, algorithm=name, split=0):
                seconds, objective = np.array(row["seconds"]), np.array(row["objective"])
                draw_line(ax, look, seconds, objective, np.full(len(seconds), np.nan), shift=number / len(looks))
        ax.set_yscale("log")
    sheet.finished("seconds", "objective, 1 at X = 0")
