"""Learning with many costs from few labels: the gain of choosing them, and the accuracy of estimated measures.

A learner that does not see every label estimates the measures of its members from the labels it asked for, each
weighted by 1/probability. The true measures come from a second pass, which stops at every label to read the
weights of the members.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance._util.table_rows import Row
from askance.algorithms import parts_of
from askance.experiments.dataset import Dataset
from askance.experiments.papers.splits import (
    Entrant,
    SplitPlan,
    StreamSplit,
    about,
    key_of,
    prepared,
    split,
    tuned,
)
from askance.experiments.parallel import Execution, collect_rows
from askance.experiments.scoring import score_predictions
from askance.experiments.store import Store
from askance.experiments.sweep.plan import as_json
from askance.learners.omcsl import OMCSL
from askance.rules.imbalance import ManyCosts
from askance.rules.query import Always, AtRate, Margin, QueryRule, Random

MEASURE = "F"
MARGIN, RANDOM, ALL = "margin", "random", "all"


class SavingPlan(NamedTuple):
    """The shares of labels to try, and the number of splits on which true measures are computed."""

    rates: tuple[float, ...] = (0.02, 0.05, 0.1, 0.2, 0.5)
    looks: int = 5


def queries_at(rates: Sequence[float]) -> dict[tuple[str, float], QueryRule]:
    """Return the query rules: by the margin and at random at each rate, and always."""
    chosen: dict[tuple[str, float], QueryRule] = {}
    for rate in rates:
        chosen[MARGIN, rate] = AtRate(Margin(), rate)
        chosen[RANDOM, rate] = Random(rate)
    chosen[ALL, 1.0] = Always()
    return chosen


def run_saving(
    sets: Mapping[str, tuple[Any, Any]],
    entrant: Entrant,
    plan: SplitPlan,
    saving: SavingPlan,
    **how: Any,
) -> list[Row]:
    """Return one row per data set, query rule and split, with the settings that are best with all labels."""
    cells = [(plan, saving, entrant, prepared(name, *given)) for name, given in sets.items()]
    titles = [f"{entrant.label} on {name}" for name in sets]
    return collect_rows(run_cell, cells, titles, Execution(**how))


def run_cell(plan: SplitPlan, saving: SavingPlan, entrant: Entrant, data: Dataset, store: Store) -> list[Row]:
    """Tune on one data set, then run every query rule on every split."""
    setting = entrant.settings_for(data.X.shape[1])[tuned(plan, entrant, data, store)[0]]
    key = ["saving", *key_of(plan, entrant, data), as_json(setting), *saving]
    rows: list[Row] = store.recall(key, lambda: _asked(plan, saving, entrant, data, setting))
    return [{**about(data), "algorithm": entrant.label, **row} for row in rows]


def _asked(
    plan: SplitPlan, saving: SavingPlan, entrant: Entrant, data: Dataset, setting: Mapping[str, Any]
) -> list[Row]:
    update: Any = parts_of(entrant.name, setting).update
    rows = []
    for number in range(plan.splits):
        part = split(data, plan.random_state, number)
        for (how, rate), query in queries_at(saving.rates).items():
            run = {"how": how, "rate": rate, "split": number, "setting": as_json(setting)}
            look = number < saving.looks and how != ALL  # with all labels, estimates are exact
            rows.append({**run, **_tried(update, query, part, look=look)})
    return rows


def _tried(update: ManyCosts, query: QueryRule, part: StreamSplit, *, look: bool) -> Row:
    learner = _new(update, query, part)
    trace = learner.run(part.X, part.y, coins=part.coins)
    test = score_predictions(
        MEASURE, part.test_y, learner.predict(part.test_X), learner.decision_function(part.test_X)
    )
    row: Row = {"asked": float(np.mean(trace.asked)), "test": test, "error": None, "loss": None}
    if look:
        estimated, true = learner.measures_, true_measures(_new(update, query, part), part, trace.asked)
        row["error"] = float(np.mean(np.abs(estimated - true)))
        row["loss"] = float(true.max() - true[np.argmax(estimated)])
    return row


def _new(update: ManyCosts, query: QueryRule, part: StreamSplit) -> OMCSL:
    return OMCSL.of(
        update, query, random_state=part.random_state, dtype=str(part.X.dtype), sgn0=-1, classes=[-1, 1]
    )


def true_measures(learner: OMCSL, part: StreamSplit, asked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return F of each member over all rows, for a new learner that asks for exactly these labels."""
    first, positive = 0, np.zeros((len(part.y), learner.K), bool)
    for last in [*(np.flatnonzero(asked) + 1).tolist(), len(part.y)]:
        rows = part.X[first:last]
        if first:  # before the first label, all weights are 0 and nothing is predicted positive
            positive[first:last] = rows @ learner.coef_.T > 0
        if last > first:
            learner.run(rows, part.y[first:last], coins=part.coins[first:last])
        first = last
    hits = positive[part.y > 0].sum(axis=0)
    return np.asarray(2 * hits / ((part.y > 0).sum() + positive.sum(axis=0)))
