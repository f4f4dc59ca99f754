"""Join consecutive chunks into one matrix."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from askance.data.mixed import MixedRows, joined_rows
from askance.data.stream import Stream


def stacked(parts: list[Any]) -> Any:
    """All rows of consecutive chunks."""
    if isinstance(parts[-1], MixedRows):
        return joined_rows(parts)
    if not sp.issparse(parts[-1]):
        return np.concatenate(parts)
    width = parts[-1].shape[1]  # chunks never become narrower
    return sp.vstack([widened(part, width) for part in parts], format="csr")


def widened(part: Any, width: int) -> sp.csr_array:
    """The same rows with additional empty features."""
    return sp.csr_array((part.data, part.indices, part.indptr), shape=(part.shape[0], width))


def widest(stream: Stream) -> int | None:
    """The width of the widest rows of a stream that may grow, from a pass over it; None if it does not grow."""
    return max(chunk.X.shape[1] for chunk in stream) if getattr(stream, "widens", False) else None


def of_width(X: Any, width: int) -> Any:
    """Rows for a model with `width` features: sparse rows without those that it has never seen.

    Other rows stay as they are: the model says what is wrong with them.
    """
    if not sp.issparse(X) or X.shape[1] == width:
        return X
    return widened(X, width) if X.shape[1] < width else X[:, :width]
