"""Pictures of curves. They use matplotlib's objects without pyplot, so they leave no global state behind."""

import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from askance.metrics.curve import Curve
from askance.metrics.measures import find

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# Okabe and Ito's colours, which colour-blind readers can tell apart, without the yellow that white swallows.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":")
ENDINGS = (".png", ".svg", ".pdf")
AXES = {"rows": "rows", "labels": "labels asked"}
DOTS_PER_INCH = 200  # twice what a page shows, for sharp screens
INK = "#333333"


def draw(
    curves: Mapping[str, Curve],
    metric: str = "accuracy",
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[int, int] | None = None,
    panels: Sequence[str] = ("rows", "labels"),
) -> "Figure":
    """Draw one line a method, against rows and against labels asked, and save it if `path` is given.

    `size` is in pixels; the ending of `path` says whether it becomes a PNG, SVG or PDF file.
    """
    if path is not None:
        check_ending(path)  # before the work
    width = size[0] if size else 800 * len(panels)
    columns = legend_columns(curves, width)
    figure = new_figure(size or (width, 620 + 40 * -(-len(curves) // columns)))
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, against in zip(axes, panels, strict=True):
        draw_panel(ax, curves, metric, against)
        ax.label_outer(remove_inner_ticks=True)
    # Below the panels, where it hides no line.
    legend = figure.legend(
        handles=axes[0].lines, loc="outside lower center", ncols=columns, frameon=False, fontsize=9
    )
    texts = list(legend.get_texts())
    if title is not None:
        texts.append(figure.suptitle(title, fontsize=11, color=INK))
    for text in texts:
        text.set_parse_math(False)  # a dollar sign in a name is a dollar sign
    if path is not None:
        save_picture(figure, path)
    return figure


def save_picture(figure: "Figure | SubFigure", path: str | os.PathLike[str]) -> None:
    """Write the picture as PNG, SVG or PDF, as the ending says, in the size that the figure has."""
    check_ending(path)
    figure.canvas.print_figure(path, dpi=figure.dpi)


def draw_panel(ax: "Axes", curves: Mapping[str, Curve], metric: str, against: str) -> None:
    """Add one line a method to `ax`; lines that it already has keep their colours to themselves."""
    if against not in AXES:
        raise ValueError(f"a curve is drawn against {' or '.join(AXES)}, not against {against!r}")
    entry = find(metric)
    better = "higher" if entry.larger_is_better else "lower"
    for number, (name, curve) in enumerate(curves.items(), start=len(ax.lines)):
        ax.plot(
            getattr(curve, against),
            curve.values,
            label=name,
            color=COLOURS[number % len(COLOURS)],
            linestyle=DASHES[number // len(COLOURS) % len(DASHES)],
            linewidth=1.6,
            # A dot at the end shows how far a method got, and a curve of one point.
            marker="o",
            markersize=4,
            markevery=slice(-1, None),
        )
    ax.set_xlabel(AXES[against], color=INK, fontsize=9)
    ax.set_ylabel(f"{entry.title} so far ({better} is better)", color=INK, fontsize=9)
    _scale(ax, against)
    decorate(ax)


def _scale(ax: "Axes", against: str) -> None:
    """Choose the logarithmic axis if on the linear one the methods with few labels would be out of sight."""
    from matplotlib import ticker

    ends = [np.asarray(line.get_xdata())[-1] for line in ax.lines if np.size(line.get_xdata())]
    # A method that never asked has no place on a logarithmic axis.
    if against == "labels" and ends and max(ends) >= 10 * min(ends) > 0:
        ax.set_xscale("log", nonpositive="mask")
        ax.xaxis.set_minor_formatter(ticker.NullFormatter())
    else:
        ax.xaxis.set_major_locator(ticker.MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    ax.xaxis.set_major_formatter(ticker.EngFormatter(sep=""))


def decorate(ax: "Axes") -> None:
    """A light grid and no more lines than needed."""
    ax.grid(linewidth=0.5, color="#dddddd")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#999999")
    ax.tick_params(which="both", color="#999999", labelcolor=INK, labelsize=9)
    ax.ticklabel_format(axis="y", useOffset=False)


def legend_columns(names: Iterable[str], width: int) -> int:
    """As many columns as the longest name leaves room for."""
    names = list(names)
    longest = max(map(len, names), default=0)
    return max(1, min(len(names), width // (15 * (longest + 8))))


def new_figure(size: tuple[int, int]) -> "Figure":
    """An empty figure of so many pixels."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise ImportError("Pictures need matplotlib: pip install 'askance[plots]'") from missing
    inches = (size[0] / DOTS_PER_INCH, size[1] / DOTS_PER_INCH)
    figure = Figure(figsize=inches, dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)  # the figure keeps it; no window is needed
    return figure


def check_ending(path: str | os.PathLike[str]) -> None:
    """ValueError if a file's name does not say one of the formats that can be drawn."""
    ending = pathlib.Path(path).suffix
    if ending.lower() not in ENDINGS:
        raise ValueError(f"a picture's file must end in {', '.join(ENDINGS)}, not in {ending or 'nothing'}")
