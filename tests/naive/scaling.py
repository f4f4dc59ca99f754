"""Rows on running scales, from the definitions: each row is scaled by the rows up to itself, all counted again."""

import math
from typing import Any

import numpy as np


def standard(X: Any) -> Any:
    """Mean 0, variance 1, at most 4 deviations, over the root of the number of columns."""
    return np.array([standard_row(X[: t + 1], X[t]) for t in range(len(X))])


def standard_row(seen: Any, x: Any) -> list[float]:
    """One row on the scale of the rows seen."""
    scaled = []
    for column, value in zip(np.asarray(seen, float).T.tolist(), x, strict=True):
        mean = math.fsum(column) / len(column)
        variance = math.fsum((one - mean) ** 2 for one in column) / len(column)
        deviations = (value - mean) / math.sqrt(variance) if len(set(column)) > 1 else 0.0
        scaled.append(max(-4.0, min(4.0, deviations)) / math.sqrt(len(x)))
    return scaled


def tfidf(X: Any) -> Any:
    """(1 + log count) · (log((1 + n)/(1 + n_j)) + 1), at length 1; n_j of n rows have word j."""
    return np.array([tfidf_row(X[: t + 1], X[t]) for t in range(len(X))])


def tfidf_row(seen: Any, x: Any) -> Any:
    """One row on the scale of the rows seen."""
    words = np.count_nonzero(seen, axis=0)
    weights = [
        (1 + math.log(count)) * (math.log((1 + len(seen)) / (1 + n)) + 1) if count else 0.0
        for count, n in zip(x, words, strict=True)
    ]
    length = math.sqrt(math.fsum(weight**2 for weight in weights))
    return [weight / length if length else 0.0 for weight in weights]


ALL = {"standard": standard, "tfidf": tfidf}
ROW = {"standard": standard_row, "tfidf": tfidf_row}
