"""Descents of ratings' objective, as a table and a picture: how regularisation helps, and how fast it falls."""

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askance._util.atomic_write import write_whole
from askance.experiments.papers.convergence import run_descents
from askance.experiments.papers.lines import interval, table_lines
from askance.experiments.papers.ratings import Method, Rounds, tiny
from askance.experiments.statistics import mean
from askance.experiments.table_rows import Row, column, kinds, matching
from askance.ratings.synthetic import SyntheticRatings

NEAR = 0.01  # of the way from the start: what is left of it when a descent is nearly done
ERRORS = ("learned_rmse", "tested_rmse")


class DescentTable(NamedTuple):
    """Methods, a line each, on made-up data sets; `shows` is "errors", by λ, or "objectives", by time."""

    paper: str
    name: str
    title: str
    data: Mapping[str, tuple[str, SyntheticRatings]]
    lines: Mapping[str, Sequence[Method]]
    shows: str
    plan: Rounds
    notes: tuple[str, ...] = ()

    @property
    def picture(self) -> str:
        """The file of a report that shows it."""
        return f"{self.shows}.png"

    def again(
        self, sets: Mapping[str, SyntheticRatings], *, quick: int, random_state: int, **how: Any
    ) -> list[Row]:
        """A row for every line and split; `quick`, unless 0, is how many splits of tiny data sets."""
        plan = self.plan._replace(random_state=random_state)
        if quick:
            plan, sets = plan._replace(splits=quick), {label: tiny(source) for label, source in sets.items()}
        return run_descents(sets, self.lines, plan, **how)

    def body(self, rows: Sequence[Row]) -> list[str]:
        """The tables of a report."""
        parts: list[str] = []
        for data in kinds(rows, "data"):
            parts += [f"**{data}**", "", *(_errors if self.shows == "errors" else _falls)(rows, data), ""]
        splits = 1 + max(row["split"] for row in rows)
        parts.append(
            f"Means over {splits} draws" + (", and ± half of their 95 % interval." if splits > 1 else ".")
        )
        return parts

    def told(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Mean errors and last objectives, for programs."""
        figures = [
            {
                "data": data,
                "algorithm": one,
                **{what: mean(column(rows, what, data=data, algorithm=one)) for what in (*ERRORS, "rank")},
                **{what: mean(ends(rows, what, data, one)) for what in ("objective", "seconds")},
            }
            for data in kinds(rows, "data")
            for one in _lines_of(rows, data)
        ]
        return {"figures": figures, "orderings": []}

    def write(self, rows: Sequence[Row], directory: Path) -> None:
        """All rows, and the picture where it can be drawn."""
        write_whole(directory / "results.json", json.dumps(list(rows)).encode())
        if find_spec("matplotlib"):
            from askance.plotting import convergence

            draw = convergence.draw_errors if self.shows == "errors" else convergence.draw_objectives
            draw(rows, directory / self.picture)


def ends(rows: Sequence[Row], what: str, data: str, line: str) -> list[float]:
    """The last value of a curve, a split each."""
    return [row[what][-1] for row in matching(rows, data=data, algorithm=line)]


def _errors(rows: Sequence[Row], data: str) -> list[str]:
    lines = [
        [
            one,
            *(interval(column(rows, what, data=data, algorithm=one)) for what in ERRORS),
            _steps(rows, data, one),
        ]
        for one in _lines_of(rows, data)
    ]
    return table_lines(["λ", "RMSE, learned from", "RMSE, test", "iterations"], lines)


def _falls(rows: Sequence[Row], data: str) -> list[str]:
    lines = []
    for one in _lines_of(rows, data):
        own = matching(rows, data=data, algorithm=one)
        near = [_nearly_done(row["objective"]) for row in own]
        lines.append(
            [
                one,
                f"{mean(column(rows, 'rank', data=data, algorithm=one)):.1f}",
                interval(np.array(ends(rows, "objective", data, one))),
                _steps(rows, data, one),
                f"{mean(ends(rows, 'seconds', data, one)):.2f}",
                f"{mean(near):.1f}",
                f"{mean([row['seconds'][place] for row, place in zip(own, near, strict=True)]):.2f}",
            ]
        )
    heads = ["line", "rank", "objective in the end", "iterations", "seconds"]
    return table_lines([*heads, "iterations to 99 % of the fall", "seconds to 99 % of the fall"], lines)


def _steps(rows: Sequence[Row], data: str, line: str) -> str:
    """How many iterations there were on the mean; that a rank begins counts as one."""
    return f"{mean([len(row['objective']) - 1 for row in matching(rows, data=data, algorithm=line)]):.1f}"


def _lines_of(rows: Sequence[Row], data: str) -> list[str]:
    return kinds([row for row in rows if row["data"] == data], "algorithm")


def _nearly_done(objective: Sequence[float]) -> int:
    """The first place at which 99 % of the fall are done."""
    enough = objective[-1] + NEAR * (objective[0] - objective[-1])
    return int(np.argmax(np.array(objective) <= enough))
