"""Splits: one pass through four fifths of a data set in a random order, then a test on the rest.

How good a learner was while it went by is judged from its own predictions and scores; how good it became, on the
test part. Everyone has the same splits. Settings are chosen by the measure during the pass, on splits that are not
reported.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance import __version__
from askance.algorithms.make import make
from askance.experiments.dataset import Material, material, shuffled
from askance.experiments.parallel import Spread, rows_of
from askance.experiments.scoring import judged
from askance.experiments.store import Store
from askance.experiments.sweep.plan import as_json
from askance.experiments.table_rows import Row, column
from askance.jit.source_digest import package_digest
from askance.learners.learner import Learner
from askance.learners.omcsl import OMCSL
from askance.rules.imbalance.many_costs import LAST

DTYPE = np.dtype("float32")
WIDE = 1000  # features: from here on a matrix of them is too much


class Split(NamedTuple):
    """Training rows in their order with their coins, test rows, and a random_state for everything else."""

    X: Any
    y: NDArray[np.int64]
    coins: NDArray[np.float64]
    test_X: Any  # noqa: N815 - as scikit-learn has it
    test_y: NDArray[np.int64]
    random_state: int


class Entrant(NamedTuple):
    """An algorithm by its name in the catalog, with settings to try. Each measure chooses one of its own.

    Several entrants may have one `label`: a learner for each measure. `wide` replaces parameters where there are
    very many features.
    """

    label: str
    name: str
    measures: tuple[str, ...]
    settings: tuple[Mapping[str, Any], ...]
    wide: Mapping[str, Any] = {}

    def settings_for(self, features: int) -> list[dict[str, Any]]:
        """What is tried on a data set of so many features, each setting once."""
        others = self.wide if features > WIDE else {}
        return list({as_json({**one, **others}): {**one, **others} for one in self.settings}.values())


class Splitting(NamedTuple):
    """How many splits are reported, how many others tuned on, and at how many moments a pass is judged."""

    splits: int = 25
    tuning: int = 5
    random_state: int = 0
    points: int = 12

    def tuning_splits(self) -> range:
        """Those after the reported ones."""
        return range(self.splits, self.splits + self.tuning)


def run_splits(
    sets: Mapping[str, tuple[Any, Any]],
    entrants: Sequence[Entrant],
    plan: Splitting,
    **how: Any,
) -> list[Row]:
    """A row for every entrant, measure and split of every data set; the classes of a set are -1 and +1."""
    found = [prepared(name, *given) for name, given in sets.items()]
    cells = [(plan, entrant, data) for data in found for entrant in entrants]
    titles = [f"{entrant.label} on {data.name}" for _, entrant, data in cells]
    return rows_of(run_entrant, cells, titles, Spread(**how))


def prepared(name: str, X: Any, y: Any) -> Material:
    """A data set with a constant feature after the others, so that a hyperplane need not go through 0."""
    return material(name, sp.hstack([X, np.ones((X.shape[0], 1), DTYPE)], format="csr"), y, DTYPE)


def split(data: Material, random_state: int, number: int) -> Split:
    """Four fifths of the rows and the rest, by a permutation that random_state and number decide."""
    stream = shuffled(data, random_state, number)
    y, cut = stream.y.astype(np.int64), 4 * len(stream.y) // 5
    return Split(stream.X[:cut], y[:cut], stream.coins[:cut], stream.X[cut:], y[cut:], number)


def run_entrant(plan: Splitting, entrant: Entrant, data: Material, store: Store) -> list[Row]:
    """One algorithm on one data set: tuned, then run on every split."""
    settings = entrant.settings_for(data.X.shape[1])
    chosen = tuned(plan, entrant, data, store)
    key = ["splits", *key_of(plan, entrant, data), [as_json(settings[place]) for place in chosen]]
    rows = store.recall(key, lambda: _tested(plan, entrant, data, [settings[place] for place in chosen]))
    return [{**about(data), "algorithm": entrant.label, **row} for row in rows]


def about(data: Material) -> Row:
    """What a row says of its data set; the constant feature is not counted."""
    rows, features = data.X.shape
    return {"data": data.name, "rows": rows, "features": features - 1, "positives": int((data.y > 0).sum())}


def tuned(plan: Splitting, entrant: Entrant, data: Material, store: Store) -> list[int]:
    """The place of each measure's best setting, by its mean during the passes of the splits for tuning."""
    found: list[int] = store.recall(
        ["split tuning", *key_of(plan, entrant, data)], lambda: _tuned(plan, entrant, data)
    )
    return found


def key_of(plan: Splitting, entrant: Entrant, data: Material) -> list[Any]:
    """All that decides what comes of an entrant on a data set."""
    settings = [as_json(setting) for setting in entrant.settings_for(data.X.shape[1])]
    return [__version__, package_digest(), data.digest, entrant.name, entrant.measures, settings, *plan]


def _tuned(plan: Splitting, entrant: Entrant, data: Material) -> list[int]:
    settings = entrant.settings_for(data.X.shape[1])
    values = np.zeros((len(settings), len(entrant.measures)))
    for number in plan.tuning_splits():
        part = split(data, plan.random_state, number)
        for place, setting in enumerate(settings):
            trace = started(entrant.name, setting, part).run(part.X, part.y, coins=part.coins)
            values[place] += [
                judged(measure, part.y, trace.predictions, trace.scores) for measure in entrant.measures
            ]
    return [int(best) for best in np.argmax(values, axis=0)]


def _tested(plan: Splitting, entrant: Entrant, data: Material, chosen: Sequence[Mapping[str, Any]]) -> list[Row]:
    rows = []
    for number in range(plan.splits):
        part = split(data, plan.random_state, number)
        for measure, setting in zip(entrant.measures, chosen, strict=True):
            told = {"measure": measure, "split": number, "setting": as_json(setting)}
            rows.append({**told, **tested(started(entrant.name, setting, part), part, measure, plan.points)})
    return rows


def started(name: str, setting: Mapping[str, Any], part: Split) -> Learner:
    """A learner that has seen nothing yet."""
    return make(name, random_state=part.random_state, dtype=str(part.X.dtype), classes=[-1, 1], **setting)


def tested(learner: Learner, part: Split, measure: str, points: int) -> Row:
    """A pass, judged after each of some equal parts of it, and a test."""
    began = time.perf_counter()
    trace = learner.run(part.X, part.y, coins=part.coins)
    seconds = time.perf_counter() - began
    ends = [len(part.y) * (point + 1) // points for point in range(points)]
    curve = [judged(measure, part.y[:end], trace.predictions[:end], trace.scores[:end]) for end in ends]
    test = judged(measure, part.test_y, learner.predict(part.test_X), learner.decision_function(part.test_X))
    told = {"online": curve[-1], "test": test, "rounds": ends, "curve": curve}
    return {**told, "cost_error": _cost_error(learner, len(part.y)), "seconds": seconds}


def _cost_error(learner: Learner, rounds: int) -> float | None:
    """Of OMCSL, how far c₊ of the best members of the last rounds is from that of the best of all."""
    if not isinstance(learner, OMCSL):
        return None
    return abs(learner.recent_costs(min(LAST, rounds // 2))[0] - learner.cost_[0])


def values_of(rows: Sequence[Row], data: str, algorithm: str, measure: str, what: str) -> NDArray[np.float64]:
    """A column of some rows, in the order of the splits; of none, nothing."""
    return column(rows, what, data=data, algorithm=algorithm, measure=measure)
