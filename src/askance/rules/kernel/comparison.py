"""Evaluate kernels between a row and every support vector, and check what kernel functions return."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.jit.kernels.dual_sums import products
from askance.rules.kernel.kernels import AnyKernel, is_ours
from askance.rules.kernel.support_set import Point, Support

Numbers = NDArray[np.float64]


class Similarity(NamedTuple):
    """k(x_s, x) for every support vector, and k(x, x)."""

    values: Numbers
    norm: np.float64


def compare(kernel: AnyKernel, support: Support, point: Point, scratch: Numbers) -> Similarity:
    """Evaluate the kernel of `point` with every support vector. `scratch` is all zeros, before and after."""
    if not is_ours(kernel):
        return _compare_by_function(kernel, support, point, len(scratch))
    scratch[point.indices] = point.values
    try:
        found = products(support.starts, support.indices, support.values, scratch)
    finally:
        scratch[point.indices] = 0
    return Similarity(kernel.values(found, support.squares, point.square), kernel.own(point.square))


def _compare_by_function(function: Any, support: Support, point: Point, width: int) -> Similarity:
    """The same for a function of the user, which gets dense arrays or CSR matrices, as the row came."""
    starts = np.array([0, len(point.indices)])
    row = sp.csr_array((point.values, point.indices.view(np.int32), starts), shape=(1, width))
    vectors = support.matrix(width)
    if point.dense:
        row, vectors = row.toarray(), vectors.toarray()
    norm = _gram(function, row, row)[0]
    if norm < 0:
        raise ValueError(f"the kernel returned k(x, x) = {norm:g}, which must not be negative: use another kernel")
    return Similarity(_gram(function, vectors, row) if support.size else np.empty(0), norm)


def _gram(function: Any, left: Any, right: Any) -> Numbers:
    """Return the only column of the Gram matrix that the function returns; ValueError if it is not a matrix."""
    found = function(left, right)
    try:
        gram = np.asarray(found.toarray() if sp.issparse(found) else found, np.float64)
    except (TypeError, ValueError):
        gram = np.empty(0)
    wanted = (left.shape[0], 1)
    if gram.shape != wanted:
        what = f"one of shape {np.shape(found)}" if hasattr(found, "shape") else repr(found)[:50]
        raise ValueError(f"the kernel must return a matrix of numbers, here of shape {wanted}, not {what}")
    if not np.isfinite(gram).all():
        raise ValueError("the kernel returned NaN or infinity: scale the rows, or fix the kernel")
    return gram[:, 0]
