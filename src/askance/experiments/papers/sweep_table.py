"""A table of a paper that compares algorithms by a sweep: what it printed, and which orderings it claims."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from askance.datasets import load
from askance.experiments.dataset import LARGER
from askance.experiments.statistics import paired_t_test, t_interval
from askance.experiments.sweep.report import write_report
from askance.experiments.sweep.results import ALL_LABELS, LEVEL, Results
from askance.experiments.sweep.run import sweep


class ComparedValue(NamedTuple):
    """A published value and ours, both in per cent; None where the published one is unknown."""

    data: str
    algorithm: str
    rate: float
    published: float | None
    ours: float
    low: float
    high: float
    asked: float

    @property
    def difference(self) -> float | None:
        """Our value minus the published one."""
        return None if self.published is None else self.ours - self.published


class Ordering(NamedTuple):
    """Whether one algorithm is better than another on a data set at a rate, and how sure that is.

    `lead` is the difference of their means in points, `low` and `high` are the ends of its 95 % interval.
    """

    data: str
    rate: float
    better: str
    worse: str
    lead: float
    low: float
    high: float
    p: float

    @property
    def holds(self) -> bool:
        """Whether the first has the better mean."""
        return self.lead > 0

    @property
    def is_sure(self) -> bool:
        """Whether the difference is significant in a paired t-test."""
        return self.p < LEVEL


class SweepTable(NamedTuple):
    """A table or figure of a paper.

    `data` has, by the label of a data set, its name and preparation; `published`, by label and algorithm, the
    printed value at each rate, in per cent; `orderings` are pairs of which the first is claimed to be better;
    `tuning` is the number of permutations on which settings are chosen.
    """

    paper: str
    name: str
    title: str
    data: Mapping[str, tuple[str, str | None]]
    algorithms: Mapping[str, Any]
    rates: tuple[float, ...] | None
    metric: str
    permutations: int
    tuning: int = 5
    orderings: tuple[tuple[str, str], ...] = ()
    grid: Mapping[str, Any] = {}
    published: Mapping[str, Mapping[str, Sequence[float | None]]] = {}
    points: int = 1
    notes: tuple[str, ...] = ()
    only_if_named: bool = False

    @property
    def picture(self) -> str | None:
        """The figure of a report that shows the table as the paper does, if it has a figure."""
        if self.points > 1:
            return "errors.png"
        return "labels.png" if self.rates is not None and len(self.rates) > 2 else None

    def load(self, name: str, preparation: str | None, random_state: int) -> Any:
        """Load a data set."""
        return load(name, preparation, random_state)

    def run(self, sets: Mapping[str, Any], *, quick: int, random_state: int, **execution: Any) -> Results:
        """Run the sweep; if `quick` is not 0, it is the number of permutations."""
        return sweep(
            sets,
            self.algorithms,
            self.grid,
            quick or self.permutations,
            self.rates,
            self.metric,
            random_state,
            tuning=quick or self.tuning,
            points=self.points,
            positive=LARGER,
            **execution,
        )

    def body(self, results: Results) -> list[str]:
        """Return the tables of a report."""
        permutations = results.columns["permutation"].max() + 1
        return [
            *_value_lines(self.compare_values(results)),
            "",
            *_ordering_lines(self.check_orderings(results)),
            "",
            f"Over {permutations} permutations; {results.columns['tuned_on'][0]}.",
        ]

    def to_dict(self, results: Results) -> dict[str, Any]:
        """Return values and orderings, for programs."""
        return {
            "figures": [value._asdict() for value in self.compare_values(results)],
            "orderings": [{**one._asdict(), "holds": one.holds} for one in self.check_orderings(results)],
        }

    def write(self, results: Results, directory: Path) -> None:
        """Write the report of the sweep."""
        write_report(results, directory, f"{self.paper}, {self.title}")

    def compare_values(self, results: Results) -> list[ComparedValue]:
        """Return every value of ours, with the published one where it is known."""
        found = []
        for cell in results.summary(self.metric):
            printed = self.published.get(cell.data, {}).get(cell.algorithm)
            rates = self.rates or (ALL_LABELS,)
            place = rates.index(cell.rate) if cell.rate in rates else 0
            published = printed[place] if printed is not None and place < len(printed) else None
            ours = (100 * cell.mean, 100 * cell.low, 100 * cell.high)
            found.append(ComparedValue(cell.data, cell.algorithm, cell.rate, published, *ours, cell.asked))
        return found

    def check_orderings(self, results: Results) -> list[Ordering]:
        """Check the claimed orderings, on every data set and at every rate at which both were run."""
        sign = 1.0 if results.quantity(self.metric).larger_is_better else -1.0
        found = []
        for data in results.data_sets:
            for better, worse in self.orderings:
                both_full = {better, worse} <= set(results.full_methods)
                for rate in (ALL_LABELS,) if both_full else results.rates:
                    pair = [_values(results, self.metric, data, name, rate) for name in (better, worse)]
                    if min(map(len, pair)):
                        leads = 100 * sign * (pair[0] - pair[1])
                        ends, p = t_interval(leads), paired_t_test(*pair).p
                        found.append(Ordering(data, rate, better, worse, float(np.mean(leads)), *ends, p))
        return found


def _values(results: Results, metric: str, data: str, algorithm: str, rate: float) -> Any:
    """Return values by permutation; algorithms that use every label are compared at every rate."""
    columns = results.at_rate(rate).columns
    here = (columns["data"] == data) & (columns["algorithm"] == algorithm)
    order = np.argsort(columns["permutation"][here], kind="stable")
    return columns[metric][here][order]


def _value_lines(values: Sequence[ComparedValue]) -> list[str]:
    """Return published values and ours, one line per value."""
    lines = ["| data | algorithm | labels | published | ours | 95 % interval | difference |"]
    lines.append("|:--|:--|--:|--:|--:|:-:|--:|")
    for value in values:
        published = "–" if value.published is None else f"{value.published:.2f}"
        difference = "" if value.difference is None else f"{value.difference:+.2f}"
        lines.append(
            f"| {value.data} | {value.algorithm} | {100 * value.asked:.1f} % | {published} | {value.ours:.2f} | "
            f"{value.low:.2f} to {value.high:.2f} | {difference} |"
        )
    return lines


def _ordering_lines(found: Sequence[Ordering]) -> list[str]:
    """Return which of the claimed orderings hold, and where they do not."""
    if not found:
        return []
    lines = ["| claimed | holds | significant | fails | where it fails |", "|:--|--:|--:|--:|:--|"]
    for better, worse in dict.fromkeys((one.better, one.worse) for one in found):
        own = [one for one in found if (one.better, one.worse) == (better, worse)]
        fails = [one for one in own if not one.holds]
        sure = sum(one.holds and one.is_sure for one in own)
        where = ", ".join(
            f"{one.data} at {100 * one.rate:g} % ({one.lead:+.1f}, {one.low:+.1f} to {one.high:+.1f})"
            for one in fails
        )
        lines.append(
            f"| {better} > {worse} | {len(own) - len(fails)} of {len(own)} | {sure} | {len(fails)} | {where} |"
        )
    return lines
