"""First-order rules that approximate the classifier of the largest margin: ROMMA, ALMA and Pegasos.

Each changes all weights at once, by a factor, and adds a multiple of the row. A state stores w = scale · raw, so
that a step costs one pass over the non-zeros of the row. A row of zeros changes nothing but the factor of Pegasos.
"""

import math
from typing import NamedTuple

from numpy.typing import DTypeLike

from askance._util.parameters import POSITIVE, YES_OR_NO, Constraints, Interval
from askance.jit.select import maximum, where
from askance.rules.rows import Seen
from askance.rules.state.rescaled import RescaledWeights, rescaled_weights
from askance.rules.update.passive_aggressive import SHORTEST, full_step
from askance.rules.update.rule import About
from askance.rules.update.weights import hinge

# Rows with ‖x‖²‖w‖² - p² below this share of ‖x‖²‖w‖² are taken for multiples of w.
PARALLEL = 1e-6
# Without an end, the weights of ROMMA overflow if no classifier is right about all rows.
LONGEST = 1e12


class ROMMA(NamedTuple):
    """ROMMA, the relaxed online maximum margin algorithm: the shortest w with y w·x ≥ 1 and w·w_t ≥ ‖w_t‖².

    On a mistake, or if `aggressive` on y p < 1, w ← c w + d x with

        c = (‖x‖²‖w‖² - y p) / (‖x‖²‖w‖² - p²),     d = ‖w‖² (y - p) / (‖x‖²‖w‖² - p²).

    The second constraint replaces those of all earlier rows. If x is a multiple of w, also in the first step,
    where w = 0, the step is that of PA, w ← w + y (1 - y p) x / ‖x‖². If no w is right about all rows, ‖w‖ grows
    without bounds, and is kept at 10¹² at most. It has no parameters to tune.

    Parameters
    ----------
    aggressive : bool, default=False
        Whether to learn from every row with a margin below 1, not only from mistakes (aggressive ROMMA).

    References
    ----------
    Li and Long 2002, "The relaxed online maximum margin algorithm".

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]], [1, -1, 1]
    >>> learner = Learner(updates.ROMMA(), queries.Always()).fit(X, y)
    >>> learner.predict([[0.0, 3.0], [3.0, 0.0]])
    array([ 1, -1])
    """

    aggressive: bool = False

    def start(self, width: int, dtype: DTypeLike) -> RescaledWeights:
        """w = 0."""
        return rescaled_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """c, d and the largest norm."""
        loss = hinge(seen, label)
        fires = where(self.aggressive, loss > 0, seen.prediction != label)
        both = seen.squared_norm * seen.spread  # ‖x‖²‖w‖²
        left = both - seen.score * seen.score
        parallel = left <= PARALLEL * both
        least = where(parallel, 1.0, left)
        stretch = where(parallel, 1.0, (both - label * seen.score) / least)
        along = label * full_step(loss, seen.squared_norm)
        return fires, (stretch, where(parallel, along, seen.spread * (label - seen.score) / least), LONGEST)

    def weighted(self, weight: float) -> "ROMMA":  # noqa: ARG002
        """Return the same rule: a step fulfils a constraint, so that there is no loss to multiply."""
        return self

    def constraints(self) -> Constraints:
        """Yes or no."""
        return {"aggressive": YES_OR_NO}

    def about(self) -> About:
        """The cost of a round."""
        return About(cost="O(d'), now and then O(d)")


class ALMA(NamedTuple):
    """ALMA_2, the approximate large margin algorithm: steps on small margins, and weights of length 1 at most.

    With x̂ = x/‖x‖ and the number k of the step, from 1 on: if y w·x̂ ≤ (1 - α) γ_k,

        w ← w + η_k y x̂,   w ← w / max(1, ‖w‖),   γ_k = B/√k,   η_k = C/√k.

    On separable rows, the margin reaches (1 - α) times the largest one after O(1/(α² margin²)) steps.

    Parameters
    ----------
    alpha : float, default=0.9
        How much of the largest margin may be missing, more than 0 and at most 1. With 1, it learns only from
        mistakes and rows on the boundary.
    b : float, default=√8
        B = b/α.
    C : float, default=√2
        The length of the first step.

    References
    ----------
    Gentile 2001, "A new approximate maximal margin classification algorithm", figure 1; theorem 3 has B and C.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]], [1, -1, 1]
    >>> learner = Learner(updates.ALMA(), queries.Always()).fit(X, y)
    >>> learner.predict([[0.0, 3.0], [3.0, 0.0]])
    array([ 1, -1])
    """

    alpha: float = 0.9
    b: float = math.sqrt(8.0)
    C: float = math.sqrt(2.0)

    def start(self, width: int, dtype: DTypeLike) -> RescaledWeights:
        """w = 0, k = 1."""
        return rescaled_weights(width, dtype, counting=True)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """1, η_k y / ‖x‖ and the largest norm, 1."""
        root = math.sqrt(seen.spread + 1.0)  # √k
        norm = math.sqrt(seen.squared_norm)
        wanted = (1.0 - self.alpha) * self.b / self.alpha / root
        along = where(seen.squared_norm > SHORTEST, 1.0 / maximum(norm, SHORTEST), 0.0)
        return label * seen.score <= wanted * norm, (1.0, label * self.C / root * along, 1.0)

    def constraints(self) -> Constraints:
        """0 < α ≤ 1, B > 0, C > 0."""
        return {"alpha": Interval(0, 1), "b": POSITIVE, "C": POSITIVE}

    def about(self) -> About:
        """The cost of a round."""
        return About(cost="O(d'), now and then O(d)")


class Pegasos(NamedTuple):
    """Pegasos: descent on the subgradients of the support vector machine, λ/2 ‖w‖² + max(0, 1 - y p).

    At label t, with η_t = 1/(λ t),

        w ← (1 - η_t λ) w + η_t y x   if y p < 1,   else   w ← (1 - η_t λ) w,

    and then, if `projected`, w ← w · min(1, 1 / (√λ ‖w‖)), because the minimum is no further away.

    Parameters
    ----------
    lam : float, default=0.001
        λ, the weight of ‖w‖²/2. The first steps are 1/λ long.
    projected : bool, default=True
        Whether to limit the weights to the ball of radius 1/√λ.

    References
    ----------
    Shalev-Shwartz, Singer and Srebro 2007, "Pegasos: primal estimated sub-gradient solver for SVM", figure 1 with
    k = 1.

    Examples
    --------
    >>> from askance import Learner, queries, updates
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [0.0, 2.0]], [1, -1, 1]
    >>> learner = Learner(updates.Pegasos(lam=0.1), queries.Always()).fit(X, y)
    >>> learner.predict([[0.0, 3.0], [3.0, 0.0]])
    array([ 1, -1])
    """

    lam: float = 1e-3
    projected: bool = True

    def start(self, width: int, dtype: DTypeLike) -> RescaledWeights:
        """w = 0."""
        return rescaled_weights(width, dtype)

    def step(self, seen: Seen, label: float) -> tuple[bool, tuple[float, float, float]]:
        """1 - 1/t, η_t y or 0, and the largest norm. Every label changes the weights."""
        t = seen.n_labels + 1.0
        tau = where(label * seen.score < 1.0, label / (self.lam * t), 0.0)
        radius = where(self.projected, 1.0 / math.sqrt(self.lam), math.inf)
        return seen.squared_norm >= 0, (1.0 - 1.0 / t, tau, radius)

    def constraints(self) -> Constraints:
        """λ ≥ 1e-12, so that the first steps are finite in single precision too."""
        return {"lam": Interval(1e-12, low_closed=True, high_closed=False), "projected": YES_OR_NO}

    def about(self) -> About:
        """The cost of a round."""
        return About(cost="O(d'), now and then O(d)")
