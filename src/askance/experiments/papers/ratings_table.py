"""Factorisations of ratings: their errors, the ranks that they find, and their times."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from askance._util.atomic_write import write_whole
from askance.experiments.papers.lines import ABSENT, interval, number, sure, table_lines
from askance.experiments.papers.ratings import Method, Rounds, Source, Task, reduced, run_rated
from askance.experiments.statistics import mean, paired_t_test
from askance.experiments.table_rows import Row, column, kinds
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


class Trial(NamedTuple):
    """The values of λ that are tried on a data set, and on how many splits the best is reported."""

    grid: tuple[float, ...]
    splits: int


class Printed(NamedTuple):
    """What the thesis has: RMSE and seconds."""

    rmse: float
    seconds: float


class RatedTable(NamedTuple):
    """Methods on data sets of ratings; the first is the one that all others are compared with.

    With `only_if_named`, it is not done unless it is asked for by its name.
    """

    paper: str
    name: str
    title: str
    data: Mapping[str, tuple[str, SyntheticRatings | None]]
    methods: Sequence[Method]
    trials: Mapping[str, Trial]
    printed: Mapping[str, Mapping[str, Printed]] = {}
    notes: tuple[str, ...] = ()
    only_if_named: bool = False
    plan: Rounds = Rounds()

    @property
    def picture(self) -> None:
        """There is none."""

    def again(self, sets: Mapping[str, Source], *, quick: int, random_state: int, **how: Any) -> list[Row]:
        """A row for every method and split of the data sets; unless 0, `quick` splits of tiny ones."""
        tasks = []
        for label, source in sets.items():
            grid, splits = self.trials[label]
            tasks.append(
                Task(label, reduced(source), grid[::3], quick) if quick else Task(label, source, grid, splits)
            )
        return run_rated(tasks, self.methods, self.plan._replace(random_state=random_state), **how)

    def body(self, rows: Sequence[Row]) -> list[str]:
        """The tables of a report."""
        parts = [*_sizes(rows), ""]
        for data in kinds(rows, "data"):
            parts += [f"**{data}**", "", *self._figures(rows, data), ""]
        parts.append(
            "Means over the splits, and ± half of their 95 % interval; \\*: told apart by a paired t-test (5 %). "
            "Seconds are those of a fit with one thread. λ: the best on a split that is not reported."
        )
        return parts

    def told(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Mean errors, ranks and times, for programs."""
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
                    told = {"data": data, "better": self._hero, "worse": one}
                    orderings.append({**told, "lead": mean(lead), "p": p, "holds": bool(mean(lead) > 0)})
        return {"figures": figures, "orderings": orderings}

    def write(self, rows: Sequence[Row], directory: Path) -> None:
        """All rows."""
        write_whole(directory / "results.json", json.dumps(list(rows)).encode())

    @property
    def _hero(self) -> str:
        return self.methods[0].label

    def _figures(self, rows: Sequence[Row], data: str) -> list[str]:
        """Our methods, then those that only the thesis has."""
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
        """By how much the first method's error is smaller, a split each, and how sure that is."""
        ours, theirs = (column(rows, "rmse", data=data, algorithm=one) for one in (self._hero, other))
        return theirs - ours, paired_t_test(ours, theirs).p


def _sizes(rows: Sequence[Row]) -> list[str]:
    sets = {row["data"]: row for row in rows}
    columns = ("users", "items", "learned", "tested")
    lines = [[name, *(f"{row[what]:,}" for what in columns), str(1 + row["split"])] for name, row in sets.items()]
    heads = ["data", "users", "items", "ratings learned from", "ratings for the test", "splits"]
    return table_lines(heads, lines)
