"""Figures of splits: measures during the pass, and F against the share of labels."""

import os
from collections.abc import Iterable, Sequence

import numpy as np

from askance._util.table_rows import Row, kinds
from askance.plotting.curves import COLOURS
from askance.plotting.panels import BRIGHT, LineStyle, PanelFigure, draw_line, rate_axis, round_axis, set_limits

FAMILIES = ("OMCSL", "OCS1", "OCS2", "OFO", "iOOB", "iUOB", "OPAUC", "OGD")
SIGNS = ("o", "s", "^", "D", "v", "P", "X", "*")


def draw_passes(rows: Sequence[Row], measures: Iterable[str], path: str | os.PathLike[str]) -> None:
    """Draw each measure so far against rows, one row of panels per data set; a line is the mean over splits.

    A row has data, measure, algorithm, and the lists rounds and curve. Algorithms with hinge and logistic loss
    have the same colour, the latter with broken lines. The first tenth of a pass, which is mostly chance, may lie
    outside the panel.
    """
    styles = {name: _style(name) for name in kinds(rows, "algorithm")}
    places = [(data, measure) for data in kinds(rows, "data") for measure in measures]
    figure = PanelFigure([f"{data}, {measure}" for data, measure in places], styles, path, None, None)
    for ax, place in zip(figure.panels, places, strict=True):
        ends: list[float] = []
        for number, (name, style) in enumerate(styles.items()):
            own = [row for row in rows if (row["data"], row["measure"], row["algorithm"]) == (*place, name)]
            if own:
                means = np.mean([row["curve"] for row in own], axis=0)
                nothing = np.full(len(means), np.nan)
                draw_line(ax, style, np.array(own[0]["rounds"]), means, nothing, shift=number / len(styles))
                ends += means[1:].tolist()
        set_limits(ax, [end for end in ends if np.isfinite(end)])
        round_axis(ax)
    figure.finish("rows", "so far (higher is better)")


def draw_saving(rows: Sequence[Row], path: str | os.PathLike[str]) -> None:
    """Draw F on the test part against the share of labels asked for, one panel per data set.

    A row has data, algorithm, how ("margin", "random" or "all"), rate, asked and test.
    """
    label = rows[0]["algorithm"]
    styles = {
        f"{label}, by the margin": LineStyle(BRIGHT[0], "-", "o"),
        f"{label}, at random": LineStyle(BRIGHT[1], "--", "s"),
        label: LineStyle(COLOURS[-1], (0, (5, 2)), ""),
    }
    sets = kinds(rows, "data")
    figure = PanelFigure(sets, styles, path, None, None)
    rates = sorted({row["rate"] for row in rows if row["how"] != "all"})
    for ax, data in zip(figure.panels, sets, strict=True):
        for how, style in zip(("margin", "random"), styles.values(), strict=False):
            own = [[r for r in rows if (r["data"], r["how"], r["rate"]) == (data, how, rate)] for rate in rates]
            asked, means, deviations = (
                np.array([function([row[what] for row in some]) for some in own])
                for function, what in ((np.mean, "asked"), (np.mean, "test"), (np.std, "test"))
            )
            draw_line(ax, style, 100 * asked, means, deviations)
        whole = np.mean([row["test"] for row in rows if (row["data"], row["how"]) == (data, "all")])
        ax.axhline(float(whole), color=styles[label].color, linestyle=styles[label].linestyle, linewidth=1.3)
        rate_axis(ax, True, rates)
    figure.finish("labels asked in %", "F on the test part (higher is better)")


def _style(name: str) -> LineStyle:
    """Return the style of an algorithm: one colour and marker per family, broken lines for logistic loss."""
    family, _, loss = name.partition("-")
    number = FAMILIES.index(family) if family in FAMILIES else 0
    # Black is for the learner that the figure is about.
    return LineStyle((COLOURS[-1], *BRIGHT, "#999999")[number], "--" if loss == "l" else "-", SIGNS[number])
