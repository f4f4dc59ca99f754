"""Figures of screenings: the positives found against the rows read."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from askance.plotting.curves import COLOURS, INK, decorate, new_figure, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (1000, 640)


def draw_found(
    found: Sequence[int],
    recalls: Sequence[float],
    positives: int,
    wanted: float,
    path: str | os.PathLike[str],
    title: str | None = None,
) -> None:
    """Draw the share of the positives that was found after each row, and the share that was certain by then."""
    figure = new_figure(SIZE)
    draw_panel(figure.subplots(), found, recalls, positives, wanted)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    if title is not None:
        figure.suptitle(title, fontsize=11, color=INK).set_parse_math(False)
    save_picture(figure, path)


def draw_panel(ax: "Axes", found: Sequence[int], recalls: Sequence[float], positives: int, wanted: float) -> None:
    """Add the lines of a screening to `ax`."""
    read = np.arange(1, len(found) + 1)
    ax.plot(read, 100 * np.asarray(found) / positives, color=COLOURS[0], label="found", linewidth=1.6)
    ax.plot(read, 100 * np.asarray(recalls), color=COLOURS[1], linestyle="--", label="certain", linewidth=1.6)
    ax.axhline(100 * wanted, color=INK, linestyle=":", linewidth=1, label="wanted")
    ax.set_xlabel("rows read", color=INK, fontsize=9)
    ax.set_ylabel("positives in %", color=INK, fontsize=9)
    ax.set_ylim(0, 102)
    decorate(ax)
