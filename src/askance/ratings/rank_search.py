"""ARSS: the rank grows until ratings that were held back are no longer told better."""

from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.ratings.conjugate_gradient import Iterate, begun, better_thresholds, iterates
from askance.ratings.errors import rmse
from askance.ratings.manifold import Numbers, Point, nothing
from askance.ratings.model import Factors
from askance.ratings.problem import Problem
from askance.ratings.rank_growth import grown

FIRST_THRESHOLDS = 30  # steps of thresholds alone, before there is anything else
SAME = 1e-6  # a relative change that is none


class Plan(NamedTuple):
    """How to search, and when to stop."""

    rank: int | None  # None: as large as it should be
    growth: int  # ϱ, how many ranks at a time
    most: int  # the largest rank to try
    tol: float
    max_iter: int  # at each rank
    patience: int  # iterations without a better validation before a rank is given up
    rank_tol: float  # ε of eq. 2.15
    random_state: int


class Stage(NamedTuple):
    """What came of a rank."""

    rank: int
    objective: float
    rmse: float  # of the ratings held back; NaN if there are none
    iterations: int


class State(NamedTuple):
    """A search under way: all that is needed to go on with it."""

    now: Iterate
    best: Iterate
    rmse: float  # of `now`
    best_rmse: float
    iteration: int  # at this rank
    waited: int  # iterations since this rank was best
    stage_rmse: float  # the best at this rank
    path: tuple[Stage, ...]


class Held(NamedTuple):
    """Ratings that are held back, to judge by."""

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    levels: NDArray[np.uint8]
    values: Numbers  # the rating of each level

    def away(self, point: Point, thresholds: Numbers) -> Numbers:
        """θ_z - score of each rating."""
        return Factors.of(point, thresholds).away(self.users, self.items)

    def rmse(self, point: Point, thresholds: Numbers) -> float:
        """The error of the ordinal ratings; NaN if none are held back."""
        if not len(self.users):
            return float("nan")
        told = np.sum(self.away(point, thresholds) <= 0, axis=1)
        return rmse(self.values[told], self.values[self.levels])


def search(problem: Problem, held: Held, plan: Plan, state: State | None = None) -> Iterator[State]:
    """The states of a search, one an iteration, from the beginning or on from `state`."""
    if state is None:
        state = _beginning(problem, held)
    else:
        problem.look_at(state.now.point)
        problem.settle(state.now.thresholds)
    yield state
    while True:
        if state.path[-1].rank < state.now.point.rank:  # at a rank that is not done
            state = yield from _at_this_rank(problem, held, plan, state)
            yield state
        following = None if _is_enough(state, plan) else _at_next_rank(problem, held, plan, state)
        if following is None:
            return
        state = following
        yield state


def is_flat(now: Iterate, tol: float, ratings: int) -> bool:
    """Whether both gradients are below tolerance for so many ratings, of which each has a slope of about 1."""
    return now.steepness <= tol * np.sqrt(ratings) and now.threshold_steepness <= tol * ratings


def _beginning(problem: Problem, held: Held) -> State:
    """X = 0, with the best thresholds for it."""
    point, thresholds = nothing(problem.observed.users, problem.observed.width), problem.first_thresholds()
    problem.look_at(point)
    loss = problem.losses(thresholds)
    for _ in range(FIRST_THRESHOLDS):
        before = loss.values.sum()
        thresholds, loss = better_thresholds(problem, thresholds, loss)
        if loss.values.sum() >= before * (1 - SAME):
            break
    now = begun(problem, point, thresholds)
    error = held.rmse(point, thresholds)
    return State(now, now, error, error, 0, 0, error, (Stage(0, now.value, error, 0),))


def _at_next_rank(problem: Problem, held: Held, plan: Plan, state: State) -> State | None:
    """The state at the warm start of a larger rank; None if no direction leads down."""
    rank = state.now.point.rank
    by = plan.rank - rank if plan.rank else min(plan.growth, plan.most - rank)
    point = grown(problem, state.now, by, np.random.default_rng([plan.random_state, rank]))
    if point is None:
        return None
    now = begun(problem, point, state.now.thresholds)
    begun_here = state._replace(iteration=-1, waited=0, stage_rmse=float("nan"))
    return _moved(begun_here, now, held.rmse(point, now.thresholds))


def _at_this_rank(problem: Problem, held: Held, plan: Plan, state: State) -> Generator[State, None, State]:
    """The iterations at one rank; returns the state with the rank added to its path."""
    if not _is_done(problem, plan, state):
        for now in iterates(problem, state.now):
            state = _moved(state, now, held.rmse(now.point, now.thresholds))
            yield state
            if _is_done(problem, plan, state):
                break
    stage = Stage(state.now.point.rank, state.now.value, state.stage_rmse, state.iteration)
    return state._replace(path=(*state.path, stage))


def _moved(state: State, now: Iterate, error: float) -> State:
    """The state after an iteration. Without ratings held back, the last iterate is the best."""
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


def _is_done(problem: Problem, plan: Plan, state: State) -> bool:
    """Whether there is nothing more to do at this rank."""
    flat = is_flat(state.now, plan.tol, problem.observed.size)
    return flat or state.iteration >= plan.max_iter or state.waited >= plan.patience


def _is_enough(state: State, plan: Plan) -> bool:
    """Whether the rank need not grow further: eq. 2.15, or the ratings held back."""
    if plan.rank is not None or len(state.path) < 2:
        return len(state.path) >= 2
    before, last = state.path[-2:]
    gain = (before.objective - last.objective) / ((last.rank - before.rank) * before.objective)
    worse = not np.isnan(last.rmse) and state.best.point.rank < last.rank
    return worse or gain <= plan.rank_tol or last.rank >= plan.most
