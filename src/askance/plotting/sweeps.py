"""Figures of results for papers: readable at the width of a column, without colours too.

Methods that choose their labels have coloured lines with markers; those that use every label have broken black
ones without. A method looks the same in all panels of a figure.
"""

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.experiments.sweep.results import ALL_LABELS, Cell, Columns, Results
from askance.plotting.curves import COLOURS, DASHES, INK, check_ending, decorate, new_figure, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Place = str | os.PathLike[str] | None
Values = NDArray[np.float64]

*BRIGHT, BLACK = COLOURS
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
BREAKS: tuple[Any, ...] = ((0, (5, 2)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)), (0, (9, 2)), (0, (3, 1, 1, 1, 1, 1)))
COLUMN, PAGE = 700, 1400  # pixels: 3.5 and 7 inches, as journals have them
PANEL_HEIGHT = 440
SMALL = 8  # points: the least that is read with ease in print
BAND = 0.15  # how much of a colour a band keeps
PER_CENT = 100
UNITS = {"seconds": 1, "milliseconds": 1e-3, "microseconds": 1e-6}
MOST_TICKS = 7
ROUND_STEPS = (1, 2, 2.5, 5, 10)
SETTLED = 0.1  # of the rounds: until then an error is mostly chance


class Look(NamedTuple):
    """How a method's line is drawn."""

    color: str
    linestyle: Any
    marker: str


def draw_rates(
    results: Results,
    metric: str | None = None,
    path: Place = None,
    title: str | None = None,
    size: tuple[int, int] | None = None,
) -> "Figure":
    """Draw a metric against the share of labels that was asked for, one panel a data set.

    A line is the mean over permutations, its band one standard deviation. Methods that use every label are
    level lines. `size` is in pixels; the ending of `path` says whether it becomes a PNG, SVG or PDF file.
    """
    quantity, cells = results.quantity(metric), results.summary(metric)
    factor = PER_CENT if quantity.is_share else 1
    looks = _looks(results)
    sheet = Sheet(results.data_sets, looks, path, title, size)
    logarithmic = _spans_a_decade([cell for cell in cells if looks[cell.algorithm].marker])
    for ax, data in zip(sheet.panels, results.data_sets, strict=True):
        for name, look in looks.items():
            line = sorted((c for c in cells if (c.data, c.algorithm) == (data, name)), key=lambda cell: cell.asked)
            means, deviations = (
                factor * np.array([getattr(c, key) for c in line]) for key in ("mean", "deviation")
            )
            if look.marker:
                draw_line(ax, look, PER_CENT * np.array([cell.asked for cell in line]), means, deviations)
            else:
                for mean in means:
                    ax.axhline(mean, color=look.color, linestyle=look.linestyle, linewidth=1.3, zorder=1.5)
        rate_axis(ax, logarithmic, [rate for rate in results.rates if rate != ALL_LABELS])
    better = "higher" if quantity.larger_is_better else "lower"
    unit = " in %" if quantity.is_share else ""
    return sheet.finished("labels asked in %", f"{quantity.title}{unit} ({better} is better)")


def draw_errors(
    results: Results,
    rate: float | None = None,
    path: Place = None,
    title: str | None = None,
    size: tuple[int, int] | None = None,
) -> "Figure":
    """Draw the share of mistakes so far against rounds, one panel a data set.

    The methods are those that wanted the share `rate` of the labels, and those that use every label. `rate` may be
    left out if there is but one. The first errors, which are mostly chance, may lie above the panel.
    """
    if results.curves is None:
        raise ValueError("these results have no curves: run the sweep again and keep them")
    some = _at_rate(results, rate)
    looks = _looks(some)
    sheet = Sheet(some.data_sets, looks, path, title, size)
    for ax, data in zip(sheet.panels, some.data_sets, strict=True):
        ends = []
        for place, (name, look) in enumerate(looks.items()):
            rounds, means, deviations = _errors(some.curves or {}, data, name)
            draw_line(ax, look, rounds, means, deviations, shift=place / len(looks))
            settled = rounds >= SETTLED * rounds.max(initial=0)
            reach = np.nan_to_num(deviations)
            ends += [*(means - reach)[settled], *(means + reach)[settled]]
        settle(ax, ends)
        round_axis(ax)
    return sheet.finished("rounds", "error so far in % (lower is better)")


def draw_times(
    results: Results,
    rate: float | None = None,
    path: Place = None,
    title: str | None = None,
    size: tuple[int, int] | None = None,
) -> "Figure":
    """Draw the time that each method took, mean and standard deviation, one panel a data set.

    The methods are those of `draw_errors`. Bars begin at zero; where that makes some too short to be read, the
    time stands beside them.
    """
    some = _at_rate(results, rate)
    if np.isnan(some.columns["seconds"]).any():
        raise ValueError("these results have no times: load them beside their file of times, or sweep again")
    cells = some.summary("seconds")
    sheet = Sheet(some.data_sets, {}, path, title, size, bars=len(some.algorithms))
    longest = max((cell.mean for cell in cells), default=0)
    unit, seconds = next((one for one in UNITS.items() if longest >= one[1]), ("seconds", 1))
    for ax, data in zip(sheet.panels, some.data_sets, strict=True):
        _bars(ax, {cell.algorithm: cell for cell in cells if cell.data == data}, _looks(some), 1 / seconds)
    for ax in sheet.inner:
        ax.tick_params(axis="y", labelleft=False)  # it has the same names as the panel at its left
    return sheet.finished(unit, "")


class Sheet:
    """A figure of one panel a data set, with one legend for all below them."""

    def __init__(
        self,
        titles: Sequence[str],
        looks: dict[str, Look],
        path: Place,
        title: str | None,
        size: tuple[int, int] | None,
        bars: int = 0,
    ) -> None:
        if path is not None:
            check_ending(path)  # before the work
        if not titles:
            raise ValueError("there are no results to draw: choose data sets, algorithms and rates that are there")
        self._path, self._looks, self._title = path, looks, title
        columns = len(titles) if len(titles) < 4 else 2 if len(titles) == 4 else 3
        rows = -(-len(titles) // columns)
        width = size[0] if size else COLUMN if columns == 1 else PAGE
        self._columns, self._legend_columns = columns, _legend_columns(looks, width)
        legend = 60 + 36 * -(-len(looks) // self._legend_columns) if looks else 40
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
        """The panels that have another one at their left."""
        return [ax for place, ax in enumerate(self.panels) if place % self._columns]

    def finished(self, below: str, beside: str) -> "Figure":
        """The figure with the names of its axes, its legend and its title, saved if it has a path."""
        for place, ax in enumerate(self.panels):
            if place + self._columns >= len(self.panels):  # nothing is below it
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

        handles = [Line2D([], [], label=_told(name, look), **_drawn(look)) for name, look in self._looks.items()]
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


def _looks(results: Results) -> dict[str, Look]:
    """Each method's look; those that use every label come last."""
    full = results.full_methods
    choosing = [name for name in results.algorithms if name not in full]
    # Marker and dashes alone tell 28 of the one kind apart, dashes and colour 35 of the other.
    looks = {
        name: Look(BRIGHT[i % len(BRIGHT)], DASHES[i // len(MARKERS) % len(DASHES)], MARKERS[i % len(MARKERS)])
        for i, name in enumerate(choosing)
    }
    later = (BLACK, *BRIGHT)
    return looks | {
        name: Look(later[i // len(BREAKS) % len(later)], BREAKS[i % len(BREAKS)], "")
        for i, name in enumerate(full)
    }


def _legend_columns(looks: dict[str, Look], width: int) -> int:
    """At most as many columns as the longest name leaves room for, and all about equally long."""
    longest = max((len(_told(name, look)) for name, look in looks.items()), default=0)
    room = max(1, width // (12 * longest + 100))
    return -(-len(looks) // -(-len(looks) // room)) if looks else 1


def _told(name: str, look: Look) -> str:
    return name if look.marker else f"{name} (all labels)"


def _drawn(look: Look) -> dict[str, Any]:
    """What matplotlib wants to know about a line."""
    edge = {"markersize": 4, "markeredgecolor": "white", "markeredgewidth": 0.4}
    return {**look._asdict(), "linewidth": 1.3, **edge}


def draw_line(
    ax: "Axes", look: Look, x: NDArray[Any], means: Values, deviations: Values, shift: float | None = None
) -> None:
    """A mean with its band. With a `shift`, the line has a few markers, which avoid those of other shifts."""
    every = None
    if shift is not None:
        apart = max(1, len(x) // 5)
        every = (int(shift * apart), apart)
    ax.plot(x, means, markevery=every, **_drawn(look))
    if np.isfinite(deviations).any():
        alpha = BAND if look.marker else BAND / 2  # black is stronger than colours
        ax.fill_between(x, means - deviations, means + deviations, color=look.color, alpha=alpha, linewidth=0)


def rate_axis(ax: "Axes", logarithmic: bool, rates: Sequence[float]) -> None:
    """Ticks at the rates, in per cent."""
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


def settle(ax: "Axes", ends: Sequence[float]) -> None:
    """Let what lies between these ends fill the panel, and not what comes before."""
    low, high = min(ends, default=0), max(ends, default=0)
    if low < high:
        margin = 0.05 * (high - low)
        ax.set_ylim(max(0, low - margin), high + margin)


def round_axis(ax: "Axes") -> None:
    """Ticks at round numbers of rounds."""
    from matplotlib import ticker

    ax.xaxis.set_major_locator(ticker.MaxNLocator(nbins=5, steps=ROUND_STEPS, integer=True))
    ax.xaxis.set_major_formatter(ticker.EngFormatter(sep=""))


def _bars(ax: "Axes", cells: dict[str, Cell], looks: dict[str, Look], factor: float) -> None:
    from matplotlib import ticker

    longest = 0.0
    for place, name in enumerate(looks):
        if name in cells:
            mean, deviation = factor * cells[name].mean, factor * np.nan_to_num(cells[name].deviation)
            whisker = {"elinewidth": 1, "capsize": 2, "ecolor": INK}
            ax.barh(place, mean, height=0.62, color=BRIGHT[-1], xerr=deviation or None, error_kw=whisker)
            _number_beside(ax, mean, mean + deviation, place)
            longest = max(longest, mean + deviation)
    names = [_told(name, look) for name, look in looks.items()]
    ax.set_yticks(range(len(looks)), names, parse_math=False)
    ax.set_ylim(len(looks) - 0.5, -0.5)  # the first on top
    ax.set_xlim(0, 1.35 * longest or None)  # room for the numbers
    ax.xaxis.set_major_locator(ticker.MaxNLocator(nbins=4, steps=ROUND_STEPS))
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)


def _number_beside(ax: "Axes", value: float, end: float, place: int) -> None:
    text, beside = _two_digits(value), (4, 0)
    ax.annotate(text, (end, place), beside, textcoords="offset points", va="center", fontsize=SMALL, color=INK)


def _two_digits(value: float) -> str:
    """A number with the two digits that count: 0.10, 3.4, 120."""
    if not value > 0:
        return "0"
    rounded = float(f"{value:.1e}")  # 0.0997 has the digits of 0.10
    return f"{value:,.{max(0, 1 - math.floor(math.log10(rounded)))}f}"


def _spans_a_decade(choosing: Sequence[Cell]) -> bool:
    """Whether the rates of methods that choose their labels need a logarithmic axis, and can have one."""
    rates = [cell.rate for cell in choosing]
    return bool(rates) and max(rates) > 10 * min(rates) and all(cell.asked > 0 for cell in choosing)


def _at_rate(results: Results, rate: float | None) -> Results:
    """The runs at a rate, and those of the methods that use every label."""
    if rate is not None:
        return results.at_rate(rate)
    full = results.full_methods
    choosing = [name for name in results.algorithms if name not in full]
    rates = results.where(algorithm=choosing).rates
    if len(rates) > 1:
        raise ValueError(f"these results have several rates, {', '.join(map(str, rates))}: say which to draw")
    return results


def _errors(curves: Columns, data: str, algorithm: str) -> tuple[NDArray[Any], Values, Values]:
    """The rounds that all permutations have, and mean and deviation of the mistakes a round until then, in %."""
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

    # Publishers refuse the Type 3 fonts that matplotlib would put into a PDF file.
    with matplotlib.rc_context({"pdf.fonttype": 42}):
        save_picture(figure, path)
