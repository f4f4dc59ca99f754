"""Figures of splits: measures during the pass, and what a share of the labels is worth."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from askance.experiments.papers.label_saving import ALL, MARGIN, RANDOM
from askance.experiments.scoring import MEASURES
from askance.plotting.curves import COLOURS
from askance.plotting.sweeps import BRIGHT, Look, Sheet, draw_line, rate_axis, round_axis, settle

Row = dict[str, Any]
FAMILIES = ("OMCSL", "OCS1", "OCS2", "OFO", "iOOB", "iUOB", "OPAUC", "OGD")
SIGNS = ("o", "s", "^", "D", "v", "P", "X", "*")


def draw_passes(rows: Sequence[Row], path: str | os.PathLike[str]) -> None:
    """Draw each measure so far against rows, a row of panels a data set; a line is the mean over splits.

    Hinge and logistic loss have one colour, the latter with broken lines. The first tenth of a pass, which is
    mostly chance, may lie outside the panel.
    """
    looks = {name: _look(name) for name in dict.fromkeys(row["algorithm"] for row in rows)}
    places = [(data, measure) for data in dict.fromkeys(row["data"] for row in rows) for measure in MEASURES]
    sheet = Sheet([f"{data}, {measure}" for data, measure in places], looks, path, None, None)
    for ax, place in zip(sheet.panels, places, strict=True):
        ends: list[float] = []
        for number, (name, look) in enumerate(looks.items()):
            own = [row for row in rows if (row["data"], row["measure"], row["algorithm"]) == (*place, name)]
            if own:
                means = np.mean([row["curve"] for row in own], axis=0)
                nothing = np.full(len(means), np.nan)
                draw_line(ax, look, np.array(own[0]["rounds"]), means, nothing, shift=number / len(looks))
                ends += means[1:].tolist()
        settle(ax, [end for end in ends if np.isfinite(end)])
        round_axis(ax)
    sheet.finished("rows", "so far (higher is better)")


def draw_saving(rows: Sequence[Row], path: str | os.PathLike[str]) -> None:
    """Draw F on the test part against the labels that were asked for, a panel a data set."""
    label = rows[0]["algorithm"]
    looks = {
        f"{label}, by the margin": Look(BRIGHT[0], "-", "o"),
        f"{label}, at random": Look(BRIGHT[1], "--", "s"),
        label: Look(COLOURS[-1], (0, (5, 2)), ""),
    }
    sets = list(dict.fromkeys(row["data"] for row in rows))
    sheet = Sheet(sets, looks, path, None, None)
    rates = sorted({row["rate"] for row in rows if row["how"] != ALL})
    for ax, data in zip(sheet.panels, sets, strict=True):
        for how, look in zip((MARGIN, RANDOM), looks.values(), strict=False):
            own = [[r for r in rows if (r["data"], r["how"], r["rate"]) == (data, how, rate)] for rate in rates]
            asked, means, deviations = (
                np.array([function([row[what] for row in some]) for some in own])
                for function, what in ((np.mean, "asked"), (np.mean, "test"), (np.std, "test"))
            )
            draw_line(ax, look, 100 * asked, means, deviations)
        whole = np.mean([row["test"] for row in rows if (row["data"], row["how"]) == (data, ALL)])
        ax.axhline(float(whole), color=looks[label].color, linestyle=looks[label].linestyle, linewidth=1.3)
        rate_axis(ax, True, rates)
    sheet.finished("labels asked in %", "F on the test part (higher is better)")


def _look(name: str) -> Look:
    """One colour and marker a family, broken lines for the logistic loss."""
    family, _, loss = name.partition("-")
    number = FAMILIES.index(family) if family in FAMILIES else 0
    # Black is kept for the learner that the figure is about.
    return Look((COLOURS[-1], *BRIGHT, "#999999")[number], "--" if loss == "l" else "-", SIGNS[number])
