"""Splits: one pass through four fifths of a data set in random order, then a test on the rest.

Learners are scored during the pass, by their own predictions and scores, and afterwards on the test part. All have
the same splits. Settings are chosen by the measure during the pass, on splits that are not reported.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance import __version__
from askance._util.table_rows import Row, column
from askance.algorithms.make import make
from askance.experiments.dataset import Dataset, make_dataset, shuffled
from askance.experiments.parallel import Execution, collect_rows
from askance.experiments.scoring import score_predictions
from askance.experiments.store import Store
from askance.experiments.sweep.plan import as_json
from askance.jit.source_digest import package_digest
from askance.learners.learner import Learner
from askance.learners.omcsl import OMCSL
from askance.rules.imbalance.many_costs import LAST

DTYPE = np.dtype("float32")
WIDE = 1000  # features: with more, a matrix would be too large


class StreamSplit(NamedTuple):
    """Training rows in order with their coins, test rows, and a random state."""

    X: Any
    y: NDArray[np.int64]
    coins: NDArray[np.float64]
    test_X: Any  # noqa: N815 - as in scikit-learn
    test_y: NDArray[np.int64]
    random_state: int


class Entrant(NamedTuple):
    """A name of the catalog with settings to try. The best setting is chosen separately for each measure.

    Several entrants can have the same `label`: one learner per measure. `wide` replaces parameters for data sets
    with very many features.
    """

    label: str
    name: str
    measures: tuple[str, ...]
    settings: tuple[Mapping[str, Any], ...]
    wide: Mapping[str, Any] = {}

    def settings_for(self, features: int) -> list[dict[str, Any]]:
        """Return the distinct settings to try on a data set with this number of features."""
        others = self.wide if features > WIDE else {}
        return list({as_json({**one, **others}): {**one, **others} for one in self.settings}.values())


class SplitPlan(NamedTuple):
    """The number of reported splits, of other splits for tuning, and of moments at which a pass is scored."""

    splits: int = 25
    tuning: int = 5
    random_state: int = 0
    points: int = 12

    def tuning_splits(self) -> range:
        """Return the numbers after the reported ones."""
        return range(self.splits, self.splits + self.tuning)


def run_splits(
    sets: Mapping[str, tuple[Any, Any]],
    entrants: Sequence[Entrant],
    plan: SplitPlan,
    **how: Any,
) -> list[Row]:
    """Return one row per data set, entrant, measure and split; classes are -1 and +1."""
    found = [prepared(name, *given) for name, given in sets.items()]
    cells = [(plan, entrant, data) for data in found for entrant in entrants]
    titles = [f"{entrant.label} on {data.name}" for _, entrant, data in cells]
    return collect_rows(run_entrant, cells, titles, Execution(**how))


def prepared(name: str, X: Any, y: Any) -> Dataset:
    """Create a data set with an additional constant feature, for an intercept."""
    return make_dataset(name, sp.hstack([X, np.ones((X.shape[0], 1), DTYPE)], format="csr"), y, DTYPE)


def split(data: Dataset, random_state: int, number: int) -> StreamSplit:
    """Split four fifths of the rows from the rest, by the permutation of this random state and number."""
    stream = shuffled(data, random_state, number)
    y, cut = stream.y.astype(np.int64), 4 * len(stream.y) // 5
    return StreamSplit(stream.X[:cut], y[:cut], stream.coins[:cut], stream.X[cut:], y[cut:], number)


def run_entrant(plan: SplitPlan, entrant: Entrant, data: Dataset, store: Store) -> list[Row]:
    """Tune one algorithm on one data set, then run it on every split."""
    settings = entrant.settings_for(data.X.shape[1])
    chosen = tuned(plan, entrant, data, store)
    key = ["splits", *key_of(plan, entrant, data), [as_json(settings[place]) for place in chosen]]
    rows = store.recall(key, lambda: _tested(plan, entrant, data, [settings[place] for place in chosen]))
    return [{**about(data), "algorithm": entrant.label, **row} for row in rows]


def about(data: Dataset) -> Row:
    """Return the columns that describe a data set, without the constant feature."""
    rows, features = data.X.shape
    return {"data": data.name, "rows": rows, "features": features - 1, "positives": int((data.y > 0).sum())}


def tuned(plan: SplitPlan, entrant: Entrant, data: Dataset, store: Store) -> list[int]:
    """Return the index of the best setting per measure, by its mean during the passes of tuning splits."""
    found: list[int] = store.recall(
        ["split tuning", *key_of(plan, entrant, data)], lambda: _tuned(plan, entrant, data)
    )
    return found


def key_of(plan: SplitPlan, entrant: Entrant, data: Dataset) -> list[Any]:
    """Return everything that the results of an entrant on a data set depend on."""
    settings = [as_json(setting) for setting in entrant.settings_for(data.X.shape[1])]
    return [__version__, package_digest(), data.digest, entrant.name, entrant.measures, settings, *plan]


def _tuned(plan: SplitPlan, entrant: Entrant, data: Dataset) -> list[int]:
    settings = entrant.settings_for(data.X.shape[1])
    values = np.zeros((len(settings), len(entrant.measures)))
    for number in plan.tuning_splits():
        part = split(data, plan.random_state, number)
        for place, setting in enumerate(settings):
            trace = started(entrant.name, setting, part).run(part.X, part.y, coins=part.coins)
            values[place] += [
                score_predictions(measure, part.y, trace.predictions, trace.scores) for measure in entrant.measures
            ]
    return [int(best) for best in np.argmax(values, axis=0)]


def _tested(plan: SplitPlan, entrant: Entrant, data: Dataset, chosen: Sequence[Mapping[str, Any]]) -> list[Row]:
    rows = []
    for number in range(plan.splits):
        part = split(data, plan.random_state, number)
        for measure, setting in zip(entrant.measures, chosen, strict=True):
            run = {"measure": measure, "split": number, "setting": as_json(setting)}
            rows.append({**run, **tested(started(entrant.name, setting, part), part, measure, plan.points)})
    return rows


def started(name: str, setting: Mapping[str, Any], part: StreamSplit) -> Learner:
    """Create a new learner."""
    return make(name, random_state=part.random_state, dtype=str(part.X.dtype), classes=[-1, 1], **setting)


def tested(learner: Learner, part: StreamSplit, measure: str, points: int) -> Row:
    """Run a pass, scored after each of `points` equal parts, and a test."""
    began = time.perf_counter()
    trace = learner.run(part.X, part.y, coins=part.coins)
    seconds = time.perf_counter() - began
    ends = [len(part.y) * (point + 1) // points for point in range(points)]
    curve = [score_predictions(measure, part.y[:end], trace.predictions[:end], trace.scores[:end]) for end in ends]
    test = score_predictions(
        measure, part.test_y, learner.predict(part.test_X), learner.decision_function(part.test_X)
    )
    scores = {"online": curve[-1], "test": test, "rounds": ends, "curve": curve}
    return {**scores, "cost_error": _cost_error(learner, len(part.y)), "seconds": seconds}


def _cost_error(learner: Learner, rounds: int) -> float | None:
    """Return, for OMCSL, the distance between c₊ of the best members of the last rounds and of the best member."""
    if not isinstance(learner, OMCSL):
        return None
    return abs(learner.recent_costs(min(LAST, rounds // 2))[0] - learner.cost_[0])


def values_of(rows: Sequence[Row], data: str, algorithm: str, measure: str, what: str) -> NDArray[np.float64]:
    """Return a column of some rows, in the order of the splits."""
    return column(rows, what, data=data, algorithm=algorithm, measure=measure)
