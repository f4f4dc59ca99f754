"""ρ, how many times as much a missed positive row costs as a false alarm: for make("CSPAA", rho=…) and its kin.

Lu, Zhao and Hoi 2016, proposition 1: with this ρ, to learn with few weighted mistakes is to do well by the metric.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from askance._util.parameters import POSITIVE, check_parameters

__all__ = ["RunningRho", "rho_for_cost", "rho_for_sum"]


class Counts(NamedTuple):
    """Rows of each class, and the weights of sensitivity and specificity."""

    positives: float
    negatives: float
    eta_p: float
    eta_n: float


class Costs(NamedTuple):
    """What a missed positive row and a false alarm cost."""

    c_p: float
    c_n: float


def rho_for_sum(positives: float, negatives: float, eta_p: float = 0.5, eta_n: float = 0.5) -> float:
    """The ρ that serves the metric `sum`, η_p sensitivity + η_n specificity: η_p negatives / (η_n positives).

    With halves, that is balanced accuracy, and ρ how many negative rows there are for each positive one.
    """
    counts = Counts(positives, negatives, eta_p, eta_n)
    check_parameters(counts, dict.fromkeys(Counts._fields, POSITIVE))
    return float(eta_p) * float(negatives) / (float(eta_n) * float(positives))


def rho_for_cost(c_p: float, c_n: float) -> float:
    """The ρ that serves the metric `cost`, c_p missed positives + c_n false alarms: c_p / c_n."""
    check_parameters(Costs(c_p, c_n), dict.fromkeys(Costs._fields, POSITIVE))
    return float(c_p) / float(c_n)


class RunningRho:
    """The ρ of balanced accuracy, from the labels seen so far: (1 + negatives) / (1 + positives).

    It is 1 before the first label, and a number even while one class has not come up. `positive` is the positive
    class; all others count as negative.
    """

    def __init__(self, positive: Any) -> None:
        self.positive = positive
        self.positives = self.negatives = 0

    def add(self, labels: ArrayLike) -> Self:
        """Count a label, or some of them."""
        given = np.atleast_1d(np.asarray(labels))
        found = int(np.count_nonzero(given == self.positive))
        self.positives += found
        self.negatives += given.size - found
        return self

    @property
    def rho(self) -> float:
        """ρ, as of now."""
        return (1 + self.negatives) / (1 + self.positives)
