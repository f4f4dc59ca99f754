"""Model files of `AutoLearner`: what they hold."""

from typing import Any

import scipy.sparse as sp

from askance._util.saving import Arrays, Header, class_list, matrix_arrays
from askance.auto.core import AutoCore
from askance.auto.features import Columns
from askance.auto.rows import Sparse


def contents(core: AutoCore) -> tuple[Header, Arrays]:
    """What a file holds of a learner, apart from its parameters."""
    features, forest = core.features, core.forest
    arrays = {
        **matrix_arrays("labelled/X", _matrix(core.labelled.rows)),
        "labelled/codes": core.labelled.codes,
        **{f"linear/{name}": array for name, array in core.linear.learned().items()},
        "mixture/losses": core.mixture.losses,
        "mixture/weighted": core.mixture.weighted,
        "past/recent": core.past.recent,
        "past/behind": core.past.behind,
        "past/counts": core.past.counts,
        "features/rows": features.rows,
    }
    names: tuple[str, ...]
    if isinstance(features, Columns):
        names = ("means", "squares", "centres", "scales")
    else:
        names = ("frequencies", "weights")
    arrays |= {f"features/{name}": getattr(features, name) for name in names}
    if forest is not None:
        arrays |= {f"forest/{name}": array for name, array in forest.trees._asdict().items()}
    header: Header = {
        "observed": class_list(core.encoder.observed),
        "next_refresh": core.next_refresh,
        "grown_on": 0 if forest is None else forest.grown_on,
        "flags": [] if isinstance(features, Columns) else [features.are_counts, features.takes_logs],
    }
    return header, arrays


def _matrix(X: Any) -> Any:
    return sp.csr_array((X.data, X.indices, X.indptr), shape=X.shape) if isinstance(X, Sparse) else X
