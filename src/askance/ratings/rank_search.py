"""ARSS: the rank grows until the error on validation ratings no longer decreases."""

from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.ratings.conjugate_gradient import Iterate, begun, better_thresholds, iterates
from askance.ratings.manifold import LowRankPoint, nothing
from askance.ratings.model import Factors, rmse
from askance.ratings.problem import RatingProblem
from askance.ratings.rank_growth import grown
from askance.typing import FloatArray

FIRST_THRESHOLDS = 30  # steps of the thresholds alone, at X = 0
SAME = 1e-6  # relative changes below this count as none


class SearchPlan(NamedTuple):
    """How to search, and when to stop."""

    rank: int | None  # None: choose it automatically
    growth: int  # ϱ, the increase of the rank per stage
    most: int  # the largest rank to try
    tol: float
    max_iter: int  # at each rank
    patience: int  # iterations without a better validation error before the stage ends
    rank_tol: float  # ε of eq. 2.15
    random_state: int


class Stage(NamedTuple):
    """The result of the search at one rank.

    Attributes
    ----------
    rank : int
        The rank.
    objective : float
        The objective after the last iteration at this rank.
    rmse : float
        RMSE on the validation ratings; NaN if there are none.
    iterations : int
        Number of iterations at this rank.
    """

    rank: int
    objective: float
    rmse: float
    iterations: int


class SearchState(NamedTuple):
    """The state of a search: all that is needed to resume it."""

    now: Iterate
    best: Iterate
    rmse: float  # at `now`
    best_rmse: float
    iteration: int  # at this rank
    waited: int  # iterations since the best one at this rank
    stage_rmse: float  # the best at this rank
    path: tuple[Stage, ...]


class ValidationRatings(NamedTuple):
    """Ratings that are not trained on, to choose the rank and to calibrate."""

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    levels: NDArray[np.uint8]
    values: FloatArray  # the rating of each level

    def away(self, point: LowRankPoint, thresholds: FloatArray) -> FloatArray:
        """θ_z - score for each rating."""
        return Factors.of(point, thresholds).away(self.users, self.items)

    def rmse(self, point: LowRankPoint, thresholds: FloatArray) -> float:
        """RMSE of ordinal predictions; NaN if there are no validation ratings."""
        if not len(self.users):
            return float("nan")
        predicted = np.sum(self.away(point, thresholds) <= 0, axis=1)
        return rmse(self.values[predicted], self.values[self.levels])


def search(
    problem: RatingProblem, validation: ValidationRatings, plan: SearchPlan, state: SearchState | None = None
) -> Iterator[SearchState]:
    """The states of a search, one per iteration, from the start or from `state`."""
    if state is None:
        state = _beginning(problem, validation)
    else:
        problem.set_point(state.now.point)
        problem.update_derivatives(state.now.thresholds)
    yield state
    while True:
        if state.path[-1].rank < state.now.point.rank:  # the current rank is not complete
            state = yield from _at_this_rank(problem, validation, plan, state)
            yield state
        following = None if _is_enough(state, plan) else _at_next_rank(problem, validation, plan, state)
        if following is None:
            return
        state = following
        yield state


def is_flat(now: Iterate, tol: float, ratings: int) -> bool:
    """Whether both gradients are below tolerance, which grows with the number of ratings."""
    return now.steepness <= tol * np.sqrt(ratings) and now.threshold_steepness <= tol * ratings


def _beginning(problem: RatingProblem, validation: ValidationRatings) -> SearchState:
    """The state at X = 0 with the best thresholds for it."""
    point, thresholds = nothing(problem.observed.n_users, problem.observed.n_items), problem.first_thresholds()
    problem.set_point(point)
    loss = problem.losses(thresholds)
    for _ in range(FIRST_THRESHOLDS):
        before = loss.values.sum()
        thresholds, loss = better_thresholds(problem, thresholds, loss)
        if loss.values.sum() >= before * (1 - SAME):
            break
    now = begun(problem, point, thresholds)
    error = validation.rmse(point, thresholds)
    return SearchState(now, now, error, error, 0, 0, error, (Stage(0, now.value, error, 0),))


def _at_next_rank(
    problem: RatingProblem, validation: ValidationRatings, plan: SearchPlan, state: SearchState
) -> SearchState | None:
    """The state at the warm start of a larger rank; None if the objective cannot be decreased."""
    rank = state.now.point.rank
    by = plan.rank - rank if plan.rank else min(plan.growth, plan.most - rank)
    point = grown(problem, state.now, by, np.random.default_rng([plan.random_state, rank]))
    if point is None:
        return None
    now = begun(problem, point, state.now.thresholds)
    begun_here = state._replace(iteration=-1, waited=0, stage_rmse=float("nan"))
    return _moved(begun_here, now, validation.rmse(point, now.thresholds))


def _at_this_rank(
    problem: RatingProblem, validation: ValidationRatings, plan: SearchPlan, state: SearchState
) -> Generator[SearchState, None, SearchState]:
    """Iterate at one rank; returns the state with this stage added to its path."""
    if not _is_done(problem, plan, state):
        for now in iterates(problem, state.now):
            state = _moved(state, now, validation.rmse(now.point, now.thresholds))
            yield state
            if _is_done(problem, plan, state):
                break
    stage = Stage(state.now.point.rank, state.now.value, state.stage_rmse, state.iteration)
    return state._replace(path=(*state.path, stage))


def _moved(state: SearchState, now: Iterate, error: float) -> SearchState:
    """The state after an iteration. Without validation ratings, the last iterate is the best."""
    is_best = not error >= state.best_rmse
    is_best_here = not error >= state.stage_rmse
    return state._replace(
        now=now,
        rmse=error,
        iteration=state.iteration + 1,
        best=now if is_best else state.best,
        best_rmse=error if is_best else state.best_rmse,
        waited=0 if is_best_here else state.waited + 1,
        stage_rmse=error if is_best_here else state.stage_rmse,
    )


def _is_done(problem: RatingProblem, plan: SearchPlan, state: SearchState) -> bool:
    """Whether the iterations at this rank are complete."""
    flat = is_flat(state.now, plan.tol, problem.observed.n_ratings)
    return flat or state.iteration >= plan.max_iter or state.waited >= plan.patience


def _is_enough(state: SearchState, plan: SearchPlan) -> bool:
    """Whether the rank stops growing, by eq. 2.15 or by the validation error."""
    if plan.rank is not None or len(state.path) < 2:
        return len(state.path) >= 2
    before, last = state.path[-2:]
    gain = (before.objective - last.objective) / ((last.rank - before.rank) * before.objective)
    worse = not np.isnan(last.rmse) and state.best.point.rank < last.rank
    return worse or gain <= plan.rank_tol or last.rank >= plan.most
