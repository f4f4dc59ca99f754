"""Ratings: a part is for training and the rest for the test, or both are generated again for each split.

All methods have the same splits. The regularisation is chosen by the error on a split that is not reported.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance import __version__
from askance._util.table_rows import Row
from askance.data.rating_columns import Triplets
from askance.experiments.dataset import fingerprint
from askance.experiments.parallel import Execution, collect_rows
from askance.experiments.store import Store
from askance.jit.source_digest import digest_of
from askance.ratings import MaxMarginFactorization
from askance.ratings.model import rmse
from askance.ratings.synthetic import RatingSplit, SyntheticRatings

TEST = 0.2
FEW_USERS = 60
TINY = SyntheticRatings(users=60, items=60, rank=3)


class Rated(NamedTuple):
    """Ratings of users; a random fifth of them is the test part."""

    users: NDArray[Any]
    items: NDArray[Any]
    ratings: NDArray[Any]

    def part(self, *random_state: int) -> RatingSplit:
        """Return the split of this random state."""
        order = np.random.default_rng(random_state).permutation(len(self.ratings))
        cut = round(TEST * len(order))
        return RatingSplit(*(Triplets(*(column[own] for column in self)) for own in (order[cut:], order[:cut])))


Source = SyntheticRatings | Rated


class RatingsMethod(NamedTuple):
    """Parameters of a factorisation; with `rank_given`, the rank is the true one or that of the first method."""

    label: str
    parameters: Mapping[str, Any]
    rank_given: bool = False


class RatingsPlan(NamedTuple):
    """The number of reported splits, the random state, and the tolerance of fits."""

    splits: int = 10
    random_state: int = 0
    tol: float = 1e-3


class RatingsTask(NamedTuple):
    """A data set, the values of λ to try on it, and the number of splits."""

    name: str
    source: Source
    grid: tuple[float, ...]
    splits: int


def run_ratings(
    tasks: Sequence[RatingsTask], methods: Sequence[RatingsMethod], plan: RatingsPlan, **how: Any
) -> list[Row]:
    """Return one row per data set, method and split."""
    cells = [(plan._replace(splits=task.splits), methods, task) for task in tasks]
    return collect_rows(run_task, cells, [task.name for task in tasks], Execution(**how))


def run_task(plan: RatingsPlan, methods: Sequence[RatingsMethod], task: RatingsTask, store: Store) -> list[Row]:
    """Tune each method on one data set, then fit it to every split; every fit is stored at once."""
    warm_up()
    key = ["rated", *key_of(task.source), plan.random_state, plan.tol]
    true_rank = task.source.rank if isinstance(task.source, SyntheticRatings) else None
    ranks: dict[int, int] = {}
    rows = []

    def fit(method: RatingsMethod, regularization: float, number: int) -> Row:
        rank = (true_rank or max(1, ranks[number])) if method.rank_given else "auto"  # 0 is not allowed
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
            run = {"data": task.name, "algorithm": method.label, "split": number, "regularization": best}
            rows.append({**run, **row})
    return rows


def key_of(source: Source) -> list[Any]:
    """Return everything that a fit depends on, apart from its parameters."""
    sources = digest_of("ratings/*.py", "jit/kernels/rating_*.py")
    if isinstance(source, SyntheticRatings):
        return [__version__, sources, *source]
    return [__version__, sources, fingerprint(np.column_stack([source.users, source.items]), source.ratings)]


def tiny(problem: SyntheticRatings) -> SyntheticRatings:
    """Return a tiny data set of the same kind."""
    return TINY._replace(levels=problem.levels)


def reduced(source: Source) -> Source:
    """Return a tiny data set of the same kind, or the ratings of a few users."""
    if isinstance(source, SyntheticRatings):
        return tiny(source)
    own = np.isin(source.users, np.unique(source.users)[:FEW_USERS])
    return Rated(*(column[own] for column in source))


def warm_up() -> None:
    """Fit a tiny data set, so that times do not include loading and compiling code."""
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
