"""Targets: numbers that a user passed, checked, in the place of an encoder of classes."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance.errors import shown


class TargetEncoder:
    """Numbers stand for themselves. It takes the place that an encoder of classes has in a core."""

    lanes = 1
    is_turned = False
    observed = values = np.empty(0)

    def label(self, code: float) -> None:  # noqa: ARG002
        """Return None: the prediction is the score."""
        return

    def encode_one(self, label: Any) -> tuple[Self, NDArray[np.float64]]:
        """Return one target as an array."""
        return self.encode([label])

    def encode(self, y: ArrayLike, classes: Any = None) -> tuple[Self, NDArray[np.float64]]:  # noqa: ARG002
        """Return targets as an array."""
        return self, as_numbers(y)


def as_numbers(y: ArrayLike, n_rows: int | None = None) -> NDArray[np.float64]:
    """`y` as one finite number per row; ValueError if it is something else."""
    given = np.asarray(y)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.ndim != 1:
        raise ValueError(f"y must hold one number per row, not an array of shape {given.shape}")
    if given.dtype.kind not in "biufO" and given.size:
        raise ValueError(f"y must hold numbers, not {shown(given[0].item())}: for classes, use AutoLearner")
    try:
        targets = np.ascontiguousarray(given, np.float64)
    except (TypeError, ValueError):
        raise ValueError("y must hold numbers: for classes, use AutoLearner") from None
    if n_rows is not None and len(targets) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {len(targets)} numbers: they must match")
    if not np.isfinite(targets).all():
        row = int(np.argmin(np.isfinite(targets)))
        raise ValueError(f"y contains NaN or infinity, first in row {row}: leave these rows out")
    return targets
