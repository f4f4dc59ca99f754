"""The model of a labelling session: an automatic learner that has seen all rows of a pool, and some labels."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from askance.auto.core import AutoCore
from askance.auto.rows import canonical, plain, ready_rows
from askance.auto.settings import AutoSettings
from askance.data.frames import is_frame
from askance.data.mixed import MixedRows, take_rows
from askance.data.stacking import stacked
from askance.data.stream import is_stream
from askance.data.typed import read_table
from askance.jit.kernels.mixed import Mixed
from askance.typing import FloatArray, IntArray

FEWEST_REMEMBERED = 2000


class Pool:
    """All rows that there are; ValueError if they cannot be used.

    They are an array, a sparse matrix, `MixedRows`, a stream, which is read to its end, or a data frame.
    """

    def __init__(self, X: Any) -> None:
        self._X = _as_rows(_whole(X))
        self.rows: int = self._X.shape[0]

    def take(self, rows: Sequence[int] | IntArray) -> Mixed:
        """Some rows, in this order."""
        return plain(take_rows(self._X, np.asarray(rows, np.intp)))

    def all(self) -> Mixed:
        """All rows."""
        return plain(self._X)


def _whole(X: Any) -> Any:
    """The rows of all chunks of a stream or of a data frame; other rows as they are."""
    stream = read_table(X, label=False) if is_frame(X) else X
    if not is_stream(stream):
        return X
    parts = [chunk.X for chunk in stream]
    if not parts:
        raise ValueError(f"{stream.name} has no rows")
    return stacked(parts)


def _as_rows(X: Any) -> Any:
    """Rows of finite numbers in a form that compiled code takes; ValueError if they cannot become that."""
    if ready_rows(X, None) is not None:
        return X
    # Rows of files are ready. Others need scikit-learn, whose import takes long.
    from sklearn.utils.validation import check_array

    from askance.auto.row_input import checked_parts
    from askance.learners.validation import in_one_line

    try:
        if isinstance(X, MixedRows):
            return checked_parts(X)
        return canonical(check_array(X, accept_sparse="csr", dtype=np.float64, input_name="X"))
    except (TypeError, ValueError) as error:
        raise type(error)(in_one_line(str(error))) from None


def new_core(pool: Pool, classes: Sequence[str], random_state: int) -> AutoCore:
    """A learner without labels. Scales of columns and weights of words come from all rows of the pool."""
    memory = max(FEWEST_REMEMBERED, pool.rows)
    known = list(classes) if len(classes) > 1 else None
    core = AutoCore(AutoSettings(memory=memory, random_state=random_state, classes=known, forget=False))
    every = pool.all()
    core.start(every)
    core.observe(every)
    return core


def predictions(core: AutoCore, X: Mixed) -> list[str | None]:
    """The predicted classes of some rows; None where no class is known yet."""
    if not len(core.encoder.observed):
        return [None] * len(X.dense)
    return [core.encoder.label(int(code)) for code in core.shares(X).argmax(axis=1)]


def leads(core: AutoCore, X: Mixed) -> FloatArray:
    """By how much the likeliest class of each row leads the second. The smaller, the greater the doubt."""
    ordered = np.sort(core.shares(X), axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])


def learn_all(core: AutoCore, pool: Pool, labels: Iterable[tuple[int, str]]) -> None:
    """Learn many labels at once, each of a row of the pool."""
    rows, names = zip(*labels, strict=True)
    core.learn(pool.take(rows), as_names(names), None)


def as_names(names: Sequence[str]) -> NDArray[np.str_]:
    """Labels as an array."""
    return np.array(names, dtype=str)


def joined(parts: Sequence[Any]) -> Any:
    """The rows of several chunks of a table, one after the other."""
    if isinstance(parts[0], MixedRows):
        return MixedRows(
            np.concatenate([part.dense for part in parts]),
            sp.vstack([part.sparse for part in parts], format="csr"),
        )
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)
