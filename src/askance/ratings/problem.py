"""What is minimised: the squared hinge loss of the observed ratings and the regulariser, with their gradients."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from askance.jit.kernels import rating_sweeps
from askance.jit.kernels.rating_sweeps import Margins
from askance.ratings.manifold import Numbers, Point, Tangent, inner, projected
from askance.ratings.observed import Observed
from askance.ratings.threads import in_threads


class Settings(NamedTuple):
    """f = λ·½(‖X‖² + ν‖X†‖²) + ℓ, and ½μΣ‖θ_u - θ̄‖² where users have thresholds of their own."""

    regularization: float = 0.02  # λ
    barrier: float = 1e-4  # ν
    together: bool = False  # whether an entry's hinges are added before they are squared, as eq. 2.1 prints it
    own_thresholds: bool = False  # whether every user has a row of them
    threshold_regularization: float = 10.0  # μ


class ThresholdLoss(NamedTuple):
    """The loss of each row of thresholds, with its slopes and curvatures in them."""

    values: Numbers
    slopes: Numbers
    curvatures: Numbers


class Problem:
    """The objective for given ratings. It keeps the score of each entry of the point last looked at."""

    def __init__(self, observed: Observed, levels: int, settings: Settings, threads: int = 1) -> None:
        self.observed, self.levels, self.settings = observed, levels, settings
        self.scores: Numbers = np.zeros(observed.size)
        self._slopes: Numbers = np.zeros(observed.size)
        self._bends = np.zeros(observed.size, np.float32)
        self._shares = observed.shares(threads)
        self._own = int(settings.own_thresholds)

    def first_thresholds(self) -> Numbers:
        """θ_z = z - L/2, a row for all users or for each."""
        rows = self.observed.users if self._own else 1
        return np.tile(np.arange(1, self.levels) - self.levels / 2, (rows, 1))

    def look_at(self, point: Point) -> None:
        """Take the scores from another point: losses and gradients are about it until the next one."""
        left, right = point.scaled, np.ascontiguousarray(point.right)
        self._sweep(lambda first, last: rating_sweeps.scores(first, last, self.observed, left, right, self.scores))

    def regularizer(self, point: Point) -> float:
        """λ·½(‖X‖² + ν‖X†‖²)."""
        squares = point.values**2
        return float(0.5 * self.settings.regularization * np.sum(squares + self.settings.barrier / squares))

    def losses(self, thresholds: Numbers) -> ThresholdLoss:
        """The loss at the point looked at, and its dependence on the thresholds, for each row of them."""
        found = ThresholdLoss(np.zeros(len(thresholds)), np.zeros_like(thresholds), np.zeros_like(thresholds))
        # Threads share the rows of users' own thresholds; of a common one, each has a copy to add to.
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

    def pulled(self, loss: ThresholdLoss, thresholds: Numbers, centre: Numbers) -> ThresholdLoss:
        """The loss with the pull of users' own thresholds to a centre; common ones are not pulled."""
        if not self._own:
            return loss
        strength, away = self.settings.threshold_regularization, thresholds - centre
        pull = 0.5 * strength * np.sum(away**2, axis=1)
        return ThresholdLoss(loss.values + pull, loss.slopes + strength * away, loss.curvatures + strength)

    def value(self, point: Point, thresholds: Numbers, loss: ThresholdLoss) -> float:
        """The objective at a point that was looked at, from its loss."""
        pulled = self.pulled(loss, thresholds, thresholds.mean(0))
        return float(pulled.values.sum()) + self.regularizer(point)

    def settle(self, thresholds: Numbers) -> None:
        """Take slopes and curvatures from the point looked at and these thresholds, until settled anew."""
        margins, found = self._margins(thresholds), (self._slopes, self._bends)
        self._sweep(
            lambda first, last: rating_sweeps.bends(first, last, self.observed, self.scores, margins, *found)
        )

    def products(self, left: Numbers, right: Numbers) -> tuple[Numbers, Numbers]:
        """Ĝ right and Ĝᵀ left, Ĝ being the gradient of the loss in X where it was settled."""
        observed = self.observed
        left, right = np.ascontiguousarray(left), np.ascontiguousarray(right)
        ahead = np.zeros((observed.users, right.shape[1]))
        backs = [np.zeros((observed.width, left.shape[1])) for _ in self._shares]
        self._sweep(
            lambda first, last, back: rating_sweeps.products(
                first, last, observed, self._slopes, left, right, ahead, back
            ),
            backs,
        )
        for back in backs[1:]:
            backs[0] += back
        return ahead, backs[0]

    def gradient(self, point: Point) -> Tangent:
        """The Riemannian gradient in X where it was settled (Algorithm 3)."""
        tangent = projected(point, *self.products(point.left, point.right))
        return tangent._replace(core=tangent.core + np.diag(self.regularizer_slopes(point)))

    def regularizer_slopes(self, point: Point) -> Numbers:
        """λ(σ - ν/σ³): the gradient of the regulariser is U diag(…) Vᵀ."""
        settings = self.settings
        return settings.regularization * (point.values - settings.barrier / point.values**3)

    def curvature(self, point: Point, tangent: Tangent) -> float:
        """That of f along a straight line from where it was settled, apart from the barrier's."""
        moved = point.left @ tangent.core + tangent.left
        bend = self.loss_curvature(moved, point.right, point.left, tangent.right)
        return bend + self.settings.regularization * inner(tangent, tangent)

    def loss_curvature(self, moved: Numbers, right: Numbers, left: Numbers, turned: Numbers) -> float:
        """That of the loss if X moves along moved·rightᵀ + left·turnedᵀ."""
        factors = [np.ascontiguousarray(factor) for factor in (moved, right, left, turned)]
        return sum(
            self._sweep(
                lambda first, last: rating_sweeps.curvature(first, last, self.observed, self._bends, *factors)
            )
        )

    def _margins(self, thresholds: Numbers) -> Margins:
        return Margins(np.ascontiguousarray(thresholds), self._own, self.settings.together)

    def _sweep(self, work: Callable[..., Any], *extras: list[Any]) -> list[Any]:
        """Do the work on every thread's share of the users."""
        calls = [(*share, *extra) for share, *extra in zip(self._shares, *extras, strict=True)]
        return in_threads(work, calls)
