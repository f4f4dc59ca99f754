"""Lets `AutoLearner` take `MixedRows` as one array, until it takes both parts as they are."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from askance.auto.learner import AutoLearner
from askance.data.mixed import MixedRows

FOLDED = 128  # columns into which the sparse part is folded


@cache
def takes_mixed_rows() -> bool:
    """Whether `AutoLearner` takes both parts."""
    try:
        AutoLearner().run(MixedRows(np.ones((2, 1)), sp.csr_array(np.ones((2, 1)))), ["a", "b"])
    except (TypeError, ValueError):
        return False
    return True


def accept_mixed_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fold the sparse part into a few dense columns."""
    as_before = AutoLearner._validated

    def validated(learner: AutoLearner, X: Any) -> Any:
        if isinstance(X, MixedRows):
            folded = np.zeros((X.shape[0], FOLDED))
            rows = np.repeat(np.arange(X.shape[0]), np.diff(X.sparse.indptr))
            np.add.at(folded, (rows, X.sparse.indices % FOLDED), X.sparse.data)
            X = np.hstack([X.dense, folded])
        return as_before(learner, X)

    monkeypatch.setattr(AutoLearner, "_validated", validated)
