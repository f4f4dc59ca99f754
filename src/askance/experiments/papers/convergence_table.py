"""Tables of the convergence of rating factorisations: errors by regularisation, and objectives by time."""

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askance._util.atomic_write import write_whole
from askance._util.table_rows import Row, column, kinds, matching
from askance.experiments.papers.convergence import run_convergence
from askance.experiments.papers.lines import interval, table_lines
from askance.experiments.papers.ratings import RatingsMethod, RatingsPlan, tiny
from askance.experiments.papers.ratings_sets import load_source
from askance.experiments.statistics import mean
from askance.ratings.synthetic import SyntheticRatings

NEAR = 0.01  # of the total decrease, left when a run has nearly converged
ERRORS = ("learned_rmse", "tested_rmse")


class ConvergenceTable(NamedTuple):
    """Methods on synthetic data sets; `shows` is "errors", by λ, or "objectives", by time."""

    paper: str
    name: str
    title: str
    data: Mapping[str, tuple[str, SyntheticRatings]]
    lines: Mapping[str, Sequence[RatingsMethod]]
    shows: str
    plan: RatingsPlan
    notes: tuple[str, ...] = ()
    only_if_named: bool = False

    @property
    def picture(self) -> str:
        """The figure of a report."""
        return f"{self.shows}.png"

    def load(self, name: str, preparation: Any, random_state: int) -> Any:
        """Load a data set."""
        return load_source(name, preparation, random_state)

    def run(self, sets: Mapping[str, SyntheticRatings], *, quick: int, random_state: int, **how: Any) -> list[Row]:
        """Return one row per method and split; if `quick` is not 0, that many splits of tiny data sets."""
        plan = self.plan._replace(random_state=random_state)
        if quick:
            plan, sets = plan._replace(splits=quick), {label: tiny(source) for label, source in sets.items()}
        return run_convergence(sets, self.lines, plan, **how)

    def body(self, rows: Sequence[Row]) -> list[str]:
        """Return the tables of a report."""
        parts: list[str] = []
        for data in kinds(rows, "data"):
            parts += [f"**{data}**", "", *(_errors if self.shows == "errors" else _objectives)(rows, data), ""]
        splits = 1 + max(row["split"] for row in rows)
        parts.append(
            f"Means over {splits} draws" + (", and ± half of their 95 % interval." if splits > 1 else ".")
        )
        return parts

    def to_dict(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return mean errors and final objectives, for programs."""
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
        """Write all rows, and the figure if matplotlib is installed."""
        write_whole(directory / "results.json", json.dumps(list(rows)).encode())
        if find_spec("matplotlib"):
            from askance.plotting import convergence

            draw = convergence.draw_rmse if self.shows == "errors" else convergence.draw_objectives
            draw(rows, directory / self.picture)


def ends(rows: Sequence[Row], what: str, data: str, line: str) -> list[float]:
    """Return the last value of a curve, per split."""
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
    return table_lines(["λ", "RMSE, training", "RMSE, test", "iterations"], lines)


def _objectives(rows: Sequence[Row], data: str) -> list[str]:
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
    heads = ["method", "rank", "final objective", "iterations", "seconds"]
    return table_lines([*heads, "iterations to 99 % of the decrease", "seconds to 99 % of the decrease"], lines)


def _steps(rows: Sequence[Row], data: str, line: str) -> str:
    """Return the mean number of iterations; the start of a rank counts as one."""
    return f"{mean([len(row['objective']) - 1 for row in matching(rows, data=data, algorithm=line)]):.1f}"


def _lines_of(rows: Sequence[Row], data: str) -> list[str]:
    return kinds([row for row in rows if row["data"] == data], "algorithm")


def _nearly_done(objective: Sequence[float]) -> int:
    """Return the first iteration after 99 % of the decrease."""
    enough = objective[-1] + NEAR * (objective[0] - objective[-1])
    return int(np.argmax(np.array(objective) <= enough))
