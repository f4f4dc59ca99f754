"""Figures of sweeps for papers: readable at the width of a column, also without colours.

Algorithms that choose their labels have coloured lines with markers; those that use every label have broken black
lines without markers. An algorithm has the same style in all panels of a figure.
"""

import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from askance.plotting.curves import COLOURS, DASHES, INK, check_ending, decorate, new_figure, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Place = str | os.PathLike[str] | None
Values = NDArray[np.float64]

*BRIGHT, BLACK = COLOURS
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
BREAKS: tuple[Any, ...] = ((0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (9, 2)), (0, (3, 1, 1, 1, 1, 1)))
COLUMN, PAGE = 700, 1400  # pixels: 3.5 and 7 inches, the widths of journals
PANEL_HEIGHT = 440
SMALL = 8  # points: the smallest size that is easy to read in print
BAND = 0.15  # the opacity of a band
PER_CENT = 100
UNITS = {"seconds": 1, "milliseconds": 1e-3, "microseconds": 1e-6}
MOST_TICKS = 7
ROUND_STEPS = (1, 2, 2.5, 5, 10)
SETTLED = 0.1  # of the rounds: before that, errors are mostly chance


class SweepQuantity(Protocol):
    """What a figure needs to know about a metric."""

    @property
    def title(self) -> str:
        """The name of the metric."""

    @property
    def larger_is_better(self) -> bool:
        """Whether larger values are better."""

    @property
    def is_share(self) -> bool:
        """Whether values are shares, drawn in per cent."""


class SweepCell(Protocol):
    """The summary of an algorithm on a data set at a rate."""

    @property
    def data(self) -> str:
        """The data set."""

    @property
    def algorithm(self) -> str:
        """The algorithm."""

    @property
    def rate(self) -> float:
        """The wanted share of labels."""

    @property
    def asked(self) -> float:
        """The share of labels that was asked for."""

    @property
    def mean(self) -> float:
        """The mean over permutations."""

    @property
    def deviation(self) -> float:
        """The standard deviation over permutations."""


class SweepResults(Protocol):
    """What figures need of the results of a sweep; `askance.sweep` returns such results."""

    @property
    def columns(self) -> Mapping[str, NDArray[Any]]:
        """The columns, one row per run."""

    @property
    def curves(self) -> Mapping[str, NDArray[Any]] | None:
        """The mistakes up to recorded rounds, or None."""

    @property
    def data_sets(self) -> tuple[str, ...]:
        """The names of the data sets."""

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names of the algorithms."""

    @property
    def rates(self) -> tuple[float, ...]:
        """The wanted shares of labels."""

    @property
    def full_methods(self) -> tuple[str, ...]:
        """The algorithms that use every label."""

    def quantity(self, metric: str | None = None) -> SweepQuantity:
        """Describe a metric."""

    def summary(self, metric: str | None = None) -> Sequence[SweepCell]:
        """Summarise a metric."""

    def where(self, *, algorithm: Any = None) -> Self:
        """Select the runs of some algorithms."""

    def at_rate(self, rate: float) -> Self:
        """Select the runs at a rate, and those of algorithms that use every label."""


class LineStyle(NamedTuple):
    """The style of an algorithm's line."""

    color: str
    linestyle: Any
    marker: str


def draw_rates(
    results: SweepResults,
    metric: str | None = None,
    path: Place = None,
    title: str | None = None,
    size: tuple[int, int] | None = None,
) -> "Figure":
    """Draw a metric against the share of labels asked for, one panel per data set.

    A line is the mean over permutations, and its band one standard deviation. Algorithms that use every label are
    horizontal lines.

    Parameters
    ----------
    results : Results
        The results of a sweep.
    metric : str, optional
        The metric. Default: the one for which settings were chosen.
    path : str or path-like, optional
        Where to save the figure, as PNG, SVG or PDF depending on the file extension.
    title : str, optional
        The title of the figure.
    size : (int, int), optional
        Width and height in pixels.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    quantity, cells = results.quantity(metric), results.summary(metric)
    factor = PER_CENT if quantity.is_share else 1
    styles = _styles(results)
    figure = PanelFigure(results.data_sets, styles, path, title, size)
    logarithmic = _spans_a_decade([cell for cell in cells if styles[cell.algorithm].marker])
    for ax, data in zip(figure.panels, results.data_sets, strict=True):
        for name, style in styles.items():
            line = sorted((c for c in cells if (c.data, c.algorithm) == (data, name)), key=lambda cell: cell.asked)
            means, deviations = (
                factor * np.array([getattr(c, key) for c in line]) for key in ("mean", "deviation")
            )
            if style.marker:
                draw_line(ax, style, PER_CENT * np.array([cell.asked for cell in line]), means, deviations)
            else:
                for mean in means:
                    ax.axhline(mean, color=style.color, linestyle=style.linestyle, linewidth=1.3, zorder=1.5)
        rate_axis(ax, logarithmic, [rate for rate in results.rates if rate < 1])
    better = "higher" if quantity.larger_is_better else "lower"
    unit = " in %" if quantity.is_share else ""
    return figure.finish("labels asked in %", f"{quantity.title}{unit} ({better} is better)")


def draw_errors(
    results: SweepResults,
    rate: float | None = None,
    path: Place = None,
    title: str | None = None,
    size: tuple[int, int] | None = None,
) -> "Figure":
    """Draw the share of mistakes so far against rounds, one panel per data set.

    The figure shows the algorithms at the share `rate` of labels, and those that use every label. If the results
    have only one rate, you can omit it. The first errors, which are mostly chance, may lie above the panel. The
    other parameters are those of `draw_rates`.
    """
    if results.curves is None:
        raise ValueError("these results have no curves: run the sweep again with points > 1")
    some = _at_rate(results, rate)
    styles = _styles(some)
    figure = PanelFigure(some.data_sets, styles, path, title, size)
    for ax, data in zip(figure.panels, some.data_sets, strict=True):
        ends = []
        for place, (name, style) in enumerate(styles.items()):
            rounds, means, deviations = _errors(some.curves or {}, data, name)
            draw_line(ax, style, rounds, means, deviations, shift=place / len(styles))
            settled = rounds >= SETTLED * rounds.max(initial=0)
            reach = np.nan_to_num(deviations)
            ends += [*(means - reach)[settled], *(means + reach)[settled]]
        set_limits(ax, ends)
        round_axis(ax)
    return figure.finish("rounds", "error so far in % (lower is better)")


def draw_times(
    results: SweepResults,
    rate: float | None = None,
    path: Place = None,
    title: str | None = None,
    size: tuple[int, int] | None = None,
) -> "Figure":
    """Draw the time of each algorithm, mean and standard deviation, one panel per data set.

    The algorithms and parameters are those of `draw_errors`. The time is also printed next to each bar.
    """
    some = _at_rate(results, rate)
    if np.isnan(some.columns["seconds"]).any():
        raise ValueError("these results have no times: load them with their file of times, or run the sweep again")
    cells = some.summary("seconds")
    figure = PanelFigure(some.data_sets, {}, path, title, size, bars=len(some.algorithms))
    longest = max((cell.mean for cell in cells), default=0)
    unit, seconds = next((one for one in UNITS.items() if longest >= one[1]), ("seconds", 1))
    for ax, data in zip(figure.panels, some.data_sets, strict=True):
        _bars(ax, {cell.algorithm: cell for cell in cells if cell.data == data}, _styles(some), 1 / seconds)
    for ax in figure.inner:
        ax.tick_params(axis="y", labelleft=False)  # the names are those of the panel to the left
    return figure.finish(unit, "")


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
            Line2D([], [], label=_legend_label(name, style), **_line_options(style))
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


def _styles(results: SweepResults) -> dict[str, LineStyle]:
    """Return the style of each algorithm; those that use every label come last."""
    full = results.full_methods
    choosing = [name for name in results.algorithms if name not in full]
    # Marker and dashes distinguish 28 algorithms of the first kind, dashes and colour 35 of the second.
    styles = {
        name: LineStyle(
            BRIGHT[i % len(BRIGHT)], DASHES[i // len(MARKERS) % len(DASHES)], MARKERS[i % len(MARKERS)]
        )
        for i, name in enumerate(choosing)
    }
    later = (BLACK, *BRIGHT)
    return styles | {
        name: LineStyle(later[i // len(BREAKS) % len(later)], BREAKS[i % len(BREAKS)], "")
        for i, name in enumerate(full)
    }


def _legend_columns(styles: dict[str, LineStyle], width: int) -> int:
    """Return the number of legend columns: as many as the longest name allows, of about equal length."""
    longest = max((len(_legend_label(name, style)) for name, style in styles.items()), default=0)
    room = max(1, width // (12 * longest + 100))
    return -(-len(styles) // -(-len(styles) // room)) if styles else 1


def _legend_label(name: str, style: LineStyle) -> str:
    return name if style.marker else f"{name} (all labels)"


def _line_options(style: LineStyle) -> dict[str, Any]:
    """Return the options of a line for matplotlib."""
    edge = {"markersize": 4, "markeredgecolor": "white", "markeredgewidth": 0.4}
    return {**style._asdict(), "linewidth": 1.3, **edge}


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


def set_limits(ax: "Axes", ends: Sequence[float]) -> None:
    """Set the limits of the panel to these values, with a margin."""
    low, high = min(ends, default=0), max(ends, default=0)
    if low < high:
        margin = 0.05 * (high - low)
        ax.set_ylim(max(0, low - margin), high + margin)


def round_axis(ax: "Axes") -> None:
    """Set ticks at round numbers."""
    from matplotlib import ticker

    ax.xaxis.set_major_locator(ticker.MaxNLocator(nbins=5, steps=ROUND_STEPS, integer=True))
    ax.xaxis.set_major_formatter(ticker.EngFormatter(sep=""))


def _bars(ax: "Axes", cells: dict[str, SweepCell], styles: dict[str, LineStyle], factor: float) -> None:
    from matplotlib import ticker

    longest = 0.0
    for place, name in enumerate(styles):
        if name in cells:
            mean, deviation = factor * cells[name].mean, factor * np.nan_to_num(cells[name].deviation)
            whisker = {"elinewidth": 1, "capsize": 2, "ecolor": INK}
            ax.barh(place, mean, height=0.62, color=BRIGHT[-1], xerr=deviation or None, error_kw=whisker)
            _number_beside(ax, mean, mean + deviation, place)
            longest = max(longest, mean + deviation)
    names = [_legend_label(name, style) for name, style in styles.items()]
    ax.set_yticks(range(len(styles)), names, parse_math=False)
    ax.set_ylim(len(styles) - 0.5, -0.5)  # the first on top
    ax.set_xlim(0, 1.35 * longest or None)  # room for the numbers
    ax.xaxis.set_major_locator(ticker.MaxNLocator(nbins=4, steps=ROUND_STEPS))
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)


def _number_beside(ax: "Axes", value: float, end: float, place: int) -> None:
    text, beside = _two_digits(value), (4, 0)
    ax.annotate(text, (end, place), beside, textcoords="offset points", va="center", fontsize=SMALL, color=INK)


def _two_digits(value: float) -> str:
    """Format a number with two significant digits: 0.10, 3.4, 120."""
    if not value > 0:
        return "0"
    rounded = float(f"{value:.1e}")  # 0.0997 has the digits of 0.10
    return f"{value:,.{max(0, 1 - math.floor(math.log10(rounded)))}f}"


def _spans_a_decade(choosing: Sequence[SweepCell]) -> bool:
    """Return whether the rates of algorithms that choose their labels need, and allow, a logarithmic axis."""
    rates = [cell.rate for cell in choosing]
    return bool(rates) and max(rates) > 10 * min(rates) and all(cell.asked > 0 for cell in choosing)


def _at_rate(results: SweepResults, rate: float | None) -> SweepResults:
    """Select the runs at a rate, and those of algorithms that use every label."""
    if rate is not None:
        return results.at_rate(rate)
    full = results.full_methods
    choosing = [name for name in results.algorithms if name not in full]
    rates = results.where(algorithm=choosing).rates
    if len(rates) > 1:
        raise ValueError(f"these results have several rates, {', '.join(map(str, rates))}: pass the rate to draw")
    return results


def _errors(curves: Mapping[str, NDArray[Any]], data: str, algorithm: str) -> tuple[NDArray[Any], Values, Values]:
    """Return the rounds that all permutations have, and mean and deviation of the error so far, in %."""
    ours = (curves["data"] == data) & (curves["algorithm"] == algorithm) & (curves["round"] > 0)
    rounds, numbers, mistakes = (curves[name][ours] for name in ("round", "permutation", "mistakes"))
    permutations = len(np.unique(numbers))
    moments, counts = np.unique(rounds, return_counts=True)
    common = moments[counts == permutations]
    keep = np.isin(rounds, common)
    order = np.lexsort((numbers[keep], rounds[keep]))
    errors = PER_CENT * mistakes[keep][order].reshape(len(common), permutations) / common[:, None]
    if permutations < 2:
        return common, errors.sum(axis=1), np.full(len(common), np.nan)
    return common, errors.mean(axis=1), errors.std(axis=1, ddof=1)


def _save(figure: "Figure", path: str | os.PathLike[str]) -> None:
    import matplotlib

    # Publishers refuse Type 3 fonts, matplotlib's default in PDF files.
    with matplotlib.rc_context({"pdf.fonttype": 42}):
        save_picture(figure, path)
