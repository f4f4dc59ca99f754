"""The linear equations of a step towards the optimum of SVM+, and two ways to solve them."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

RAISES = (0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10)
REFINEMENTS = 2


class Problem(NamedTuple):
    """Rows of both views, each with mean 0, their signs, and which have privileged features."""

    main: Array
    correcting: Array
    signs: Array
    privileged: Mask
    C: float
    gamma: float


class System:
    """The matrices of a problem: rows with a 1 for the bias, the main ones times their sign.

    x = (w, b, v, a) has the weight ½x² and the cost of slacks; `pull` says how strongly each inequality holds.
    """

    def __init__(self, problem: Problem) -> None:
        ones = np.ones((len(problem.signs), 1))
        self.main = problem.signs[:, None] * np.hstack([problem.main, ones])
        self.slack = np.where(problem.privileged[:, None], np.hstack([problem.correcting, ones]), 0.0)
        self.is_free = ~problem.privileged
        self.C = problem.C
        none = float(not problem.privileged.any())  # then nothing else would hold the bias of the slacks
        gammas = np.full(problem.correcting.shape[1], problem.gamma)
        self.weight = np.concatenate([np.ones(problem.main.shape[1]), [0.0], gammas, [none]])
        squares = (problem.main**2).sum(), (problem.correcting**2).sum() / problem.gamma
        self.reach = max(squares) / len(problem.signs)
        self.cost = np.concatenate([np.zeros(self.main.shape[1]), problem.C * self.slack.sum(axis=0)])

    def error(self, gap: float) -> float:
        """About how wrong scores and slacks may be if the objective is that far from its optimum."""
        return float(np.sqrt(2 * gap * self.reach))

    def inequalities(self, x: Array, free: Array) -> Array:
        """y_i(w·x_i + b) + c_i, and c_i."""
        width = self.main.shape[1]
        slacks = self.slack @ x[width:] + free
        return np.stack([self.main @ x[:width] + slacks, slacks])

    def gradient(self, dual: Array) -> Array:
        """What the inequalities, weighted by their duals, have as gradient by x."""
        return np.concatenate([dual[0] @ self.main, (dual[0] + dual[1]) @ self.slack])

    def pulls(self, pull: Array) -> tuple[Array, Array]:
        """Those of margins and slacks after free slacks have given way, so that their rows pull less."""
        both = pull[0] + pull[1]
        return np.where(self.is_free, pull[0] * pull[1] / both, pull[0]), np.where(self.is_free, 0.0, pull[1])

    def times(self, pull: Array, x: Array) -> Array:
        """The matrix of the normal equations times x, without making it."""
        margin, slack = self.pulls(pull)
        values = self.inequalities(x, np.zeros(len(margin)))
        return self.weight * x + self.gradient(np.stack([margin * values[0], slack * values[1]]))


class Solver(Protocol):
    """What can solve the normal equations of a system for one pull."""

    def __init__(self, system: System, pull: Array) -> None: ...

    def solve(self, right: Array) -> Array:
        """The x whose product with the matrix is `right`."""


class Cholesky:
    """By the Cholesky factor of their matrix, whose diagonal is made 1: the units of features then do not matter.

    If rounding errors have made it indefinite, its diagonal is raised a little, and solutions are refined.
    """

    def __init__(self, system: System, pull: Array) -> None:
        matrix = _normal(system, *system.pulls(pull))
        self.scale = 1 / np.sqrt(np.diagonal(matrix))
        self.matrix = matrix * self.scale[:, None] * self.scale
        self.factor: Any
        self.factor, self.raised = next(filter(None, (self._factor(more) for more in RAISES)), (None, 0.0))
        if self.factor is None:
            raise LinAlgError("far from positive definite")

    def solve(self, right: Array) -> Array:
        """With one refinement if the diagonal was raised."""
        scaled = self.scale * right
        solution: Array = cho_solve(self.factor, scaled)
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
    """By QR of the rows whose products make the matrix: slower, and right where these products lose all digits.

    So it is where rows pull so strongly that beside them the weights of features vanish by rounding.
    """

    def __init__(self, system: System, pull: Array) -> None:
        margin, slack = (np.sqrt(part)[:, None] for part in system.pulls(pull))
        above = np.hstack([margin * system.main, margin * system.slack])
        below = np.hstack([np.zeros_like(system.main), slack * system.slack])
        self.triangle = np.linalg.qr(np.vstack([above, below, np.diag(np.sqrt(system.weight))]), mode="r")
        self.system, self.pull = system, pull

    def solve(self, right: Array) -> Array:
        """With refinements, by the matrix that is never made."""
        solution = self._half_solved(right)
        for _ in range(REFINEMENTS):
            solution += self._half_solved(right - self.system.times(self.pull, solution))
        return solution

    def _half_solved(self, right: Array) -> Array:
        return np.asarray(solve_triangular(self.triangle, solve_triangular(self.triangle, right, trans=1)))


def _normal(system: System, margin: Array, slack: Array) -> Array:
    """The matrix of the normal equations."""
    width = system.main.shape[1]
    main, other = np.sqrt(margin)[:, None] * system.main, np.sqrt(margin + slack)[:, None] * system.slack
    matrix = np.diag(system.weight)
    matrix[:width, :width] += main.T @ main
    matrix[:width, width:] = system.main.T @ (margin[:, None] * system.slack)
    matrix[width:, :width] = matrix[:width, width:].T
    matrix[width:, width:] += other.T @ other
    return matrix
