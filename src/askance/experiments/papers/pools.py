"""Pools: learning curves of strategies that choose which rows to label next.

Seven tenths of the rows are for training, the others for the test. Some training rows of each class are labelled
from the start; the others are the pool. A linear SVM on the features that are not privileged is tested after every
ten labels. All strategies have the same splits. Settings are chosen by the mean of the curve on splits that are
not reported.
"""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.svm import LinearSVC

from askance import __version__
from askance._util.table_rows import Row
from askance.experiments.dataset import fingerprint
from askance.experiments.parallel import Execution, collect_rows
from askance.experiments.store import Store
from askance.experiments.sweep.plan import as_json
from askance.jit.source_digest import digest_of
from askance.pool import PoolLoop, Strategy
from askance.pool.views import AnyMatrix

MOSTLY_ZERO = 0.3


class Views(NamedTuple):
    """A data set with features, and privileged features that are available only during labelling."""

    name: str
    X: AnyMatrix
    privileged: AnyMatrix
    y: NDArray[np.int64]


class Family(NamedTuple):
    """Strategies, created from a random state and a setting; all share the best setting of the first."""

    members: Mapping[str, Callable[..., Strategy]]
    settings: tuple[Mapping[str, Any], ...] = ({},)


class PoolPlan(NamedTuple):
    """The numbers of reported and of tuning splits, the sizes of parts, and the number and size of questions."""

    splits: int = 10
    tuning: int = 2
    random_state: int = 0
    learned: float = 0.7
    seeds: float = 0.1
    batch: int = 10
    queries: int = 100
    penalties: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0, 100.0)


class PoolSplit(NamedTuple):
    """Training rows in both views, which of them are labelled from the start, and test rows."""

    X: AnyMatrix
    privileged: AnyMatrix
    y: NDArray[np.int64]
    seeds: NDArray[np.intp]
    test_X: AnyMatrix  # noqa: N815 - as in scikit-learn
    test_y: NDArray[np.int64]
    number: int


def split(data: Views, plan: PoolPlan, number: int) -> PoolSplit:
    """Return the split of this random state and number, with both views scaled by the training rows."""
    random = np.random.default_rng([plan.random_state, number])
    order = random.permutation(len(data.y))
    cut = round(plan.learned * len(data.y))
    rows, test = order[:cut], order[cut:]
    X, test_X = scaled(data.X[rows], data.X[test])
    privileged, _ = scaled(data.privileged[rows], data.privileged[test])
    y = data.y[rows]
    return PoolSplit(X, privileged, y, _seeds(y, round(plan.seeds * cut)), test_X, data.y[test], number)


def _seeds(y: NDArray[np.int64], count: int) -> NDArray[np.intp]:
    """Return the first rows of each class, in proportion to its share."""
    own = [np.flatnonzero(y == one) for one in np.unique(y)]
    return np.sort(np.concatenate([rows[: max(1, round(count * len(rows) / len(y)))] for rows in own]))


def scaled(X: AnyMatrix, test_X: AnyMatrix) -> tuple[AnyMatrix, AnyMatrix]:
    """Scale rows to length 1 if most numbers are 0, otherwise features to the same spread."""
    if sp.issparse(X) and X.nnz < MOSTLY_ZERO * X.shape[0] * X.shape[1]:
        return normalize(X), normalize(test_X)
    dense, test = (part.toarray() if sp.issparse(part) else part for part in (X, test_X))
    scaler = StandardScaler().fit(dense)
    length = np.sqrt(X.shape[1])
    return scaler.transform(dense) / length, scaler.transform(test) / length


def run_contest(
    sets: Mapping[str, Views],
    families: Sequence[Family],
    plan: PoolPlan,
    **how: Any,
) -> list[Row]:
    """Return one row per data set, strategy and split."""
    cells = [(plan, family, data) for data in sets.values() for family in families]
    titles = [f"{', '.join(family.members)} on {data.name}" for _, family, data in cells]
    return collect_rows(run_family, cells, titles, Execution(**how))


def run_family(plan: PoolPlan, family: Family, data: Views, store: Store) -> list[Row]:
    """Tune the first strategy on one data set, then run each on every split."""
    prints = [fingerprint(view, data.y) for view in (data.X, data.privileged)]
    key = [__version__, digest_of("pool/**/*.py"), *prints, *plan]
    C = store.recall(["pool penalty", *key], lambda: best_penalty(plan, data))
    first = next(iter(family.members))
    key += [C, [as_json(setting) for setting in family.settings]]
    place = store.recall(["pool tuned", *key, first], lambda: _tuned(plan, family.members[first], family, data, C))
    setting, rows = family.settings[place], []
    about = {"data": data.name, "rows": len(data.y), "features": data.X.shape[1]}
    about |= {"privileged": data.privileged.shape[1], "classes": len(np.unique(data.y))}
    for label, make in family.members.items():
        found = store.recall(["pool", *key, place, label], partial(_followed, plan, make, data, C, setting))
        rows += [{**about, "algorithm": label, **row} for row in found]
    return rows


def best_penalty(plan: PoolPlan, data: Views) -> float:
    """Return the best C of the tested SVM, trained on the seeds and as many more rows as will be asked for."""
    parts = [split(data, plan, number) for number in _tuning_splits(plan)]
    means = [
        np.mean([tested(part, np.arange(min(len(part.seeds) + plan.queries, len(part.y))), C) for part in parts])
        for C in plan.penalties
    ]
    return plan.penalties[int(np.argmax(means))]


def tested(part: PoolSplit, rows: NDArray[np.intp], C: float) -> float:
    """Return the accuracy, in per cent, of a linear SVM trained on some rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        svm = LinearSVC(C=C, random_state=0).fit(part.X[rows], part.y[rows])
    return 100 * float(svm.score(part.test_X, part.test_y))


def follow(strategy: Strategy, part: PoolSplit, plan: PoolPlan, C: float) -> tuple[list[float], float]:
    """Return the accuracy before the first question and after each, and the mean seconds per question."""
    known = dict(zip(part.seeds.tolist(), part.y[part.seeds].tolist(), strict=True))
    loop = PoolLoop(strategy, part.X, known, privileged=part.privileged, batch=plan.batch, queries=plan.queries)
    curve = [tested(part, part.seeds, C)]
    began, spent = time.perf_counter(), 0.0
    for question in loop:
        spent += time.perf_counter() - began
        rows, _ = loop.tell(question.rows, part.y[question.rows]).labelled()
        curve.append(tested(part, rows, C))
        began = time.perf_counter()
    return curve, spent / (len(curve) - 1)


def _tuning_splits(plan: PoolPlan) -> range:
    return range(plan.splits, plan.splits + plan.tuning)


def _tuned(plan: PoolPlan, make: Callable[..., Strategy], family: Family, data: Views, C: float) -> int:
    """Return the index of the best setting, by the mean of its curves on the tuning splits."""
    if len(family.settings) == 1:
        return 0
    parts = [split(data, plan, number) for number in _tuning_splits(plan)]
    means = [
        np.mean([follow(make(part.number, **setting), part, plan, C)[0] for part in parts])
        for setting in family.settings
    ]
    return int(np.argmax(means))


def _followed(
    plan: PoolPlan, make: Callable[..., Strategy], data: Views, C: float, setting: Mapping[str, Any]
) -> list[Row]:
    rows = []
    for number in range(plan.splits):
        curve, seconds = follow(make(number, **setting), split(data, plan, number), plan, C)
        run = {"split": number, "curve": curve, "mean": float(np.mean(curve[1:])), "seconds": seconds}
        rows.append({**run, "batch": plan.batch, "C": C, "setting": as_json(setting)})
    return rows
