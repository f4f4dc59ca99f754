"""Write the stored results of the league as CSV files and figures: `make league-page`.

`make league` leaves its results in `bench/.data/league.jsonl`. This script turns them into the CSV files under
`docs/reference/league` and into two figures. The pages are written by hand and contain no figures of their own:
they include the files.
"""

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT))  # the benchmark is not part of the package

from bench.league.__main__ import read  # noqa: E402
from bench.league.figures import Results, differences, points  # noqa: E402
from bench.league.tables import budgets_of, is_derived, others, sheets  # noqa: E402
from bench.setting import DIRECTORY  # noqa: E402

from askance.plotting.curves import COLOURS, INK, decorate, new_figure, save_picture  # noqa: E402

TABLES = ROOT / "docs" / "reference" / "league"
PICTURES = ROOT / "docs" / "pictures"
FIELDS = {"stream": "over the stream", "held_out": "on held-out rows"}


def write_tables(results: Results, folder: Path) -> list[Path]:
    """Write every sheet, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, sheet in sheets(results).items():
        written.append(folder / f"{name}.csv")
        with written[-1].open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([sheet.header, *sheet.rows])
    return written


def draw_points(results: Results, path: Path) -> None:
    """One dot per data set and method, and a bar at the mean over sets."""
    methods = others(results)
    figure = new_figure((1600, 200 + 90 * len(methods)))
    for ax, (field, where) in zip(figure.subplots(1, 2, sharex=True, sharey=True), FIELDS.items(), strict=True):
        for place, method in enumerate(methods):
            values = list(points(results, field, method).values())
            colour = COLOURS[place % len(COLOURS)]
            ax.plot(values, np.full(len(values), place), "o", color=colour, alpha=0.4, markersize=4)
            ax.plot([np.mean(values)] * 2, [place - 0.35, place + 0.35], color=colour, linewidth=2.5)
        ax.axvline(0, color=INK, linewidth=0.8)
        ax.set_yticks(range(len(methods)), methods)
        ax.set_xlabel(f"points against the script, {where}", color=INK, fontsize=9)
        decorate_names(ax)
    ax.invert_yaxis()
    save_picture(figure, path)


def draw_budgets(results: Results, path: Path) -> None:
    """One line per method: the mean points at every budget."""
    budgets, methods = budgets_of(results), others(results)
    figure = new_figure((1600, 760))
    for ax, (field, where) in zip(figure.subplots(1, 2, sharey=True), FIELDS.items(), strict=True):
        for place, method in enumerate(methods):
            found = differences(results, field, method)
            means = [np.mean([value for (_, at, _), value in found.items() if at == budget]) for budget in budgets]
            line = "-" if place < len(COLOURS) else "--"
            ax.plot(
                budgets, means, line, marker="o", markersize=4, color=COLOURS[place % len(COLOURS)], label=method
            )
        ax.axhline(0, color=INK, linewidth=0.8)
        ax.set_xlabel("labels", color=INK, fontsize=9)
        ax.set_ylabel(f"points against the script, {where}", color=INK, fontsize=9)
        decorate(ax)
    figure.legend(handles=ax.get_lines()[:-1], loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    save_picture(figure, path)


def decorate_names(ax: Any) -> None:
    """As other figures, with names instead of numbers on one axis."""
    ax.grid(axis="x", linewidth=0.5, color="#dddddd")
    ax.set_axisbelow(True)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.spines["bottom"].set_color("#999999")
    ax.tick_params(color="#999999", labelcolor=INK, labelsize=9)


def main() -> None:
    """Write whatever is stored."""
    stored = DIRECTORY / "league.jsonl"
    results = read(stored)
    if not results:
        raise SystemExit(f"{stored} has no results: run `make league` first")
    write_tables(results, TABLES)
    whole = [one for one in results if not is_derived(one)]
    draw_points(whole, PICTURES / "league-points.png")
    draw_budgets(whole, PICTURES / "league-budgets.png")


if __name__ == "__main__":
    main()
