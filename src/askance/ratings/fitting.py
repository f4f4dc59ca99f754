"""A whole fit: a search with ratings held back, a calibration by them, and a last descent with all ratings."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from askance.ratings.biases import Leanings
from askance.ratings.calibration import Calibration, Evidence, calibrated
from askance.ratings.checkpoint import Checkpoint
from askance.ratings.conjugate_gradient import Iterate, begun, iterates
from askance.ratings.errors import rmse
from askance.ratings.manifold import Numbers, Point
from askance.ratings.observed import Observed
from askance.ratings.problem import Problem, Settings
from askance.ratings.rank_search import Held, Plan, Stage, is_flat, search

LEARNED_ENOUGH = 50_000  # ratings to calibrate by where none are held back


class Progress(NamedTuple):
    """Where a fit is."""

    phase: str  # "search", perhaps with ratings held back, or "fit", with all
    rank: int
    iteration: int  # at this rank
    objective: float
    rmse: float  # of the ordinal ratings held back; NaN if there are none
    gradient: float  # relative to the tolerance: at 1 or less it is flat enough


class Fitted(NamedTuple):
    """What a fit has found."""

    point: Point
    thresholds: Numbers
    objective: float
    iterations: int
    path: tuple[Stage, ...]
    calibration: Calibration
    leanings: Leanings
    rmse: float  # of the ordinal ratings held back
    expected_rmse: float  # of the expected ones; of those learned from, if none are held back


Watch = Callable[[Progress], None]


def fitted(
    observed: Observed,
    levels: Numbers,
    settings: Settings,
    plan: Plan,
    held_back: float,
    threads: int,
    watch: Watch,
    file: Checkpoint,
) -> Fitted:
    """Fit to the ratings observed, on from where the file is, if it is anywhere."""
    part, held = _split(observed, levels, held_back, plan.random_state)
    problem = Problem(part, len(levels), settings, threads)
    state, last = file.resumed()
    if last is None:
        for state in search(problem, held, plan, state):  # noqa: B020 - on from that state
            watch(_progress("search", problem, plan, state.now, state.iteration, state.rmse))
            file.keep(state, None)
    assert state is not None
    judges = held if len(held.users) else _some(observed, levels)
    calibration, expected_rmse = _calibration(judges, state.best, Leanings.of(part, levels))
    now, iteration = state.best, state.iteration
    if part is not observed:
        del problem, part
        problem = Problem(observed, len(levels), settings, threads)
        start = last or (begun(problem, state.best.point, state.best.thresholds), 0)
        now, iteration = start
        for now, iteration in _descent(problem, plan, *start):
            watch(_progress("fit", problem, plan, now, iteration, state.best_rmse))
            file.keep(state, (now, iteration))
    return Fitted(
        now.point,
        now.thresholds,
        now.value,
        iteration,
        state.path,
        calibration,
        Leanings.of(observed, levels),
        state.best_rmse,
        expected_rmse,
    )


def _descent(problem: Problem, plan: Plan, now: Iterate, iteration: int) -> Iterator[tuple[Iterate, int]]:
    """The iterations of a descent at one rank."""
    problem.look_at(now.point)
    problem.settle(now.thresholds)
    following = iterates(problem, now)
    while iteration < plan.max_iter and not is_flat(now, plan.tol, problem.observed.size):
        found = next(following, None)
        if found is None:
            return
        now, iteration = found, iteration + 1
        yield now, iteration


def _split(observed: Observed, levels: Numbers, held_back: float, random_state: int) -> tuple[Observed, Held]:
    """Ratings to learn from, and those held back, drawn at random."""
    chosen = np.random.default_rng(random_state).random(observed.size, np.float32) < held_back
    if not chosen.any() or chosen.all():
        return observed, Held(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.uint8), levels)
    users = observed.user_numbers()
    held = Held(users[chosen], observed.items[chosen], observed.levels[chosen], levels)
    starts = np.zeros_like(observed.starts)
    np.cumsum(np.bincount(users[~chosen], minlength=observed.users), out=starts[1:])
    return Observed(starts, observed.items[~chosen], observed.levels[~chosen], observed.width), held


def _some(observed: Observed, levels: Numbers) -> Held:
    """Some of the ratings learned from, evenly spread."""
    places = np.linspace(0, observed.size - 1, min(observed.size, LEARNED_ENOUGH)).astype(np.int64)
    users = np.searchsorted(observed.starts, places, side="right") - 1
    return Held(users.astype(np.int32), observed.items[places], observed.levels[places], levels)


def _calibration(held: Held, best: Iterate, leanings: Leanings) -> tuple[Calibration, float]:
    """That of the best iterate, and the error of the ratings it expects."""
    evidence = Evidence(held.away(best.point, best.thresholds), leanings.at(held.users, held.items))
    found = calibrated(evidence, held.levels)
    return found, rmse(found.probabilities(evidence) @ held.values, held.values[held.levels])


def _progress(phase: str, problem: Problem, plan: Plan, now: Iterate, iteration: int, error: float) -> Progress:
    gradient = now.steepness / (plan.tol * problem.observed.size**0.5)
    return Progress(phase, now.point.rank, iteration, now.value, error, gradient)
