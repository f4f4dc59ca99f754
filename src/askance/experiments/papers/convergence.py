"""Convergence of rating factorisations: the objective by iteration and time, and the final errors."""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from askance._util.table_rows import Row
from askance.experiments.papers.ratings import RatingsMethod, RatingsPlan, key_of, warm_up
from askance.experiments.parallel import Execution, collect_rows
from askance.experiments.store import Store
from askance.ratings import MaxMarginFactorization
from askance.ratings.model import rmse
from askance.ratings.synthetic import SyntheticRatings


def run_convergence(
    sets: Mapping[str, SyntheticRatings],
    lines: Mapping[str, Sequence[RatingsMethod]],
    plan: RatingsPlan,
    **how: Any,
) -> list[Row]:
    """Return one row per data set, method and split."""
    cells = [(plan, line, data, sets[data]) for data in sets for line in lines[data]]
    titles = [f"{line.label} on {data}" for _, line, data, _ in cells]
    return collect_rows(run_line, cells, titles, Execution(**how))


def run_line(
    plan: RatingsPlan, line: RatingsMethod, data: str, source: SyntheticRatings, store: Store
) -> list[Row]:
    """Run one method on all splits, without held-out ratings, so that the objective covers all of them."""
    warm_up()
    rank = source.rank if line.rank_given else "auto"
    parameters = {**line.parameters, "rank": rank, "tol": plan.tol, "validation_fraction": 0.0}
    rows = []
    for number in range(plan.splits):
        key = ["descent", *key_of(source), plan.random_state, number, parameters]
        row = store.recall(key, partial(_fitted, source, (plan.random_state, number), parameters))
        rows.append({"data": data, "algorithm": line.label, "split": number, **row})
    return rows


def _fitted(source: SyntheticRatings, random_state: tuple[int, int], parameters: Mapping[str, Any]) -> Row:
    """Fit once. Objectives are relative to that at X = 0 with the best thresholds for it."""
    part = source.part(*random_state)
    moments: list[float] = []

    def watch(_done: int, _total: int | None, _what: str) -> None:
        moments.append(time.perf_counter() - began)

    began = time.perf_counter()
    model = MaxMarginFactorization(n_jobs=1, watch=watch, **parameters).fit(*part.learned)
    seen: dict[tuple[int, int], tuple[float, float]] = {}
    for step, moment in zip(model.steps_, moments, strict=True):
        seen.setdefault((step.rank, step.iteration), (step.objective, moment))  # the last of a rank comes twice
    start = model.path_[0].objective
    return {
        "learned_rmse": rmse(model.predict(*part.learned[:2]), part.learned.ratings),
        "tested_rmse": rmse(model.predict(*part.tested[:2]), part.tested.ratings),
        "rank": int(model.rank_),
        "objective": [objective / start for objective, _ in seen.values()],
        "seconds": [seconds for _, seconds in seen.values()],
    }
