"""Guesses as columns of numbers, for estimates with helpers."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.typing import FloatArray

BINS = 6


def guess_columns(guesses: ArrayLike, confidences: ArrayLike | None = None, bins: int = BINS) -> FloatArray:
    """Make a column of zeros and ones for every guess and bin of confidence.

    What a confidence means need not be known: how often a guess is right in each bin is learned from labels.

    Parameters
    ----------
    guesses : array-like of shape (n_rows,)
        The guessed classes. A missing guess may be None; it gets a column of its own.
    confidences : array-like of shape (n_rows,) or None, default: None
        How confident the guesses are, as numbers of any kind. Missing ones may be NaN.
    bins : int, default: 6
        The largest number of bins of confidence per guess, with about as many rows each.

    Returns
    -------
    columns : ndarray of shape (n_rows, n_columns)

    Raises
    ------
    ValueError
        If the arrays do not match.

    Examples
    --------
    >>> from askance.metrics import guess_columns
    >>> guess_columns(["spam", "ham", "spam"], [0.9, 0.8, 0.6])
    array([[0., 0., 1.],
           [1., 0., 0.],
           [0., 1., 0.]])
    """
    names = np.asarray([str(guess) for guess in np.asarray(guesses, dtype=object)])
    sure = np.zeros(len(names)) if confidences is None else np.asarray(confidences, dtype=np.float64)
    if sure.shape != names.shape:
        raise ValueError(f"there are {len(names):,} guesses, but confidences have the shape {sure.shape}")
    if bins < 1:
        raise ValueError(f"bins must be a whole number of at least 1, not {bins}")
    columns: list[NDArray[Any]] = []
    for name in np.unique(names):
        members = names == name
        places = np.where(members, _places(sure, members, bins), -1)
        columns.extend(places == place for place in np.unique(places[members]))
    return np.stack(columns, axis=1).astype(np.float64) if columns else np.empty((0, 0))


def _places(confidences: FloatArray, members: NDArray[np.bool_], bins: int) -> NDArray[np.intp]:
    """The bin of each confidence by the quantiles of the members; NaN has the last one for itself."""
    known = confidences[members & ~np.isnan(confidences)]
    edges = np.unique(np.quantile(known, np.arange(1, bins) / bins)) if len(known) else np.empty(0)
    return np.where(np.isnan(confidences), bins, np.searchsorted(edges, confidences, side="left"))
