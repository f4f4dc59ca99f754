"""Tables of pool-based strategies: learning curves and comparisons."""

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.atomic_write import write_whole
from askance._util.table_rows import Row, column, kinds, matching
from askance.experiments.papers.lines import format_setting, interval, sure, table_lines
from askance.experiments.papers.pools import Family, PoolPlan, Views, run_contest
from askance.experiments.papers.views import Pair, load_views
from askance.experiments.statistics import mean, paired_t_test
from askance.experiments.sweep.results import LEVEL

SHOWN = (1, 2, 3, 5, 7, 10)  # numbers of questions at which the curve is printed


class PoolTable(NamedTuple):
    """Strategies on data sets with two views; all others are compared with `hero`."""

    paper: str
    name: str
    title: str
    data: Mapping[str, tuple[str, Pair]]
    families: Sequence[Family]
    hero: str
    plan: PoolPlan = PoolPlan()
    notes: tuple[str, ...] = ()
    only_if_named: bool = False

    @property
    def picture(self) -> str:
        """The figure of a report, with the curves."""
        return "curves.png"

    def load(self, name: str, preparation: Any, random_state: int) -> Any:
        """Load a data set."""
        return load_views(name, preparation, random_state)

    def run(self, sets: Mapping[str, Views], *, quick: int, random_state: int, **how: Any) -> list[Row]:
        """Return one row per data set, strategy and split; if `quick` is not 0, it is the number of splits."""
        plan = self.plan._replace(random_state=random_state)
        plan = plan._replace(splits=quick, tuning=1) if quick else plan
        named = {label: views._replace(name=label) for label, views in sets.items()}
        return run_contest(named, self.families, plan, **how)

    def body(self, rows: Sequence[Row]) -> list[str]:
        """Return the tables of a report."""
        splits = 1 + max(row["split"] for row in rows)
        parts = [*_sizes(rows), ""]
        for data in kinds(rows, "data"):
            parts += [f"**{data}**", "", *self._curves(rows, data), ""]
        parts += [f"**{self.hero} against the others, by the mean of the curve**", "", *self._verdict(rows), ""]
        parts += ["**The chosen settings**", "", *_settings(rows), ""]
        parts.append(
            f"Accuracy in % by the number of labels asked for, means over {splits} splits; the mean of the curve "
            "with ± half of its 95 % interval. \\*: significant in a paired t-test over the splits (5 %). "
            "Seconds are per question, including the fit."
        )
        return parts

    def to_dict(self, rows: Sequence[Row]) -> dict[str, Any]:
        """Return mean curves and orderings, for programs."""
        figures = [
            {
                "data": data,
                "algorithm": one,
                "curve": np.mean(
                    [row["curve"] for row in matching(rows, data=data, algorithm=one)], axis=0
                ).tolist(),
                "mean": mean(_means(rows, data, one)),
                "seconds": mean([row["seconds"] for row in matching(rows, data=data, algorithm=one)]),
            }
            for data in kinds(rows, "data")
            for one in kinds(rows, "algorithm")
        ]
        orderings = [
            {"data": data, "better": self.hero, "worse": one, "lead": lead, "p": p, "holds": lead > 0}
            for data in kinds(rows, "data")
            for one in kinds(rows, "algorithm")
            if one != self.hero
            for lead, p in [self._lead(rows, data, one)]
        ]
        return {"figures": figures, "orderings": orderings}

    def write(self, rows: Sequence[Row], directory: Path) -> None:
        """Write all rows, and the figure if matplotlib is installed."""
        write_whole(directory / "results.json", json.dumps(list(rows)).encode())
        if find_spec("matplotlib"):
            from askance.plotting.pools import draw_curves

            draw_curves(rows, self.hero, directory / self.picture)

    def _curves(self, rows: Sequence[Row], data: str) -> list[str]:
        batch = rows[0]["batch"]
        points = [point for point in SHOWN if point < len(rows[0]["curve"])]
        lines = []
        for one in kinds(rows, "algorithm"):
            own = matching(rows, data=data, algorithm=one)
            curve = np.mean([row["curve"] for row in own], axis=0)
            lead = ""
            if one != self.hero:
                gain, p = self._lead(rows, data, one)
                lead = f"{gain:+.2f}{sure(p)}"
            seconds = f"{mean([row['seconds'] for row in own]):.3f}"
            shown = [f"{curve[point]:.2f}" for point in (0, *points)]
            lines.append([one, *shown, interval(_means(rows, data, one), 2), lead, seconds])
        heads = [str(batch * point) for point in (0, *points)]
        return table_lines(["strategy", *heads, "mean", f"{self.hero} leads by", "seconds"], lines)

    def _lead(self, rows: Sequence[Row], data: str, other: str) -> tuple[float, float]:
        ours, theirs = _means(rows, data, self.hero), _means(rows, data, other)
        return float(np.mean(ours) - np.mean(theirs)), paired_t_test(ours, theirs).p

    def _verdict(self, rows: Sequence[Row]) -> list[str]:
        lines = []
        for one in kinds(rows, "algorithm"):
            if one == self.hero:
                continue
            found = {data: self._lead(rows, data, one) for data in kinds(rows, "data")}
            better = [data for data, (lead, p) in found.items() if lead > 0 and p < LEVEL]
            worse = [data for data, (lead, p) in found.items() if lead <= 0 and p < LEVEL]
            ahead = sum(lead > 0 for lead, _ in found.values())
            lines.append([one, f"{ahead} of {len(found)}", ", ".join(better) or "–", ", ".join(worse) or "–"])
        return table_lines(["against", "ahead on", "significantly ahead on", "significantly behind on"], lines)


def _means(rows: Sequence[Row], data: str, algorithm: str) -> NDArray[np.float64]:
    return column(rows, "mean", data=data, algorithm=algorithm)


def _sizes(rows: Sequence[Row]) -> list[str]:
    sets = {row["data"]: row for row in rows}
    columns = ("rows", "features", "privileged", "classes")
    lines = [[name, *(f"{row[what]:,}" for what in columns), f"{row['C']:g}"] for name, row in sets.items()]
    return table_lines(["data", "rows", "features", "privileged features", "classes", "C of the SVM"], lines)


def _settings(rows: Sequence[Row]) -> list[str]:
    chosen = dict.fromkeys(
        (row["algorithm"], row["data"], row["setting"]) for row in rows if row["setting"] != "{}"
    )
    sets, by_place = kinds(rows, "data"), {(one, data): format_setting(setting) for one, data, setting in chosen}
    names = dict.fromkeys(one for one, _, _ in chosen)
    return table_lines(["strategy", *sets], [[one, *(by_place[one, data] for data in sets)] for one in names])
