"""The cost ratio ρ of cost-sensitive rules: the cost of a missed positive row relative to a false alarm.

Use it as in `make("CSPAA", rho=…)`. With the ρ computed here, few weighted mistakes mean a good value of the
metric (Lu, Zhao and Hoi 2016, proposition 1).
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from askance._util.parameters import POSITIVE, check_parameters

__all__ = ["RunningRho", "rho_for_cost", "rho_for_sum"]


class Counts(NamedTuple):
    """The number of rows of each class, and the weights of sensitivity and specificity."""

    positives: float
    negatives: float
    eta_p: float
    eta_n: float


class Costs(NamedTuple):
    """The costs of a missed positive row and of a false alarm."""

    c_p: float
    c_n: float


def rho_for_sum(positives: float, negatives: float, eta_p: float = 0.5, eta_n: float = 0.5) -> float:
    """Return ρ for the metric `sum`, η_p sensitivity + η_n specificity: ρ = η_p negatives / (η_n positives).

    With the default weights the metric is balanced accuracy, and ρ is the number of negative rows per positive
    row.

    Parameters
    ----------
    positives, negatives : float
        The number, or share, of rows of each class.
    eta_p, eta_n : float, default=0.5
        The weights of sensitivity and specificity.

    Returns
    -------
    float
        ρ.

    Raises
    ------
    ParameterError
        If a parameter is not a positive, finite number.

    Examples
    --------
    >>> from askance.rules.costs import rho_for_sum
    >>> rho_for_sum(positives=20, negatives=80)
    4.0
    """
    counts = Counts(positives, negatives, eta_p, eta_n)
    check_parameters(counts, dict.fromkeys(Counts._fields, POSITIVE))
    return float(eta_p) * float(negatives) / (float(eta_n) * float(positives))


def rho_for_cost(c_p: float, c_n: float) -> float:
    """Return ρ for the metric `cost`, c_p missed positives + c_n false alarms: ρ = c_p / c_n.

    Parameters
    ----------
    c_p, c_n : float
        The costs of a missed positive row and of a false alarm.

    Returns
    -------
    float
        ρ.

    Raises
    ------
    ParameterError
        If a cost is not a positive, finite number.

    Examples
    --------
    >>> from askance.rules.costs import rho_for_cost
    >>> rho_for_cost(c_p=9, c_n=2)
    4.5
    """
    check_parameters(Costs(c_p, c_n), dict.fromkeys(Costs._fields, POSITIVE))
    return float(c_p) / float(c_n)


class RunningRho:
    """ρ for balanced accuracy, from the labels so far: (1 + negatives) / (1 + positives).

    It is 1 before the first label, and finite even if one class has not occurred yet.

    Parameters
    ----------
    positive : object
        The positive class. All other classes count as negative.

    Examples
    --------
    >>> from askance.rules.costs import RunningRho
    >>> RunningRho("spam").add(["ham", "ham", "spam", "ham"]).rho
    2.0
    """

    def __init__(self, positive: Any) -> None:
        self.positive = positive
        self.positives = self.negatives = 0

    def add(self, labels: ArrayLike) -> Self:
        """Count one label or several, and return self."""
        given = np.atleast_1d(np.asarray(labels))
        found = int(np.count_nonzero(given == self.positive))
        self.positives += found
        self.negatives += given.size - found
        return self

    @property
    def rho(self) -> float:
        """The current ρ."""
        return (1 + self.negatives) / (1 + self.positives)
