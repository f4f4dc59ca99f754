"""The agreement of people who label the same items: Cohen's kappa and Krippendorff's alpha, with intervals."""

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


def krippendorff_alpha(votes: ArrayLike, level: float = LEVEL) -> Range | None:
    """Estimate Krippendorff's alpha for classes without an order, with an approximate confidence interval.

    Any number of people may have voted, and each on other items. Alpha is 1 - observed / expected disagreement of
    two votes on the same item; expected is that of two votes on any items. The interval has the standard error of
    the jackknife over items. As for `cohen_kappa`, it also has the limits that follow from those of Clopper and
    Pearson for the share of equal votes, with the effective number of items of Korn and Graubard (1998).

    Parameters
    ----------
    votes : array-like of shape (items, classes)
        How many votes each item has for each class. Items with fewer than two votes say nothing about agreement.
    level : float
        The level of the interval.

    Returns
    -------
    Range or None
        Alpha and its limits; None if fewer than two items have two votes, or if all votes are the same.

    Examples
    --------
    >>> from askance.metrics.agreement import krippendorff_alpha
    >>> [round(number, 2) for number in krippendorff_alpha([[2, 0]] * 9 + [[1, 1]] * 2 + [[0, 2]] * 9)]
    [0.8, 0.38, 1.0]
    """
    counts = np.asarray(votes, float)
    counts = counts[counts.sum(axis=1) >= 2]
    items, totals = len(counts), counts.sum(axis=0)
    if items < 2 or np.count_nonzero(totals) < 2:
        return None
    per_item = counts.sum(axis=1)
    unequal = (per_item**2 - np.sum(counts**2, axis=1)) / (per_item - 1)
    alpha = float(_alpha(unequal.sum(), totals))
    without = _alpha(unequal.sum() - unequal, totals - counts)
    error = math.sqrt((items - 1) / items * float(np.sum((without - without.mean()) ** 2)))
    reach = float(special.stdtrit(items - 1, (1 + level) / 2)) * error
    equal = 1 - float(unequal.sum()) / totals.sum()
    chance = 1 - float(_expected(totals))
    effective = _effective_items(unequal, per_item)
    exact = share_range(round(equal * effective), effective, level)
    low = min(alpha - reach, (exact.low - chance) / (1 - chance))
    high = max(alpha + reach, (exact.high - chance) / (1 - chance))
    return Range(alpha, max(-1.0, low), min(1.0, high))


def _effective_items(unequal: np.ndarray, votes: np.ndarray) -> int:
    """The number of items with two votes each that would tell the share of equal votes as precisely."""
    items = len(votes)
    share = unequal.sum() / votes.sum()
    variance = items / (items - 1) * np.sum((unequal - share * votes) ** 2) / votes.sum() ** 2
    return max(items, round(share * (1 - share) / variance)) if variance > 0 else items


def _alpha(unequal: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Alpha of the weighted number of unequal votes and the votes per class; 1 if all votes are the same."""
    expected = _expected(totals)
    observed = unequal / totals.sum(axis=-1)
    return np.where(expected > 0, 1 - observed / np.where(expected > 0, expected, 1), 1.0)


def _expected(totals: np.ndarray) -> np.ndarray:
    """The probability that two of all votes are unequal."""
    number = totals.sum(axis=-1)
    return np.asarray((number**2 - np.sum(totals**2, axis=-1)) / (number * (number - 1)))
