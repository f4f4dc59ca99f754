"""Pools: learning curves of strategies that choose which rows to label next.

Seven tenths of the rows are to learn from, the others for the test. Of the former, some of each class have labels
from the start; the others are the pool. A linear SVM on the features that are not privileged is tested after every
ten labels. Everyone has the same splits. Settings are chosen by the mean of the curve on splits not reported.
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
from askance.experiments.dataset import fingerprint
from askance.experiments.parallel import Spread, rows_of
from askance.experiments.store import Store
from askance.experiments.sweep.plan import as_json
from askance.experiments.table_rows import Row
from askance.jit.source_digest import digest_of
from askance.pool import PoolLoop, Strategy
from askance.pool.views import AnyMatrix

MOSTLY_ZERO = 0.3


class Views(NamedTuple):
    """Rows of a data set as seen twice: the features, and those that only the labelling sees."""

    name: str
    X: AnyMatrix
    privileged: AnyMatrix
    y: NDArray[np.int64]


class Family(NamedTuple):
    """Strategies made of a random_state and a setting; all share the setting that is best for the first."""

    members: Mapping[str, Callable[..., Strategy]]
    settings: tuple[Mapping[str, Any], ...] = ({},)


class Contest(NamedTuple):
    """How many splits are reported and tuned on, how large the parts are, and how often how much is asked."""

    splits: int = 10
    tuning: int = 2
    random_state: int = 0
    learned: float = 0.7
    seeds: float = 0.1
    batch: int = 10
    queries: int = 100
    penalties: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0, 100.0)


class Split(NamedTuple):
    """Rows to learn from in both views, which of them have labels from the start, and rows for the test."""

    X: AnyMatrix
    privileged: AnyMatrix
    y: NDArray[np.int64]
    seeds: NDArray[np.intp]
    test_X: AnyMatrix  # noqa: N815 - as scikit-learn has it
    test_y: NDArray[np.int64]
    number: int


def split(data: Views, plan: Contest, number: int) -> Split:
    """A split that random_state and number decide, with both views scaled by the rows to learn from."""
    random = np.random.default_rng([plan.random_state, number])
    order = random.permutation(len(data.y))
    cut = round(plan.learned * len(data.y))
    rows, test = order[:cut], order[cut:]
    X, test_X = scaled(data.X[rows], data.X[test])
    privileged, _ = scaled(data.privileged[rows], data.privileged[test])
    y = data.y[rows]
    return Split(X, privileged, y, _seeds(y, round(plan.seeds * cut)), test_X, data.y[test], number)


def _seeds(y: NDArray[np.int64], count: int) -> NDArray[np.intp]:
    """The first rows of each class, as many of each as its share."""
    own = [np.flatnonzero(y == one) for one in np.unique(y)]
    return np.sort(np.concatenate([rows[: max(1, round(count * len(rows) / len(y)))] for rows in own]))


def scaled(X: AnyMatrix, test_X: AnyMatrix) -> tuple[AnyMatrix, AnyMatrix]:
    """Rows of length 1 if most numbers are 0, or else features of one spread, so that rows have about length 1."""
    if sp.issparse(X) and X.nnz < MOSTLY_ZERO * X.shape[0] * X.shape[1]:
        return normalize(X), normalize(test_X)
    dense, test = (part.toarray() if sp.issparse(part) else part for part in (X, test_X))
    scaler = StandardScaler().fit(dense)
    length = np.sqrt(X.shape[1])
    return scaler.transform(dense) / length, scaler.transform(test) / length


def run_contest(
    sets: Mapping[str, Views],
    families: Sequence[Family],
    plan: Contest,
    **how: Any,
) -> list[Row]:
    """A row for every strategy and split of every data set."""
    cells = [(plan, family, data) for data in sets.values() for family in families]
    titles = [f"{', '.join(family.members)} on {data.name}" for _, family, data in cells]
    return rows_of(run_family, cells, titles, Spread(**how))


def run_family(plan: Contest, family: Family, data: Views, store: Store) -> list[Row]:
    """Strategies on one data set: the first tuned, then each followed on every split."""
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


def best_penalty(plan: Contest, data: Views) -> float:
    """C of the SVM that is tested: the best one for the seeds and as many more rows as will be asked for."""
    parts = [split(data, plan, number) for number in _tuning_splits(plan)]
    means = [
        np.mean([tested(part, np.arange(min(len(part.seeds) + plan.queries, len(part.y))), C) for part in parts])
        for C in plan.penalties
    ]
    return plan.penalties[int(np.argmax(means))]


def tested(part: Split, rows: NDArray[np.intp], C: float) -> float:
    """The accuracy, in per cent, of a linear SVM that knows the labels of some rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        svm = LinearSVC(C=C, random_state=0).fit(part.X[rows], part.y[rows])
    return 100 * float(svm.score(part.test_X, part.test_y))


def follow(strategy: Strategy, part: Split, plan: Contest, C: float) -> tuple[list[float], float]:
    """The accuracy before the first question and after each, and the mean seconds that a question took."""
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


def _tuning_splits(plan: Contest) -> range:
    return range(plan.splits, plan.splits + plan.tuning)


def _tuned(plan: Contest, make: Callable[..., Strategy], family: Family, data: Views, C: float) -> int:
    """The place of the best setting, by the mean of its curves on the splits for tuning."""
    if len(family.settings) == 1:
        return 0
    parts = [split(data, plan, number) for number in _tuning_splits(plan)]
    means = [
        np.mean([follow(make(part.number, **setting), part, plan, C)[0] for part in parts])
        for setting in family.settings
    ]
    return int(np.argmax(means))


def _followed(
    plan: Contest, make: Callable[..., Strategy], data: Views, C: float, setting: Mapping[str, Any]
) -> list[Row]:
    rows = []
    for number in range(plan.splits):
        curve, seconds = follow(make(number, **setting), split(data, plan, number), plan, C)
        told = {"split": number, "curve": curve, "mean": float(np.mean(curve[1:])), "seconds": seconds}
        rows.append({**told, "batch": plan.batch, "C": C, "setting": as_json(setting)})
    return rows
