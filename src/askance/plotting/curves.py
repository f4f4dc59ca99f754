"""Figures of curves. They use matplotlib without pyplot, so they leave no global state behind."""

import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from askance._util.optional import require
from askance.metrics.curve import Curve
from askance.metrics.measures import find
from askance.plotting.notebook import axes_class, figure_class

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

# The colours of Okabe and Ito, which colour-blind readers can distinguish, without the yellow.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":")
ENDINGS = (".png", ".svg", ".pdf")
AXES = {"rows": "rows", "labels": "labels asked"}
DOTS_PER_INCH = 200  # sharp on high-resolution screens
INK = "#333333"


def draw(
    curves: Mapping[str, Curve],
    metric: str = "accuracy",
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    size: tuple[int, int] | None = None,
    panels: Sequence[str] = ("rows", "labels"),
) -> "Figure":
    """Draw one line per method, against rows and against labels asked for.

    Parameters
    ----------
    curves : mapping of str to Curve
        The curves by name, for example from `Trace.curve`.
    metric : str, default="accuracy"
        The metric of the curves, for the axis label.
    path : str or path-like, optional
        Where to save the figure, as PNG, SVG or PDF depending on the file extension.
    title : str, optional
        The title of the figure.
    size : (int, int), optional
        Width and height in pixels.
    panels : sequence of {"rows", "labels"}, default=("rows", "labels")
        What each panel is drawn against.

    Returns
    -------
    matplotlib.figure.Figure
        The figure. A notebook shows it.
    """
    if path is not None:
        check_ending(path)  # before any work is done
    width = size[0] if size else 800 * len(panels)
    columns = legend_columns(curves, width)
    figure = new_figure(size or (width, 620 + 40 * -(-len(curves) // columns)))
    shown = {"axes_class": axes_class()}
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False, subplot_kw=shown)[0]
    for ax, against in zip(axes, panels, strict=True):
        draw_panel(ax, curves, metric, against)
        ax.label_outer(remove_inner_ticks=True)
    # Below the panels, where it does not hide a line.
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
    """Save a figure as PNG, SVG or PDF, depending on the file extension."""
    check_ending(path)
    figure.canvas.print_figure(path, dpi=figure.dpi)


def draw_panel(ax: "Axes", curves: Mapping[str, Curve], metric: str, against: str) -> None:
    """Add one line per method to `ax`, in colours that lines already there do not have."""
    if against not in AXES:
        raise ValueError(f"curves are drawn against {' or '.join(AXES)}, not against {against!r}")
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
            # A dot at the end shows where a line ends, and a curve of one point.
            marker="o",
            markersize=4,
            markevery=slice(-1, None),
        )
    ax.set_xlabel(AXES[against], color=INK, fontsize=9)
    ax.set_ylabel(f"{entry.title} so far ({better} is better)", color=INK, fontsize=9)
    _scale(ax, against)
    decorate(ax)


def _scale(ax: "Axes", against: str) -> None:
    """Use a logarithmic axis if methods with few labels would be invisible on a linear one."""
    from matplotlib import ticker

    ends = [np.asarray(line.get_xdata())[-1] for line in ax.lines if np.size(line.get_xdata())]
    # A logarithmic axis cannot show a method that never asked.
    if against == "labels" and ends and max(ends) >= 10 * min(ends) > 0:
        ax.set_xscale("log", nonpositive="mask")
        ax.xaxis.set_minor_formatter(ticker.NullFormatter())
    else:
        ax.xaxis.set_major_locator(ticker.MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    ax.xaxis.set_major_formatter(ticker.EngFormatter(sep=""))


def decorate(ax: "Axes") -> None:
    """Set a light grid and remove superfluous lines."""
    ax.grid(linewidth=0.5, color="#dddddd")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#999999")
    ax.tick_params(which="both", color="#999999", labelcolor=INK, labelsize=9)
    ax.ticklabel_format(axis="y", useOffset=False)


def legend_columns(names: Iterable[str], width: int) -> int:
    """Return the number of legend columns that the longest name allows."""
    names = list(names)
    longest = max(map(len, names), default=0)
    return max(1, min(len(names), width // (15 * (longest + 8))))


def new_figure(size: tuple[int, int]) -> "Figure":
    """Create an empty figure of this size in pixels."""
    require("matplotlib", "plots", "a plot")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    inches = (size[0] / DOTS_PER_INCH, size[1] / DOTS_PER_INCH)
    figure = figure_class()(figsize=inches, dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)  # the figure keeps it; no window is needed
    return figure


def check_ending(path: str | os.PathLike[str]) -> None:
    """Raise ValueError if the file extension is not a format of figures."""
    ending = pathlib.Path(path).suffix
    if ending.lower() not in ENDINGS:
        raise ValueError(f"the name of a figure must end in {', '.join(ENDINGS)}, not in {ending or 'nothing'}")
