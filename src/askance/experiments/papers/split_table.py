"""Tables of algorithms on splits: what the paper printed, and what it claims."""

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askance._util.atomic_write import write_whole
from askance._util.table_rows import Row, kinds
from askance.datasets import load
from askance.experiments.papers.lines import data_table, format_setting, interval, number, sure, table_lines
from askance.experiments.papers.splits import Entrant, SplitPlan, run_splits, values_of
from askance.experiments.scoring import MEASURES
from askance.experiments.statistics import mean, paired_t_test
from askance.experiments.sweep.results import LEVEL

WHERE = {"test": "On the test part", "online": "During the pass"}


class Claim(NamedTuple):
    """The claim that one algorithm is better than another, by some measures."""

    better: str
    worse: str
    measures: tuple[str, ...]


class Comparison(NamedTuple):
    """Two algorithms of which neither is claimed to be better, for example those called competitive."""

    one: str
    other: str
    measure: str


class Lead(NamedTuple):
    """By how much one algorithm is better than another on a data set, and the p-value."""

    data: str
    measure: str
    better: str
    worse: str
    where: str
    lead: float
    p: float


class SplitTable(NamedTuple):
    """Algorithms on splits of data sets; those in `undrawn` are in the tables but not in the figure.

    `published` and `cost_errors` are the values that the paper printed, by data set, algorithm and measure.
    """

    paper: str
    name: str
    title: str
    data: Mapping[str, tuple[str, str | None]]
    entrants: tuple[Entrant, ...]
    undrawn: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    published: Mapping[str, Mapping[str, Mapping[str, float]]] = {}
    cost_errors: Mapping[str, Mapping[str, Mapping[str, float]]] = {}
    plan: SplitPlan = SplitPlan()
    notes: tuple[str, ...] = ()
    only_if_named: bool = False

    @property
    def picture(self) -> str:
        """The figure of a report, with the passes."""
        return "online.png"

    def load(self, name: str, preparation: Any, random_state: int) -> Any:
        """Load a data set."""
        return load(name, preparation, random_state)

    def run(self, sets: Mapping[str, Any], *, quick: int, random_state: int, **how: Any) -> list[Row]:
        """Return one row per data set, algorithm, measure and split; `quick`, if not 0, is how many splits."""
        plan = self.plan._replace(random_state=random_state)
        plan = plan._replace(splits=quick, tuning=quick) if quick else plan
        return run_splits(sets, self.entrants, plan, **how)

    def body(self, rows: Sequence[Row]) -> list[str]:
        """Return the tables of a report."""
        splits = 1 + max(row["split"] for row in rows)
        parts = [*data_table(rows), ""]
        for where, title in WHERE.items():
            for data in kinds(rows, "data"):
                parts += [f"**{title}, {data}**", "", *self._figures(rows, data, where), ""]
            parts += [f"**{title}: claims**", "", *self._claimed(rows, where), ""]
            parts += [f"**{title}: other comparisons**", "", *self._compared(rows, where), ""]
        parts += [
            "**Table 5.4: distance between c₊ of the best member of the last rounds and of the best member**",
            "",
        ]
        parts += [*self._cost_errors(rows), "", "**The chosen settings**", "", *_settings(rows), ""]
        parts.append(
            f"Means over {splits} splits, and ± half of their 95 % interval; bold: the best of its column. "
            "Significant: in a paired t-test over the splits (5 %). Settings by the mean of the measure during "
            "the pass, on splits that are not reported."
        )
        return parts

    def to_dict(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return values and orderings, for programs."""
        figures = [
            {
                "data": data,
                "algorithm": algorithm,
                "measure": measure,
                "published": self._published(data, algorithm, measure),
                **{where: mean(values_of(rows, data, algorithm, measure, where)) for where in WHERE},
            }
            for data in kinds(rows, "data")
            for algorithm, measure in dict.fromkeys((row["algorithm"], row["measure"]) for row in rows)
        ]
        leads = [lead for where in WHERE for claim in self.claims for lead in _leads(rows, claim, where)]
        return {"figures": figures, "orderings": [{**one._asdict(), "holds": one.lead > 0} for one in leads]}

    def write(self, rows: Sequence[Row], directory: Path) -> None:
        """Write all rows, and the figure if matplotlib is installed."""
        write_whole(directory / "results.json", json.dumps(list(rows)).encode())
        if find_spec("matplotlib"):
            from askance.plotting.splits import draw_passes

            drawn = [row for row in rows if row["algorithm"] not in self.undrawn]
            draw_passes(drawn, MEASURES, directory / self.picture)

    def _published(self, data: str, algorithm: str, measure: str) -> float | None:
        return self.published.get(data, {}).get(algorithm, {}).get(measure)

    def _figures(self, rows: Sequence[Row], data: str, where: str) -> list[str]:
        """Return one line per algorithm; the printed values are those of the test part."""
        is_printed = where == "test" and data in self.published
        algorithms = kinds(rows, "algorithm")
        values = {
            (one, measure): values_of(rows, data, one, measure, where)
            for one in algorithms
            for measure in MEASURES
        }
        best = {
            measure: max(
                (mean(values[one, measure]) for one in algorithms if values[one, measure].size), default=0
            )
            for measure in MEASURES
        }
        heads = [
            head for one in MEASURES for head in ([f"{one}, thesis"] if is_printed else []) + [f"{one}, ours"]
        ]
        lines = []
        for one in algorithms:
            cells = []
            for measure in MEASURES:
                if is_printed:
                    cells.append(number(self._published(data, one, measure)))
                own = values[one, measure]
                is_best = own.size > 0 and mean(own) == best[measure]
                cells.append(f"**{interval(own)}**" if is_best else interval(own))
            lines.append([one, *cells])
        return table_lines(["algorithm", *heads], lines)

    def _claimed(self, rows: Sequence[Row], where: str) -> list[str]:
        lines = []
        for claim in self.claims:
            for measure in claim.measures:
                found = _leads(rows, claim._replace(measures=(measure,)), where)
                fails = [one for one in found if not one.lead > 0]
                lines.append(
                    [
                        f"{claim.better} > {claim.worse}",
                        measure,
                        f"{len(found) - len(fails)} of {len(found)}",
                        str(sum(one.lead > 0 and one.p < LEVEL for one in found)),
                        str(sum(one.p < LEVEL for one in fails)),
                        ", ".join(f"{one.data} ({one.lead:+.4f})" for one in fails),
                    ]
                )
        return table_lines(
            ["claimed", "measure", "holds", "significantly", "significantly not", "where it fails"], lines
        )

    def _compared(self, rows: Sequence[Row], where: str) -> list[str]:
        sets = kinds(rows, "data")
        lines = []
        for one in self.comparisons:
            found = {lead.data: lead for lead in _leads(rows, Claim(one.one, one.other, (one.measure,)), where)}
            cells = [f"{found[data].lead:+.4f}{sure(found[data].p)}" if data in found else "–" for data in sets]
            lines.append([f"{one.one} minus {one.other}", one.measure, *cells])
        return [*table_lines(["", "measure", *sets], lines), "", "\\*: significant in a paired t-test."]

    def _cost_errors(self, rows: Sequence[Row]) -> list[str]:
        lines = []
        for data in kinds(rows, "data"):
            for algorithm in dict.fromkeys(row["algorithm"] for row in rows if row["cost_error"] is not None):
                printed = self.cost_errors.get(data, {}).get(algorithm, {})
                cells = [
                    text
                    for measure in MEASURES
                    for text in (
                        number(printed.get(measure), 3),
                        interval(values_of(rows, data, algorithm, measure, "cost_error"), 3),
                    )
                ]
                lines.append([data, algorithm, *cells])
        heads = [f"{one}, {whose}" for one in MEASURES for whose in ("thesis", "ours")]
        return table_lines(["data", "algorithm", *heads], lines)


def _leads(rows: Sequence[Row], claim: Claim, where: str) -> list[Lead]:
    found = []
    for data in kinds(rows, "data"):
        for measure in claim.measures:
            ours, theirs = (values_of(rows, data, name, measure, where) for name in (claim.better, claim.worse))
            if ours.size and theirs.size:
                lead = float(np.mean(ours) - np.mean(theirs))
                p = paired_t_test(ours, theirs).p
                found.append(Lead(data, measure, claim.better, claim.worse, where, lead, p))
    return found


def _settings(rows: Sequence[Row]) -> list[str]:
    chosen: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        chosen.setdefault((row["data"], row["algorithm"]), {})[row["measure"]] = format_setting(row["setting"])
    lines = [[*place, *(by_measure.get(one, "–") for one in MEASURES)] for place, by_measure in chosen.items()]
    return table_lines(["data", "algorithm", *MEASURES], lines)
