"""A complete fit: rank search with validation ratings, calibration by them, and a final descent on all ratings."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from askance.ratings.biases import Biases
from askance.ratings.calibration import Calibration, Evidence, calibrated
from askance.ratings.checkpoint import Checkpoint
from askance.ratings.conjugate_gradient import Iterate, begun, iterates
from askance.ratings.manifold import LowRankPoint
from askance.ratings.model import rmse
from askance.ratings.problem import RatingProblem, Settings
from askance.ratings.rank_search import SearchPlan, Stage, ValidationRatings, is_flat, search
from askance.ratings.rating_matrix import RatingMatrix
from askance.typing import FloatArray

ENOUGH_TO_CALIBRATE = 50_000  # training ratings to calibrate by if there are no validation ratings


class FitStep(NamedTuple):
    """One iteration of a fit.

    Attributes
    ----------
    phase : str
        "search" while the rank is searched, "fit" during the final descent on all ratings.
    rank : int
        The current rank.
    iteration : int
        Number of the iteration at this rank.
    objective : float
        The objective after the iteration.
    rmse : float
        RMSE of ordinal predictions on the validation ratings; NaN if there are none.
    gradient : float
        Norm of the gradient relative to the tolerance: the descent stops at 1 or less.
    """

    phase: str
    rank: int
    iteration: int
    objective: float
    rmse: float
    gradient: float

    def __str__(self) -> str:
        what = "all ratings" if self.phase == "fit" else "search"
        error = "" if self.rmse != self.rmse else f", RMSE {self.rmse:.4f}"
        return f"{what}: rank {self.rank}, iteration {self.iteration}, objective {self.objective:,.1f}{error}"


class Fitted(NamedTuple):
    """The result of a fit."""

    point: LowRankPoint
    thresholds: FloatArray
    objective: float
    iterations: int
    path: tuple[Stage, ...]
    calibration: Calibration
    biases: Biases
    rmse: float  # of ordinal predictions, on the validation ratings
    expected_rmse: float  # of expected ratings; on training ratings if there are no validation ratings


def fitted(
    observed: RatingMatrix,
    levels: FloatArray,
    settings: Settings,
    plan: SearchPlan,
    validation_fraction: float,
    threads: int,
    watch: Callable[[FitStep], None],
    file: Checkpoint,
) -> Fitted:
    """Fit to the observed ratings, resuming from the checkpoint if it has a state."""
    part, validation = _split(observed, levels, validation_fraction, plan.random_state)
    problem = RatingProblem(part, len(levels), settings, threads)
    state, last = file.resumed()
    if last is None:
        for state in search(problem, validation, plan, state):  # noqa: B020 - continues from that state
            watch(_step("search", problem, plan, state.now, state.iteration, state.rmse))
            file.keep(state, None)
    assert state is not None
    judges = validation if len(validation.users) else _some(observed, levels)
    calibration, expected_rmse = _calibration(judges, state.best, Biases.of(part, levels))
    now, iteration = state.best, state.iteration
    if part is not observed:
        del problem, part
        problem = RatingProblem(observed, len(levels), settings, threads)
        start = last or (begun(problem, state.best.point, state.best.thresholds), 0)
        now, iteration = start
        for now, iteration in _descent(problem, plan, *start):
            watch(_step("fit", problem, plan, now, iteration, state.best_rmse))
            file.keep(state, (now, iteration))
    return Fitted(
        now.point,
        now.thresholds,
        now.value,
        iteration,
        state.path,
        calibration,
        Biases.of(observed, levels),
        state.best_rmse,
        expected_rmse,
    )


def _descent(
    problem: RatingProblem, plan: SearchPlan, now: Iterate, iteration: int
) -> Iterator[tuple[Iterate, int]]:
    """The iterations of a descent at one rank."""
    problem.set_point(now.point)
    problem.update_derivatives(now.thresholds)
    following = iterates(problem, now)
    while iteration < plan.max_iter and not is_flat(now, plan.tol, problem.observed.n_ratings):
        found = next(following, None)
        if found is None:
            return
        now, iteration = found, iteration + 1
        yield now, iteration


def _split(
    observed: RatingMatrix, levels: FloatArray, validation_fraction: float, random_state: int
) -> tuple[RatingMatrix, ValidationRatings]:
    """Split the ratings at random into training and validation ratings."""
    chosen = np.random.default_rng(random_state).random(observed.n_ratings, np.float32) < validation_fraction
    if not chosen.any() or chosen.all():
        nobody = np.zeros(0, np.int32)
        return observed, ValidationRatings(nobody, nobody, np.zeros(0, np.uint8), levels)
    users = observed.user_numbers()
    validation = ValidationRatings(users[chosen], observed.items[chosen], observed.levels[chosen], levels)
    starts = np.zeros_like(observed.starts)
    np.cumsum(np.bincount(users[~chosen], minlength=observed.n_users), out=starts[1:])
    return RatingMatrix(starts, observed.items[~chosen], observed.levels[~chosen], observed.n_items), validation


def _some(observed: RatingMatrix, levels: FloatArray) -> ValidationRatings:
    """Some of the training ratings, evenly spread."""
    positions = np.linspace(0, observed.n_ratings - 1, min(observed.n_ratings, ENOUGH_TO_CALIBRATE)).astype(
        np.int64
    )
    users = np.searchsorted(observed.starts, positions, side="right") - 1
    return ValidationRatings(users.astype(np.int32), observed.items[positions], observed.levels[positions], levels)


def _calibration(validation: ValidationRatings, best: Iterate, biases: Biases) -> tuple[Calibration, float]:
    """The calibration of the best iterate, and the RMSE of its expected ratings."""
    bias = biases.at(validation.users, validation.items)
    evidence = Evidence(validation.away(best.point, best.thresholds), bias)
    found = calibrated(evidence, validation.levels)
    return found, rmse(found.probabilities(evidence) @ validation.values, validation.values[validation.levels])


def _step(
    phase: str, problem: RatingProblem, plan: SearchPlan, now: Iterate, iteration: int, error: float
) -> FitStep:
    gradient = now.steepness / (plan.tol * problem.observed.n_ratings**0.5)
    return FitStep(phase, now.point.rank, iteration, now.value, error, gradient)
