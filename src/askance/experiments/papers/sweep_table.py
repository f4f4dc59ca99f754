"""A table of a paper, done again: what it compared, what it printed, and which orderings it claims."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from askance.experiments.statistics import paired_t_test
from askance.experiments.sweep.results import ALL_LABELS, LEVEL, Results


class SweepTable(NamedTuple):
    """A table or figure of a paper.

    `data` has, by the label of a data set, its name and the preparation; `published`, by label and algorithm, the
    printed figure at each rate, in percent; `orderings` are pairs of which the first is claimed to be better.
    """

    paper: str
    name: str
    title: str
    data: Mapping[str, tuple[str, str | None]]
    algorithms: Mapping[str, Any]
    rates: tuple[float, ...] | None
    metric: str
    permutations: int
    orderings: tuple[tuple[str, str], ...] = ()
    grid: Mapping[str, Any] = {}
    published: Mapping[str, Mapping[str, Sequence[float | None]]] = {}
    points: int = 1
    note: str = ""

    @property
    def picture(self) -> str | None:
        """The file of a report that shows the table as the paper drew it, if it did."""
        if self.points > 1:
            return "errors.png"
        return "labels.png" if self.rates is not None and len(self.rates) > 2 else None


class ComparedValue(NamedTuple):
    """One figure of a table beside ours, both in percent; None where the paper's is not known."""

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
        """Ours less theirs."""
        return None if self.published is None else self.ours - self.published


class Ordering(NamedTuple):
    """Whether one algorithm is better than another on a data set at a rate, and how sure that is."""

    data: str
    rate: float
    better: str
    worse: str
    lead: float
    p: float

    @property
    def holds(self) -> bool:
        """Whether the first has the better mean."""
        return self.lead > 0

    @property
    def is_sure(self) -> bool:
        """Whether a paired t-test tells them apart."""
        return self.p < LEVEL


def compare_values(table: SweepTable, results: Results) -> list[ComparedValue]:
    """Every figure of ours, beside the published one where there is one."""
    found = []
    for cell in results.summary(table.metric):
        printed = table.published.get(cell.data, {}).get(cell.algorithm)
        rates = table.rates or (ALL_LABELS,)
        place = rates.index(cell.rate) if cell.rate in rates else 0
        published = printed[place] if printed is not None and place < len(printed) else None
        ours = (100 * cell.mean, 100 * cell.low, 100 * cell.high)
        found.append(ComparedValue(cell.data, cell.algorithm, cell.rate, published, *ours, cell.asked))
    return found


def orderings(table: SweepTable, results: Results) -> list[Ordering]:
    """The claimed orderings, on every data set and at every rate at which both were run."""
    sign = 1.0 if results.quantity(table.metric).larger_is_better else -1.0
    found = []
    for data in results.data_sets:
        for better, worse in table.orderings:
            both_full = {better, worse} <= set(results.full_methods)
            for rate in (ALL_LABELS,) if both_full else results.rates:
                pair = [_values(results, table.metric, data, name, rate) for name in (better, worse)]
                if min(map(len, pair)):
                    lead = 100 * sign * float(np.mean(pair[0]) - np.mean(pair[1]))
                    found.append(Ordering(data, rate, better, worse, lead, paired_t_test(*pair).p))
    return found


def _values(results: Results, metric: str, data: str, algorithm: str, rate: float) -> Any:
    """By permutation; a method that uses every label stands beside the others at every rate."""
    columns = results.at_rate(rate).columns
    here = (columns["data"] == data) & (columns["algorithm"] == algorithm)
    order = np.argsort(columns["permutation"][here], kind="stable")
    return columns[metric][here][order]
