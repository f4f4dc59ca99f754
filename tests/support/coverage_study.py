"""How often the intervals from asked labels hold the truth: streams, learners, and tables of what came of them.

`python tests/support/coverage_study.py 1000` runs 1,000 streams of each imbalance and prints the tables.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

import askance
from askance.learners.trace import Trace
from askance.metrics.anytime import DROPS, LEAST, LIFTS, LOG_SHARES, STEPS
from askance.rules.query import AtRate

IMBALANCES = {"balanced": 1 / 2, "1:100": 1 / 101, "1:1000": 1 / 1001}
LEARNERS = ("PAA-II", "D-AMD", "CSPAA", "RPA-II")
BANDS = ("< 50", "50-149", "150-299", "300-699", "≥ 700")
EDGES = (50, 150, 300, 700)
WEIGHTS = {"cost": {"c_p": 10.0, "c_n": 1.0}}
METRICS = (
    "accuracy",
    "cost",
    "f",
    "recall",
    "precision",
    "specificity",
    "g_mean",
    "balanced_accuracy",
    "auroc",
    "auprc",
)
ANYTIME = ("accuracy", "cost")


class Met(NamedTuple):
    """An interval and the truth."""

    imbalance: str
    band: int
    metric: str
    told: bool
    holds: bool
    width: float


def stream(random_state: int, share: float) -> Any:
    """1,000 to 20,000 rows of two clouds, near or far, some labels wrong, and the share of labels to ask for."""
    rng = np.random.default_rng(random_state)
    rows, rate = round(1000 * 20 ** rng.random()), 0.01 * 20 ** rng.random()
    distance, noise = rng.uniform(0.3, 2.0), rng.choice([0, 0.01, 0.05])
    y = np.where(rng.random(rows) < share, 1, -1)
    X = rng.normal(size=(rows, 8)) + distance * y[:, np.newaxis] * np.linspace(1, 0, 8)
    X = np.c_[X, np.ones(rows)]
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    wrong = rng.random(rows) < 2 * noise * share
    return X, np.where(wrong, -y, y), rate


def learner(name: str, rate: float, share: float, random_state: int) -> Any:
    """A learner that asks for about that share of labels."""
    if name == "RPA-II":
        return askance.make(name, ratio=rate, random_state=random_state)
    odds = (1 - share) / share
    made = askance.make(name, random_state=random_state, **({"rho": odds, "C": odds} if name == "CSPAA" else {}))
    return made.set_params(query=AtRate(made.query, rate))


def traces(imbalance: str, streams: int, first: int = 0) -> Iterator[Trace]:
    """A pass of one of the learners over each of `streams` streams."""
    share = IMBALANCES[imbalance]
    for number in range(first, first + streams):
        random_state = 3 * number + list(IMBALANCES).index(imbalance)
        X, y, rate = stream(random_state, share)
        yield learner(LEARNERS[number % len(LEARNERS)], rate, share, random_state).run(X, y, classes=[-1, 1])


def met(imbalance: str, trace: Trace, level: float = 0.95) -> Iterator[Met]:
    """What each interval came to."""
    tally, asked = trace.tally(), trace.asked_tally()
    band = int(np.searchsorted(EDGES, np.count_nonzero(trace.asked), side="right"))
    for metric in METRICS:
        weights = WEIGHTS.get(metric, {})
        found, truth = asked.estimate(metric, level, **weights), tally.value(metric, **weights)
        yield _met(imbalance, band, metric, found, truth, len(trace))
    for metric in ANYTIME:
        weights = WEIGHTS.get(metric, {})
        found = asked.estimate(metric, level, anytime=True, **weights)
        last = _met(imbalance, band, metric, found, tally.value(metric, **weights), len(trace))
        yield last._replace(metric=f"{metric} anytime", holds=holds_throughout(trace, metric, level))


def _met(imbalance: str, band: int, metric: str, found: Any, truth: float, rows: int) -> Met:
    if not found.enough:
        return Met(imbalance, band, metric, False, True, np.nan)
    slack = 1e-9 * max(1.0, abs(truth))
    width = found.width / (rows if metric == "cost" else 1)
    return Met(imbalance, band, metric, True, bool(found.low - slack <= truth <= found.high + slack), width)


def holds_throughout(trace: Trace, metric: str, level: float = 0.95) -> bool:
    """Whether the anytime limits hold at every prefix, by what the martingales are at the true number."""
    called, wrong = (
        trace.predicted_codes > 0,
        (trace.predicted_codes != trace.true_codes) & (trace.true_codes != 0),
    )
    kinds = [np.ones_like(called)] if metric == "accuracy" else [called, ~called]
    threshold = np.log(2 * len(kinds) / (1 - level))
    for might in kinds:
        pi, z, asked = trace.ask_probabilities[might], wrong[might], trace.asked[might]
        (few, many), (few_others, many_others) = (_martingales(pi, which, asked) for which in (z, ~z))
        for pair in ((few, many_others), (many, few_others)):
            mean = np.logaddexp(*(one + share for one, share in zip(pair, LOG_SHARES, strict=True)))
            if mean.size and mean.max() > threshold:
                return False
    return True


def _martingales(pi: Any, which: Any, asked: Any) -> tuple[Any, Any]:
    """The logarithms of both mean martingales after each row, at the true number of such rows."""
    pi, which, seen = pi[:, np.newaxis], which[:, np.newaxis], (which & asked)[:, np.newaxis]
    few = np.where(seen, np.log1p(LIFTS / pi), 0.0) - STEPS * which
    kept = pi > LEAST
    many = np.where(kept & seen, np.log1p(-np.where(kept, DROPS / pi, 0.0)), 0.0)
    many += STEPS * np.where(kept, which, which - 1.0)  # a row left out counts as such a one
    few, many = (np.logaddexp.reduce(np.cumsum(terms, axis=0), axis=1) for terms in (few, many))
    return few - np.log(len(STEPS)), many - np.log(len(STEPS))


def study(streams: int, first: int = 0) -> list[Met]:
    """The results of `streams` streams of each imbalance."""
    return [
        one
        for imbalance in IMBALANCES
        for trace in traces(imbalance, streams, first)
        for one in met(imbalance, trace)
    ]


def table(found: Iterable[Met]) -> str:
    """By metric and imbalance: coverage in percent, mean width and number, for all and by labels asked."""
    cells: dict[tuple[str, str, int], list[Met]] = defaultdict(list)
    for one in found:
        if one.told:
            cells[one.metric, one.imbalance, one.band].append(one)
    lines = [f"{'':18} {'':9} {'all':>6}" + "".join(f" | {band:>22}" for band in BANDS)]
    for metric in (*METRICS, *(f"{name} anytime" for name in ANYTIME)):
        for imbalance in IMBALANCES:
            row = [cells[metric, imbalance, band] for band in range(len(BANDS))]
            if any(row):
                lines.append(
                    f"{metric:18} {imbalance:9} {_percent([one for some in row for one in some])}"
                    + "".join(map(_cell, row))
                )
    return "\n".join(lines)


def _cell(some: list[Met]) -> str:
    if not some:
        return f" | {'':22}"
    return f" | {_percent(some)} {np.mean([one.width for one in some]):8.4f} {len(some):6}"


def _percent(some: list[Met]) -> str:
    return f"{100 * np.mean([one.holds for one in some]):6.1f}" if some else f"{'':6}"


if __name__ == "__main__":
    print(table(study(int(sys.argv[1]))))
