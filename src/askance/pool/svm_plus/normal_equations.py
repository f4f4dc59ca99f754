"""The linear equations of an interior point step for SVM+, and two solvers for them."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular

from askance.typing import BoolArray, FloatArray

RAISES = (0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10)
REFINEMENTS = 2


class SVMPlusProblem(NamedTuple):
    """Rows of both views, each with mean 0, their signs, and a mask of rows with privileged features."""

    main: FloatArray
    correcting: FloatArray
    signs: FloatArray
    privileged: BoolArray
    C: float
    gamma: float


class System:
    """The matrices of a problem: rows with a 1 for the intercept, those of the main view times their sign.

    x = (w, b, v, a) has the weight ½x² and the cost of slacks. `pull` is the weight of each inequality.
    """

    def __init__(self, problem: SVMPlusProblem) -> None:
        ones = np.ones((len(problem.signs), 1))
        self.main = problem.signs[:, None] * np.hstack([problem.main, ones])
        self.slack = np.where(problem.privileged[:, None], np.hstack([problem.correcting, ones]), 0.0)
        self.is_free = ~problem.privileged
        self.C = problem.C
        none = float(not problem.privileged.any())  # otherwise nothing would determine the intercept of the slacks
        gammas = np.full(problem.correcting.shape[1], problem.gamma)
        self.weight = np.concatenate([np.ones(problem.main.shape[1]), [0.0], gammas, [none]])
        squares = (problem.main**2).sum(), (problem.correcting**2).sum() / problem.gamma
        self.reach = max(squares) / len(problem.signs)
        self.cost = np.concatenate([np.zeros(self.main.shape[1]), problem.C * self.slack.sum(axis=0)])

    def error(self, gap: float) -> float:
        """The approximate error of scores and slacks for a gap of the objective."""
        return float(np.sqrt(2 * gap * self.reach))

    def inequalities(self, x: FloatArray, free: FloatArray) -> FloatArray:
        """y_i(w·x_i + b) + c_i, and c_i."""
        width = self.main.shape[1]
        slacks = self.slack @ x[width:] + free
        return np.stack([self.main @ x[:width] + slacks, slacks])

    def gradient(self, dual: FloatArray) -> FloatArray:
        """The gradient in x of the inequalities, weighted by their duals."""
        return np.concatenate([dual[0] @ self.main, (dual[0] + dual[1]) @ self.slack])

    def pulls(self, pull: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The weights of margins and slacks after the free slacks are eliminated."""
        both = pull[0] + pull[1]
        return np.where(self.is_free, pull[0] * pull[1] / both, pull[0]), np.where(self.is_free, 0.0, pull[1])

    def times(self, pull: FloatArray, x: FloatArray) -> FloatArray:
        """The matrix of the normal equations times x, without forming it."""
        margin, slack = self.pulls(pull)
        values = self.inequalities(x, np.zeros(len(margin)))
        return self.weight * x + self.gradient(np.stack([margin * values[0], slack * values[1]]))


class Solver(Protocol):
    """The interface of a solver for the normal equations of a system with given weights."""

    def __init__(self, system: System, pull: FloatArray) -> None: ...

    def solve(self, right: FloatArray) -> FloatArray:
        """The x whose product with the matrix is `right`."""


class Cholesky:
    """Solve by Cholesky factorisation. The diagonal is scaled to 1, so that the units of features do not matter.

    If rounding errors have made the matrix indefinite, its diagonal is raised a little and solutions are refined.
    """

    def __init__(self, system: System, pull: FloatArray) -> None:
        matrix = _normal(system, *system.pulls(pull))
        self.scale = 1 / np.sqrt(np.diagonal(matrix))
        self.matrix = matrix * self.scale[:, None] * self.scale
        self.factor: Any
        self.factor, self.raised = next(filter(None, (self._factor(more) for more in RAISES)), (None, 0.0))
        if self.factor is None:
            raise LinAlgError("far from positive definite")

    def solve(self, right: FloatArray) -> FloatArray:
        """Solve, with one refinement if the diagonal was raised."""
        scaled = self.scale * right
        solution: FloatArray = cho_solve(self.factor, scaled)
        if self.raised:
            solution += cho_solve(self.factor, scaled - self.matrix @ solution)
        return self.scale * solution

    def _factor(self, more: float) -> tuple[Any, float] | None:
        raised = self.matrix.copy()
        raised[np.diag_indices_from(raised)] += more
        try:
            return cho_factor(raised, overwrite_a=True), more
        except LinAlgError:
            return None


class Orthogonal:
    """Solve by QR of the rows whose products form the matrix: slower, but precise where products lose all digits.

    This happens when some inequalities have weights so large that the weights of features vanish by rounding.
    """

    def __init__(self, system: System, pull: FloatArray) -> None:
        margin, slack = (np.sqrt(part)[:, None] for part in system.pulls(pull))
        above = np.hstack([margin * system.main, margin * system.slack])
        below = np.hstack([np.zeros_like(system.main), slack * system.slack])
        self.triangle = np.linalg.qr(np.vstack([above, below, np.diag(np.sqrt(system.weight))]), mode="r")
        self.system, self.pull = system, pull

    def solve(self, right: FloatArray) -> FloatArray:
        """Solve, with refinements by the matrix that is never formed."""
        solution = self._half_solved(right)
        for _ in range(REFINEMENTS):
            solution += self._half_solved(right - self.system.times(self.pull, solution))
        return solution

    def _half_solved(self, right: FloatArray) -> FloatArray:
        return np.asarray(solve_triangular(self.triangle, solve_triangular(self.triangle, right, trans=1)))


def _normal(system: System, margin: FloatArray, slack: FloatArray) -> FloatArray:
    """The matrix of the normal equations."""
    width = system.main.shape[1]
    main, other = np.sqrt(margin)[:, None] * system.main, np.sqrt(margin + slack)[:, None] * system.slack
    matrix = np.diag(system.weight)
    matrix[:width, :width] += main.T @ main
    matrix[:width, width:] = system.main.T @ (margin[:, None] * system.slack)
    matrix[width:, :width] = matrix[:width, width:].T
    matrix[width:, width:] += other.T @ other
    return matrix
