"""Figures of one or more panels with a common legend, readable at the width of a column, also without colours."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.plotting.curves import COLOURS, INK, check_ending, decorate, new_figure, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Place = str | os.PathLike[str] | None
Values = NDArray[np.float64]

*BRIGHT, BLACK = COLOURS
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
COLUMN, PAGE = 700, 1400  # pixels: 3.5 and 7 inches, the widths of journals
PANEL_HEIGHT = 440
SMALL = 8  # points: the smallest size that is easy to read in print
BAND = 0.15  # the opacity of a band
PER_CENT = 100
MOST_TICKS = 7
ROUND_STEPS = (1, 2, 2.5, 5, 10)


class LineStyle(NamedTuple):
    """The style of an algorithm's line."""

    color: str
    linestyle: Any
    marker: str


class PanelFigure:
    """A figure with one panel per title, and one legend below them."""

    def __init__(
        self,
        titles: Sequence[str],
        styles: dict[str, LineStyle],
        path: Place,
        title: str | None,
        size: tuple[int, int] | None,
        bars: int = 0,
    ) -> None:
        if path is not None:
            check_ending(path)  # before any work is done
        if not titles:
            raise ValueError(
                "there are no results to draw: choose data sets, algorithms and rates that the results have"
            )
        self._path, self._looks, self._title = path, styles, title
        columns = len(titles) if len(titles) < 4 else 2 if len(titles) == 4 else 3
        rows = -(-len(titles) // columns)
        width = size[0] if size else COLUMN if columns == 1 else PAGE
        self._columns, self._legend_columns = columns, _legend_columns(styles, width)
        legend = 60 + 36 * -(-len(styles) // self._legend_columns) if styles else 40
        height = rows * max(PANEL_HEIGHT, 90 + 44 * bars if bars else 0) + legend + (50 if title else 0)
        self._figure = new_figure(size or (width, height))
        axes = list(self._figure.subplots(rows, columns, squeeze=False).flat)
        for unused in axes[len(titles) :]:
            unused.remove()
        self.panels: list[Axes] = axes[: len(titles)]
        for ax, name in zip(self.panels, titles, strict=True):
            ax.set_title(name, fontsize=SMALL + 1, color=INK, parse_math=False)
            decorate(ax)
            ax.tick_params(which="both", labelsize=SMALL)

    @property
    def inner(self) -> "list[Axes]":
        """The panels that have another one to the left."""
        return [ax for place, ax in enumerate(self.panels) if place % self._columns]

    def finish(self, below: str, beside: str) -> "Figure":
        """Add axis labels, legend and title, save the figure if it has a path, and return it."""
        for place, ax in enumerate(self.panels):
            if place + self._columns >= len(self.panels):  # it has no panel below
                ax.set_xlabel(below, fontsize=SMALL, color=INK)
            if ax not in self.inner:
                ax.set_ylabel(beside, fontsize=SMALL, color=INK)
        if self._looks:
            self._legend()
        if self._title is not None:
            self._figure.suptitle(self._title, fontsize=SMALL + 2, color=INK).set_parse_math(False)
        if self._path is not None:
            _save(self._figure, self._path)
        return self._figure

    def _legend(self) -> None:
        from matplotlib.lines import Line2D

        handles = [
            Line2D([], [], label=legend_label(name, style), **_line_options(style))
            for name, style in self._looks.items()
        ]
        legend = self._figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=self._legend_columns,
            frameon=False,
            fontsize=SMALL,
            handlelength=2.6,
            borderaxespad=0.2,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)  # a dollar sign in a name is a dollar sign


def draw_line(
    ax: "Axes", style: LineStyle, x: NDArray[Any], means: Values, deviations: Values, shift: float | None = None
) -> None:
    """Draw a mean with its band. With a `shift`, the line has few markers, away from those of other shifts."""
    every = None
    if shift is not None:
        apart = max(1, len(x) // 5)
        every = (int(shift * apart), apart)
    ax.plot(x, means, markevery=every, **_line_options(style))
    if np.isfinite(deviations).any():
        alpha = BAND if style.marker else BAND / 2  # black is darker than colours
        ax.fill_between(x, means - deviations, means + deviations, color=style.color, alpha=alpha, linewidth=0)


def rate_axis(ax: "Axes", logarithmic: bool, rates: Sequence[float]) -> None:
    """Set ticks at the rates, in per cent."""
    from matplotlib import ticker

    if logarithmic:
        ax.set_xscale("log")
        few = len(rates) <= MOST_TICKS
        ax.xaxis.set_major_locator(
            ticker.FixedLocator([PER_CENT * rate for rate in rates]) if few else ticker.LogLocator(subs=(1, 2, 5))
        )
        ax.xaxis.set_minor_formatter(ticker.NullFormatter())
        ax.xaxis.set_minor_locator(ticker.NullLocator())
    else:
        ax.xaxis.set_major_locator(ticker.MaxNLocator(nbins=6, steps=ROUND_STEPS))
    ax.xaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))


def round_axis(ax: "Axes") -> None:
    """Set ticks at round numbers."""
    from matplotlib import ticker

    ax.xaxis.set_major_locator(ticker.MaxNLocator(nbins=5, steps=ROUND_STEPS, integer=True))
    ax.xaxis.set_major_formatter(ticker.EngFormatter(sep=""))


def set_limits(ax: "Axes", ends: Sequence[float]) -> None:
    """Set the limits of the panel to these values, with a margin."""
    low, high = min(ends, default=0), max(ends, default=0)
    if low < high:
        margin = 0.05 * (high - low)
        ax.set_ylim(max(0, low - margin), high + margin)


def _legend_columns(styles: dict[str, LineStyle], width: int) -> int:
    """Return the number of legend columns: as many as the longest name allows, of about equal length."""
    longest = max((len(legend_label(name, style)) for name, style in styles.items()), default=0)
    room = max(1, width // (12 * longest + 100))
    return -(-len(styles) // -(-len(styles) // room)) if styles else 1


def legend_label(name: str, style: LineStyle) -> str:
    """Return the name of an algorithm in a legend, which says if it uses every label."""
    return name if style.marker else f"{name} (all labels)"


def _line_options(style: LineStyle) -> dict[str, Any]:
    """Return the options of a line for matplotlib."""
    edge = {"markersize": 4, "markeredgecolor": "white", "markeredgewidth": 0.4}
    return {**style._asdict(), "linewidth": 1.3, **edge}


def _save(figure: "Figure", path: str | os.PathLike[str]) -> None:
    import matplotlib

    # Publishers refuse Type 3 fonts, matplotlib's default in PDF files.
    with matplotlib.rc_context({"pdf.fonttype": 42}):
        save_picture(figure, path)
