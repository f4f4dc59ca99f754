"""Ratings: a part is learned from, the rest is for the test, or they are made up anew for each split.

Everyone has the same splits. The regularisation is chosen by the error on a split that is not reported.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance import __version__
from askance.data.rating_columns import Triplets
from askance.experiments.dataset import fingerprint
from askance.experiments.parallel import Spread, rows_of
from askance.experiments.store import Store
from askance.experiments.table_rows import Row
from askance.jit.source_digest import digest_of
from askance.ratings import MaxMarginFactorization
from askance.ratings.model import rmse
from askance.ratings.synthetic import RatingSplit, SyntheticRatings

TEST = 0.2
FEW_USERS = 60
TINY = SyntheticRatings(users=60, items=60, rank=3)


class Rated(NamedTuple):
    """Ratings that users gave; a random fifth of them is for the test."""

    users: NDArray[Any]
    items: NDArray[Any]
    ratings: NDArray[Any]

    def part(self, *random_state: int) -> RatingSplit:
        """A split that the random_state decides."""
        order = np.random.default_rng(random_state).permutation(len(self.ratings))
        cut = round(TEST * len(order))
        return RatingSplit(*(Triplets(*(column[own] for column in self)) for own in (order[cut:], order[:cut])))


Source = SyntheticRatings | Rated


class Method(NamedTuple):
    """Parameters of a factorisation; with `rank_given`, the rank is the true one or that which the first found."""

    label: str
    parameters: Mapping[str, Any]
    rank_given: bool = False


class Rounds(NamedTuple):
    """How many splits are reported, the random_state, and when gradients are flat enough."""

    splits: int = 10
    random_state: int = 0
    tol: float = 1e-3


class Task(NamedTuple):
    """A data set with what is to be tried on it."""

    name: str
    source: Source
    grid: tuple[float, ...]
    splits: int


def run_rated(tasks: Sequence[Task], methods: Sequence[Method], plan: Rounds, **how: Any) -> list[Row]:
    """A row for every method and split of every data set."""
    cells = [(plan._replace(splits=task.splits), methods, task) for task in tasks]
    return rows_of(run_task, cells, [task.name for task in tasks], Spread(**how))


def run_task(plan: Rounds, methods: Sequence[Method], task: Task, store: Store) -> list[Row]:
    """One data set: each method tuned, then fitted to every split; every fit is kept at once."""
    warm_up()
    key = ["rated", *key_of(task.source), plan.random_state, plan.tol]
    true_rank = task.source.rank if isinstance(task.source, SyntheticRatings) else None
    ranks: dict[int, int] = {}
    rows = []

    def fit(method: Method, regularization: float, number: int) -> Row:
        rank = (true_rank or max(1, ranks[number])) if method.rank_given else "auto"  # 0 cannot be given
        parameters = {**method.parameters, "regularization": regularization, "tol": plan.tol, "rank": rank}
        work = [*key, number, parameters]
        row: Row = store.recall(work, lambda: _fitted(task.source.part(plan.random_state, number), parameters))
        return row

    for method in methods:
        tried = {value: fit(method, value, plan.splits) for value in task.grid}
        best = min(task.grid, key=lambda value: tried[value]["rmse"])
        ranks.setdefault(plan.splits, tried[best]["rank"])
        for number in range(plan.splits):
            row = fit(method, best, number)
            ranks.setdefault(number, row["rank"])
            told = {"data": task.name, "algorithm": method.label, "split": number, "regularization": best}
            rows.append({**told, **row})
    return rows


def key_of(source: Source) -> list[Any]:
    """What a fit to a source depends on besides its parameters."""
    sources = digest_of("ratings/*.py", "jit/kernels/rating_*.py")
    if isinstance(source, SyntheticRatings):
        return [__version__, sources, *source]
    return [__version__, sources, fingerprint(np.column_stack([source.users, source.items]), source.ratings)]


def tiny(problem: SyntheticRatings) -> SyntheticRatings:
    """One of the same kind for a quick look."""
    return TINY._replace(levels=problem.levels)


def reduced(source: Source) -> Source:
    """A tiny one of the same kind, or the ratings of a few users."""
    if isinstance(source, SyntheticRatings):
        return tiny(source)
    own = np.isin(source.users, np.unique(source.users)[:FEW_USERS])
    return Rated(*(column[own] for column in source))


def warm_up() -> None:
    """A tiny fit, so that no time is measured in which code is loaded or compiled."""
    MaxMarginFactorization(n_jobs=1).fit(*TINY.part(0).learned)


def _fitted(part: RatingSplit, parameters: Mapping[str, Any]) -> Row:
    began = time.perf_counter()
    model = MaxMarginFactorization(n_jobs=1, **parameters).fit(*part.learned)
    seconds = time.perf_counter() - began
    users, items, ratings = part.tested
    return {
        "users": len(model.users_),
        "items": len(model.items_),
        "learned": len(part.learned.ratings),
        "tested": len(ratings),
        "rmse": rmse(model.predict(users, items), ratings),
        "expected": rmse(model.predict_expected(users, items), ratings),
        "rank": int(model.rank_),
        "seconds": seconds,
    }
