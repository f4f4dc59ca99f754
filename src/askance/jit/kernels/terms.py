"""Counts of terms, weighted by how rare terms were so far, row by row, so that chunks change nothing.

This is the one definition of tf-idf, for `Learner` and for `AutoLearner`: `damped` times `rarity`, at length 1.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.jit.interop import inlined, persistent


@inlined
def damped(count: float) -> float:
    """Return 1 + log count. Values up to 1 stay as they are, and negative ones keep their sign (hashing).

    So values that are weights already, at most 1, keep their proportions, and the function is continuous.
    """
    size = abs(count)
    return math.copysign(1.0 + math.log(size), count) if size > 1.0 else count


@inlined
def rarity(frequency: int, rows: int) -> float:
    """Return the inverse document frequency of a term, smoothed as in scikit-learn."""
    return math.log((1.0 + rows) / (1.0 + frequency)) + 1.0


@inlined
def length_of(squares: float) -> float:
    """Return what to divide values by, given the sum of their squares, so that their length is 1. Zeros stay."""
    return math.sqrt(squares) if squares > 0.0 else 1.0


def _weigh(entries: Any, rows: Any, frequencies: Any, observing: bool, values: Any) -> None:
    """Write the entries' values, damped, times rarity, at length 1 per row, to `values`.

    If `observing`, the terms of each row are counted before.
    """
    for t in range(entries.starts.shape[0] - 1):
        start, stop = entries.starts[t], entries.starts[t + 1]
        if observing:
            rows[0] += 1
            for k in range(start, stop):
                frequencies[entries.indices[k]] += entries.values[k] != 0.0
        total = 0.0
        for k in range(start, stop):
            weight = damped(entries.values[k]) * rarity(frequencies[entries.indices[k]], rows[0])
            values[k] = weight
            total += weight * weight
        length = length_of(total)
        for k in range(start, stop):
            values[k] /= length


def _discount(entries: Any, rows: Any, frequencies: Any) -> None:
    """Take the rows back out of the counts."""
    rows[0] -= entries.starts.shape[0] - 1
    for k in range(np.uint64(0), entries.starts[-1]):
        frequencies[entries.indices[k]] -= entries.values[k] != 0.0


def _write_rarities(terms: Any, frequencies: Any, rows: int, weights: Any) -> None:
    for term in terms:
        weights[term] = rarity(frequencies[term], rows)


_rarities = persistent(_write_rarities, exact=True)
weigh = persistent(_weigh, exact=True)
discount = persistent(_discount, exact=True)


def rarities(frequencies: NDArray[np.int64], rows: int, weights: NDArray[np.float64]) -> None:
    """Write the rarity of every term to `weights`."""
    weights.fill(rarity(0, rows))
    _rarities(np.flatnonzero(frequencies), frequencies, rows, weights)  # of a million hashed terms, few occur
