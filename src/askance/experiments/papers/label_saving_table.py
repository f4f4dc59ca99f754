"""A table of our own: what OMCSL loses with few labels, and how well it then estimates its members."""

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.atomic_write import write_whole
from askance._util.table_rows import Row, column, kinds
from askance.datasets import load
from askance.experiments.papers.label_saving import ALL, MARGIN, RANDOM, SavingPlan, run_saving
from askance.experiments.papers.lines import data_table, format_setting, interval, sure, table_lines
from askance.experiments.papers.splits import Entrant, SplitPlan
from askance.experiments.statistics import mean, paired_t_test

HEADS = (
    "wanted labels",
    "asked, by the margin",
    "asked, at random",
    "test F, by the margin",
    "test F, at random",
    "lead",
    "error of F, by the margin",
    "error of F, at random",
    "loss by it, by the margin",
    "loss by it, at random",
)


class SavingTable(NamedTuple):
    """One learner with many costs on some data sets, with several query rules."""

    paper: str
    name: str
    title: str
    data: Mapping[str, tuple[str, str | None]]
    entrant: Entrant
    saving: SavingPlan = SavingPlan()
    plan: SplitPlan = SplitPlan()
    notes: tuple[str, ...] = ()
    only_if_named: bool = False

    @property
    def picture(self) -> str:
        """The figure of a report, with F against labels."""
        return "labels.png"

    def load(self, name: str, preparation: Any, random_state: int) -> Any:
        """Load a data set."""
        return load(name, preparation, random_state)

    def run(self, sets: Mapping[str, Any], *, quick: int, random_state: int, **how: Any) -> list[Row]:
        """Return one row per data set, query rule and split; if `quick` is not 0, it is the number of splits."""
        plan = self.plan._replace(random_state=random_state)
        saving = self.saving._replace(looks=1) if quick else self.saving
        plan = plan._replace(splits=quick, tuning=quick) if quick else plan
        return run_saving(sets, self.entrant, plan, saving, **how)

    def body(self, rows: Sequence[Row]) -> list[str]:
        """Return the tables of a report."""
        splits = 1 + max(row["split"] for row in rows)
        looked = len({row["split"] for row in rows if row["error"] is not None})
        parts = [*data_table(rows), ""]
        for data in kinds(rows, "data"):
            own = [row for row in rows if row["data"] == data]
            title = f"**{self.entrant.label} on {data}** ({format_setting(own[0]['setting'])})"
            parts += [title, "", *table_lines(HEADS, _lines(own)), ""]
        parts.append(
            f"Means over {splits} splits, and ± half of their 95 % interval; \\*: significant in a paired t-test "
            "over the splits (5 %). The error of F is the mean absolute difference, over the members, between the "
            "F that the learner estimates from the labels it asked for and the true F over all rows. The loss by "
            "it is how far the true F of the member with the best estimate lies below that of the true best. Both "
            f"are measured on {looked} of the splits."
        )
        return parts

    def to_dict(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return the means of each query rule, for programs."""
        places = dict.fromkeys((row["data"], row["how"], row["rate"]) for row in rows)
        figures = [
            {
                **dict(zip(("data", "how", "rate"), place, strict=True)),
                **{what: _mean(_column(rows, *place, what)) for what in ("asked", "test", "error", "loss")},
            }
            for place in places
        ]
        return {"figures": figures, "orderings": []}

    def write(self, rows: Sequence[Row], directory: Path) -> None:
        """Write all rows, and the figure if matplotlib is installed."""
        write_whole(directory / "results.json", json.dumps(list(rows)).encode())
        if find_spec("matplotlib"):
            from askance.plotting.splits import draw_saving

            draw_saving(rows, directory / self.picture)


def _lines(rows: Sequence[Row]) -> list[list[str]]:
    data = rows[0]["data"]
    lines = []
    for rate in dict.fromkeys(row["rate"] for row in rows if row["how"] != ALL):
        ways = [(data, how, rate) for how in (MARGIN, RANDOM)]
        tests = [_column(rows, *way, "test") for way in ways]
        lead = f"{np.mean(tests[0]) - np.mean(tests[1]):+.4f}{sure(paired_t_test(*tests).p)}"
        asked = [f"{100 * mean(_column(rows, *way, 'asked')):.1f} %" for way in ways]
        known = [interval(_column(rows, *way, what), 3) for what in ("error", "loss") for way in ways]
        lines.append([f"{100 * rate:g} %", *asked, *map(interval, tests), lead, *known])
    everything = interval(_column(rows, data, ALL, 1.0, "test"))
    lines.append(["100 %", "100.0 %", "100.0 %", everything, everything, *[""] * 5])
    return lines


def _column(rows: Sequence[Row], data: str, how: str, rate: float, what: str) -> NDArray[np.float64]:
    return column(rows, what, data=data, how=how, rate=rate)


def _mean(values: NDArray[np.float64]) -> float | None:
    return mean(values) if values.size else None
