"""Tables of classifiers with few labels: accuracy, gains, and the effect of noise or of annotators."""

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askance._util.atomic_write import write_whole
from askance._util.table_rows import Row, column, kinds
from askance.datasets import load
from askance.experiments.papers.few_labels import FewLabelsMethod, FewLabelsPlan, run_few_labels
from askance.experiments.papers.lines import format_setting, interval, number, sure, table_lines
from askance.experiments.statistics import mean, paired_t_test

BASE = "SVM"


class FewLabelsTable(NamedTuple):
    """Methods on data sets; with `along` "noise" or "annotators", the table shows how accuracy depends on it."""

    paper: str
    name: str
    title: str
    data: Mapping[str, tuple[str, str | None]]
    methods: Sequence[FewLabelsMethod]
    plan: FewLabelsPlan
    along: str = ""
    accuracies: Mapping[str, Mapping[str, float]] = {}
    seconds: Mapping[str, Mapping[str, float]] = {}
    notes: tuple[str, ...] = ()
    only_if_named: bool = False

    @property
    def picture(self) -> str | None:
        """The figure of a report, for tables with `along`."""
        return f"{self.along}.png" if self.along else None

    def load(self, name: str, preparation: Any, random_state: int) -> Any:
        """Load a data set."""
        return load(name, preparation, random_state)

    def run(self, sets: Mapping[str, Any], *, quick: int, random_state: int, **how: Any) -> list[Row]:
        """Return one row per data set, method, value and split; `quick`, if not 0, is the number of splits."""
        plan = self.plan._replace(random_state=random_state)
        plan = plan._replace(splits=quick, tuning=quick) if quick else plan
        return [
            {**row, "algorithm": _label(row, self.along)}
            for row in run_few_labels(sets, self.methods, plan, **how)
        ]

    def body(self, rows: Sequence[Row]) -> list[str]:
        """Return the tables of a report."""
        splits = 1 + max(row["split"] for row in rows)
        parts = [*_sizes(rows), ""]
        parts += self._curves(rows) if self.along else self._figures(rows)
        parts += ["", "**The chosen settings**", "", *_settings(rows), ""]
        caption = f"Accuracy in %, means over {splits} splits, and ± half of their 95 % interval"
        if not self.along:
            caption += "; \\*: significantly different from the SVM on the same splits in a paired t-test (5 %)"
        parts.append(f"{caption}. Settings: the best on other splits.")
        return parts

    def to_dict(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return mean accuracies and times, for programs."""
        places = dict.fromkeys((row["data"], row["algorithm"], row["noise"], row["annotators"]) for row in rows)
        names = ("data", "algorithm", "noise", "annotators")
        figures = []
        for place in places:
            wanted = dict(zip(names, place, strict=True))
            published = self.accuracies.get(wanted["data"], {}).get(wanted["algorithm"])
            own = {what: mean(column(rows, what, **wanted)) for what in ("accuracy", "seconds")}
            figures.append({**wanted, "published": published, **own})
        return {"figures": figures, "orderings": []}

    def write(self, rows: Sequence[Row], directory: Path) -> None:
        """Write all rows, and the figure, if there is one and matplotlib is installed."""
        write_whole(directory / "results.json", json.dumps(list(rows)).encode())
        if self.picture is not None and find_spec("matplotlib"):
            from askance.plotting.few_labels import draw_along

            draw_along(rows, self.along, directory / self.picture)

    def _figures(self, rows: Sequence[Row]) -> list[str]:
        heads = ["method", "thesis", "ours", f"gain over the {BASE}", "seconds, thesis", "seconds, ours"]
        parts = []
        for data in kinds(rows, "data"):
            base = column(rows, "accuracy", data=data, algorithm=BASE)
            lines = []
            for one in kinds(rows, "algorithm"):
                own = column(rows, "accuracy", data=data, algorithm=one)
                gain = "" if one == BASE else interval(own - base, 2) + sure(paired_t_test(own, base).p)
                printed, took = (each.get(data, {}).get(one) for each in (self.accuracies, self.seconds))
                seconds = mean(column(rows, "seconds", data=data, algorithm=one))
                lines.append([one, number(printed, 2), interval(own, 2), gain, number(took, 4), f"{seconds:.4f}"])
            parts += [f"**{data}**", "", *table_lines(heads, lines), ""]
        return parts

    def _curves(self, rows: Sequence[Row]) -> list[str]:
        """Return one line per method; with noise, also its mean loss of accuracy."""
        values = sorted({row[self.along] for row in rows if row["annotators"] or self.along == "noise"})
        shown = [f"{100 * one:g} %" if self.along == "noise" else f"{one:g}" for one in values]
        parts = []
        for data in kinds(rows, "data"):
            lines = []
            for one in kinds(rows, "algorithm"):
                own = [
                    column(rows, "accuracy", data=data, algorithm=one, **{self.along: value}) for value in values
                ]
                lost = [interval(own[0] - np.mean(own[1:], axis=0), 2)] if self.along == "noise" else []
                lines.append([one, *(interval(each, 2) for each in own), *lost])
            heads = ["method", *shown, *(["mean loss over all noise levels"] if self.along == "noise" else [])]
            parts += [f"**{data}, by {self.along}**", "", *table_lines(heads, lines), ""]
        return parts


def _label(row: Row, along: str) -> str:
    """Return the method, with its number of annotators where that differs from line to line."""
    has_count = row["annotators"] and along != "annotators"
    return f"{row['algorithm']}-{row['annotators']}" if has_count else str(row["algorithm"])


def _sizes(rows: Sequence[Row]) -> list[str]:
    sets = {row["data"]: row for row in rows}
    lines = [[name, *(f"{row[what]:,}" for what in ("rows", "features", "classes"))] for name, row in sets.items()]
    return table_lines(["data", "rows", "features", "classes"], lines)


def _settings(rows: Sequence[Row]) -> list[str]:
    chosen = dict.fromkeys((row["algorithm"], row["data"], row["setting"]) for row in rows)
    sets = kinds(rows, "data")
    by_place = {(algorithm, data): format_setting(setting) for algorithm, data, setting in chosen}
    names = dict.fromkeys(algorithm for algorithm, _, _ in chosen)
    return table_lines(["method", *sets], [[one, *(by_place[one, data] for data in sets)] for one in names])
