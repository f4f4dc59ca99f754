"""Tables of rating factorisations: errors, ranks and times."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from askance._util.atomic_write import write_whole
from askance._util.table_rows import Row, column, kinds
from askance.experiments.papers.lines import ABSENT, interval, number, sure, table_lines
from askance.experiments.papers.ratings import (
    RatingsMethod,
    RatingsPlan,
    RatingsTask,
    Source,
    reduced,
    run_ratings,
)
from askance.experiments.papers.ratings_sets import load_source
from askance.experiments.statistics import mean, paired_t_test
from askance.ratings.synthetic import SyntheticRatings

HEADS = (
    "method",
    "RMSE, thesis",
    "RMSE, ours",
    "{} leads by",
    "RMSE of the expected rating",
    "rank",
    "seconds, thesis",
    "seconds, ours",
    "λ",
)


class RatingsGrid(NamedTuple):
    """The values of λ to try on a data set, and the number of splits on which the best is reported."""

    grid: tuple[float, ...]
    splits: int


class Printed(NamedTuple):
    """RMSE and seconds of the thesis."""

    rmse: float
    seconds: float


class RatingsTable(NamedTuple):
    """Methods on data sets of ratings; all others are compared with the first."""

    paper: str
    name: str
    title: str
    data: Mapping[str, tuple[str, SyntheticRatings | None]]
    methods: Sequence[RatingsMethod]
    trials: Mapping[str, RatingsGrid]
    printed: Mapping[str, Mapping[str, Printed]] = {}
    notes: tuple[str, ...] = ()
    only_if_named: bool = False
    plan: RatingsPlan = RatingsPlan()

    @property
    def picture(self) -> None:
        """None: the table has no figure."""

    def load(self, name: str, preparation: Any, random_state: int) -> Any:
        """Load a data set."""
        return load_source(name, preparation, random_state)

    def run(self, sets: Mapping[str, Source], *, quick: int, random_state: int, **how: Any) -> list[Row]:
        """Return one row per data set, method and split; if `quick`, that many splits of tiny data sets."""
        tasks = []
        for label, source in sets.items():
            grid, splits = self.trials[label]
            tasks.append(
                RatingsTask(label, reduced(source), grid[::3], quick)
                if quick
                else RatingsTask(label, source, grid, splits)
            )
        return run_ratings(tasks, self.methods, self.plan._replace(random_state=random_state), **how)

    def body(self, rows: Sequence[Row]) -> list[str]:
        """Return the tables of a report."""
        parts = [*_sizes(rows), ""]
        for data in kinds(rows, "data"):
            parts += [f"**{data}**", "", *self._figures(rows, data), ""]
        parts.append(
            "Means over the splits, and ± half of their 95 % interval; \\*: significant in a paired t-test (5 %). "
            "Seconds are those of a fit with one thread. λ: the best on a split that is not reported."
        )
        return parts

    def to_dict(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return mean errors, ranks and times, for programs."""
        figures, orderings = [], []
        for data in kinds(rows, "data"):
            for one in kinds(rows, "algorithm"):
                wanted = {"data": data, "algorithm": one}
                printed = self.printed.get(data, {}).get(one)
                names = ("rmse", "expected", "rank", "seconds", "regularization")
                own = {what: mean(column(rows, what, **wanted)) for what in names}
                figures.append({**wanted, "published": printed and printed.rmse, **own})
                if one != self._hero:
                    lead, p = self._lead(rows, data, one)
                    pair = {"data": data, "better": self._hero, "worse": one}
                    orderings.append({**pair, "lead": mean(lead), "p": p, "holds": bool(mean(lead) > 0)})
        return {"figures": figures, "orderings": orderings}

    def write(self, rows: Sequence[Row], directory: Path) -> None:
        """Write all rows."""
        write_whole(directory / "results.json", json.dumps(list(rows)).encode())

    @property
    def _hero(self) -> str:
        return self.methods[0].label

    def _figures(self, rows: Sequence[Row], data: str) -> list[str]:
        """Return our methods, then those that only the thesis has."""
        printed = self.printed.get(data, {})
        lines = []
        for one in kinds(rows, "algorithm"):
            own = {what: column(rows, what, data=data, algorithm=one) for what in ("rmse", "expected", "rank")}
            lead = ""
            if one != self._hero:
                values, p = self._lead(rows, data, one)
                lead = f"{mean(values):+.4f}{sure(p)}"
            theirs = printed.get(one)
            seconds = mean(column(rows, "seconds", data=data, algorithm=one))
            chosen = mean(column(rows, "regularization", data=data, algorithm=one))
            lines.append(
                [
                    one,
                    number(theirs and theirs.rmse),
                    interval(own["rmse"]),
                    lead,
                    interval(own["expected"]),
                    f"{mean(own['rank']):.1f}",
                    number(theirs and theirs.seconds, 2),
                    f"{seconds:.2f}",
                    f"{chosen:g}",
                ]
            )
        for one in [name for name in printed if name not in kinds(rows, "algorithm")]:
            rest = [ABSENT, "", ABSENT, ABSENT]
            lines.append([one, number(printed[one].rmse), *rest, number(printed[one].seconds, 2), ABSENT, ABSENT])
        return table_lines([head.format(self._hero) for head in HEADS], lines)

    def _lead(self, rows: Sequence[Row], data: str, other: str) -> tuple[Any, float]:
        """Return by how much the error of the first method is smaller, per split, and the p-value."""
        ours, theirs = (column(rows, "rmse", data=data, algorithm=one) for one in (self._hero, other))
        return theirs - ours, paired_t_test(ours, theirs).p


def _sizes(rows: Sequence[Row]) -> list[str]:
    sets = {row["data"]: row for row in rows}
    columns = ("users", "items", "learned", "tested")
    lines = [[name, *(f"{row[what]:,}" for what in columns), str(1 + row["split"])] for name, row in sets.items()]
    heads = ["data", "users", "items", "training ratings", "test ratings", "splits"]
    return table_lines(heads, lines)
