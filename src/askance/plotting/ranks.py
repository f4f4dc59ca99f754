"""Critical-difference diagrams: methods by average rank, and which of them do not differ significantly."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from askance.plotting.curves import COLOURS, INK, check_ending, new_figure, save_picture
from askance.plotting.panels import PAGE, SMALL, Place

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINE_HEIGHT = 42  # pixels of a method
AROUND = 190  # pixels for the axis, its label and the margins
BAR_WIDTH = 0.06  # of the width of all bars' columns


def draw_ranks(
    ranks: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    path: Place = None,
    title: str | None = None,
    width: int = PAGE,
) -> "Figure":
    """Draw methods by average rank, the best on top, with a bar beside those that do not differ significantly.

    It is the diagram of Demšar (2006), turned so that the names of many methods stand below each other.

    Parameters
    ----------
    ranks : mapping of str to float
        The average rank of every method; 1 is the best.
    groups : sequence of sequences of str
        Groups of methods that do not differ significantly, for example from `rank_groups`. The members of a group
        must be neighbours by rank. Groups of one method are not drawn.
    path : str or path-like, optional
        Where to save the figure, as PNG, SVG or PDF depending on the file extension.
    title : str, optional
        The title of the figure.
    width : int, default=1400
        The width in pixels.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    if path is not None:
        check_ending(path)  # before any work is done
    names = sorted(ranks, key=lambda name: ranks[name])
    figure = new_figure((width, AROUND + LINE_HEIGHT * len(names) + (50 if title else 0)))
    bars = columns_of([(names.index(group[0]), names.index(group[-1])) for group in groups if len(group) > 1])
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1, max(0.05, BAR_WIDTH * (1 + len(bars)))))
    for place, name in enumerate(names):
        left.plot([1, ranks[name]], [place, place], color="#dddddd", linewidth=0.8, zorder=1)
        left.plot(ranks[name], place, "o", color=COLOURS[0], markersize=4.5, zorder=2)
    for column, spans in enumerate(bars):
        for first, last in spans:
            right.plot(
                [column, column], [first - 0.3, last + 0.3], color=INK, linewidth=2.2, solid_capstyle="butt"
            )
    left.set_yticks(range(len(names)), [f"{name}  {ranks[name]:.1f}" for name in names], parse_math=False)
    left.set_ylim(len(names) - 0.4, -0.6)  # the best on top
    left.set_xlim(min(1.0, *ranks.values()) - 0.2, max(ranks.values()) + 0.4)
    left.set_xlabel("average rank (1 is the best)", fontsize=SMALL, color=INK)
    left.tick_params(axis="y", length=0)
    left.tick_params(labelsize=SMALL, labelcolor=INK, color="#999999")
    left.spines[["top", "right", "left"]].set_visible(False)
    left.spines["bottom"].set_color("#999999")
    right.set_xlim(-0.7, max(0, len(bars) - 1) + 0.7)
    right.axis("off")
    right.set_title("no significant\ndifference" if bars else "", fontsize=SMALL, color=INK)
    if title is not None:
        figure.suptitle(title, fontsize=SMALL + 2, color=INK).set_parse_math(False)
    if path is not None:
        save_picture(figure, path)
    return figure


def columns_of(spans: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Arrange spans of places in as few columns as possible, so that no two in a column touch."""
    columns: list[list[tuple[int, int]]] = []
    for first, last in sorted(spans):
        free = next((column for column in columns if column[-1][1] < first), None)
        if free is None:
            columns.append([(first, last)])
        else:
            free.append((first, last))
    return columns
