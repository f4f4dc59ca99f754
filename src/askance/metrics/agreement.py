"""The agreement of two people who label the same items: Cohen's kappa, with an interval."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from askance.metrics.estimates import LEVEL
from askance.metrics.intervals import Range
from askance.metrics.samples import share_range


def cohen_kappa(table: ArrayLike, level: float = LEVEL) -> Range | None:
    """Estimate Cohen's kappa, with an approximate confidence interval.

    The interval has the large-sample standard error of Fleiss, Cohen and Everitt (1969). It would be too narrow
    where the two nearly always agree, and of no width where they always do. So it also has the limits that follow
    from those of Clopper and Pearson for the share of equal labels, given the share that is equal by chance.

    Parameters
    ----------
    table : array-like of shape (classes, classes)
        How many items one person gave the class of the row, and the other the class of the column.
    level : float
        The level of the interval.

    Returns
    -------
    Range or None
        Kappa and its limits; None if there are no items, or if both gave one and the same class to all of them.

    Examples
    --------
    >>> from askance.metrics.agreement import cohen_kappa
    >>> [round(number, 2) for number in cohen_kappa([[20, 5], [10, 15]])]
    [0.4, 0.11, 0.65]
    """
    counts = np.asarray(table, float)
    items = counts.sum()
    if not items:
        return None
    shares = counts / items
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    equal, chance = float(np.trace(shares)), float(rows @ columns)
    if chance >= 1:
        return None
    kappa = (equal - chance) / (1 - chance)
    reach = float(special.ndtri((1 + level) / 2)) * _standard_error(shares, equal, chance) / math.sqrt(items)
    exact = share_range(round(equal * items), round(items), level)
    low = min(kappa - reach, (exact.low - chance) / (1 - chance))
    high = max(kappa + reach, (exact.high - chance) / (1 - chance))
    return Range(kappa, max(-1.0, low), min(1.0, high))


def _standard_error(shares: np.ndarray, equal: float, chance: float) -> float:
    """The standard error of kappa for one item: equation 13 of Fleiss, Cohen and Everitt (1969)."""
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    both = columns[:, None] + rows[None, :]  # of the cell (i, j): the column i and the row j
    diagonal = np.diag(shares) @ ((1 - chance) - (rows + columns) * (1 - equal)) ** 2
    others = (1 - equal) ** 2 * (np.sum(shares * both**2) - np.diag(shares) @ (rows + columns) ** 2)
    spread = diagonal + others - (equal * chance - 2 * chance + equal) ** 2
    return math.sqrt(max(0.0, spread)) / (1 - chance) ** 2
