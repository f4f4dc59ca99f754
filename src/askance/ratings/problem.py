"""The objective: squared hinge loss of the observed ratings plus the regulariser, with gradients."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from askance.jit.kernels import rating_sweeps
from askance.jit.kernels.rating_sweeps import Margins
from askance.ratings.manifold import LowRankPoint, Tangent, inner, projected
from askance.ratings.rating_matrix import RatingMatrix, run_in_threads
from askance.typing import FloatArray


class Settings(NamedTuple):
    """f = λ·½(‖X‖² + ν‖X†‖²) + ℓ, and ½μΣ‖θ_u - θ̄‖² if each user has its own thresholds."""

    regularization: float = 0.02  # λ
    barrier: float = 1e-4  # ν
    together: bool = False  # whether the hinges of an entry are summed before squaring, as printed in eq. 2.1
    own_thresholds: bool = False  # whether each user has its own row of them
    threshold_regularization: float = 10.0  # μ


class ThresholdLoss(NamedTuple):
    """The loss per row of thresholds, with its first and second derivatives in them."""

    values: FloatArray
    slopes: FloatArray
    curvatures: FloatArray


class RatingProblem:
    """The objective for given ratings. It stores the scores at the current point."""

    def __init__(self, observed: RatingMatrix, levels: int, settings: Settings, threads: int = 1) -> None:
        self.observed, self.levels, self.settings = observed, levels, settings
        self.scores: FloatArray = np.zeros(observed.n_ratings)
        self._slopes: FloatArray = np.zeros(observed.n_ratings)
        self._bends = np.zeros(observed.n_ratings, np.float32)
        self._shares = observed.shares(threads)
        self._own = int(settings.own_thresholds)

    def first_thresholds(self) -> FloatArray:
        """θ_z = z - L/2, one row for all users or one row per user."""
        rows = self.observed.n_users if self._own else 1
        return np.tile(np.arange(1, self.levels) - self.levels / 2, (rows, 1))

    def set_point(self, point: LowRankPoint) -> None:
        """Compute the scores at `point`: losses and gradients refer to it until the next call."""
        left, right = point.scaled, np.ascontiguousarray(point.right)
        self._sweep(lambda first, last: rating_sweeps.scores(first, last, self.observed, left, right, self.scores))

    def regularizer(self, point: LowRankPoint) -> float:
        """λ·½(‖X‖² + ν‖X†‖²)."""
        squares = point.values**2
        return float(0.5 * self.settings.regularization * np.sum(squares + self.settings.barrier / squares))

    def losses(self, thresholds: FloatArray) -> ThresholdLoss:
        """The loss at the current point and its derivatives in the thresholds, per row of them."""
        found = ThresholdLoss(np.zeros(len(thresholds)), np.zeros_like(thresholds), np.zeros_like(thresholds))
        # Users' own threshold rows are split between threads; for a common row, each thread adds to a copy.
        copies = [found if self._own else ThresholdLoss(*map(np.zeros_like, found)) for _ in self._shares]
        margins = self._margins(thresholds)
        self._sweep(
            lambda first, last, copy: rating_sweeps.losses(
                first, last, self.observed, self.scores, margins, *copy
            ),
            copies,
        )
        return (
            found if self._own else ThresholdLoss(*(np.sum(parts, axis=0) for parts in zip(*copies, strict=True)))
        )

    def pulled(self, loss: ThresholdLoss, thresholds: FloatArray, centre: FloatArray) -> ThresholdLoss:
        """The loss plus the penalty on users' own thresholds; common thresholds have none."""
        if not self._own:
            return loss
        strength, away = self.settings.threshold_regularization, thresholds - centre
        pull = 0.5 * strength * np.sum(away**2, axis=1)
        return ThresholdLoss(loss.values + pull, loss.slopes + strength * away, loss.curvatures + strength)

    def value(self, point: LowRankPoint, thresholds: FloatArray, loss: ThresholdLoss) -> float:
        """The objective at the current point, from its loss."""
        pulled = self.pulled(loss, thresholds, thresholds.mean(0))
        return float(pulled.values.sum()) + self.regularizer(point)

    def update_derivatives(self, thresholds: FloatArray) -> None:
        """Compute the derivatives of the loss in X at the current point, for use until the next call."""
        margins, found = self._margins(thresholds), (self._slopes, self._bends)
        self._sweep(
            lambda first, last: rating_sweeps.bends(first, last, self.observed, self.scores, margins, *found)
        )

    def products(self, left: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Ĝ right and Ĝᵀ left, Ĝ being the last gradient of the loss in X from `update_derivatives`."""
        observed = self.observed
        left, right = np.ascontiguousarray(left), np.ascontiguousarray(right)
        ahead = np.zeros((observed.n_users, right.shape[1]))
        backs = [np.zeros((observed.n_items, left.shape[1])) for _ in self._shares]
        self._sweep(
            lambda first, last, back: rating_sweeps.products(
                first, last, observed, self._slopes, left, right, ahead, back
            ),
            backs,
        )
        for back in backs[1:]:
            backs[0] += back
        return ahead, backs[0]

    def gradient(self, point: LowRankPoint) -> Tangent:
        """The Riemannian gradient in X, from the last `update_derivatives` (Algorithm 3)."""
        tangent = projected(point, *self.products(point.left, point.right))
        return tangent._replace(core=tangent.core + np.diag(self.regularizer_slopes(point)))

    def regularizer_slopes(self, point: LowRankPoint) -> FloatArray:
        """λ(σ - ν/σ³): the gradient of the regulariser is U diag(…) Vᵀ."""
        settings = self.settings
        return settings.regularization * (point.values - settings.barrier / point.values**3)

    def curvature(self, point: LowRankPoint, tangent: Tangent) -> float:
        """The second derivative of f along a straight line, without the barrier term."""
        moved = point.left @ tangent.core + tangent.left
        bend = self.loss_curvature(moved, point.right, point.left, tangent.right)
        return bend + self.settings.regularization * inner(tangent, tangent)

    def loss_curvature(self, moved: FloatArray, right: FloatArray, left: FloatArray, turned: FloatArray) -> float:
        """The second derivative of the loss if X moves along moved·rightᵀ + left·turnedᵀ."""
        factors = [np.ascontiguousarray(factor) for factor in (moved, right, left, turned)]
        return sum(
            self._sweep(
                lambda first, last: rating_sweeps.curvature(first, last, self.observed, self._bends, *factors)
            )
        )

    def _margins(self, thresholds: FloatArray) -> Margins:
        return Margins(np.ascontiguousarray(thresholds), self._own, self.settings.together)

    def _sweep(self, work: Callable[..., Any], *extras: list[Any]) -> list[Any]:
        """Call `work` on every thread's share of the users."""
        calls = [(*share, *extra) for share, *extra in zip(self._shares, *extras, strict=True)]
        return run_in_threads(work, calls)
