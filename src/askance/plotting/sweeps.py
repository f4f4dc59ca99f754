"""Figures of sweeps for papers: readable at the width of a column, also without colours.

Algorithms that choose their labels have coloured lines with markers; those that use every label have broken black
lines without markers. An algorithm has the same style in all panels of a figure.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from askance.plotting.curves import DASHES, INK
from askance.plotting.panels import (
    BLACK,
    BRIGHT,
    MARKERS,
    PER_CENT,
    ROUND_STEPS,
    SMALL,
    LineStyle,
    PanelFigure,
    Place,
    Values,
    draw_line,
    legend_label,
    rate_axis,
    round_axis,
    set_limits,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BREAKS: tuple[Any, ...] = ((0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (9, 2)), (0, (3, 1, 1, 1, 1, 1)))
UNITS = {"seconds": 1, "milliseconds": 1e-3, "microseconds": 1e-6}
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
    names = [legend_label(name, style) for name, style in styles.items()]
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
