"""The inputs of a theorem: labelled rows, a comparator, and the decisions of runs."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from askance.learners import labels
from askance.learners.settings import Settings
from askance.learners.trace import Trace
from askance.rules.registry import MULTICLASS
from askance.theory.svms import fit_svms
from askance.typing import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows with labels: signs for two classes, indices in `classes` for many."""

    X: Any  # an array or a CSR matrix, of float64
    codes: NDArray[Any]
    classes: NDArray[Any]
    many: bool

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def width(self) -> int:
        """The number of features."""
        return int(self.X.shape[1])

    @functools.cached_property
    def squared_norms(self) -> FloatArray:
        """x·x of each row."""
        return np.asarray(self.X.multiply(self.X).sum(axis=1) if sp.issparse(self.X) else (self.X**2).sum(axis=1))

    @property
    def longest(self) -> float:
        """max ‖x‖."""
        return float(np.sqrt(self.squared_norms.max()))

    @property
    def largest(self) -> float:
        """max ‖x‖_∞."""
        return float(abs(self.X).max())

    def longest_in(self, p: float) -> float:
        """max ‖x‖_p."""
        sums = (abs(self.X) ** p).sum(axis=1)
        return float(np.asarray(sums).max() ** (1 / p))

    @functools.cached_property
    def occurring(self) -> int:
        """The number of features that are not 0 in all rows."""
        if sp.issparse(self.X):
            return len(np.unique(self.X.indices[self.X.data != 0]))
        return int(np.count_nonzero(self.X.any(axis=0)))

    @functools.cached_property
    def svms(self) -> list[FloatArray]:
        """Support vector machines on the rows, as candidates for comparators."""
        return fit_svms(self.X, self.codes, len(self.classes))

    def row(self, t: int) -> tuple[Any, FloatArray]:
        """The indices and the values of row `t`."""
        if not sp.issparse(self.X):
            return slice(None), self.X[t]
        here = slice(self.X.indptr[t], self.X.indptr[t + 1])
        return self.X.indices[here], self.X.data[here]

    def rows(self, chosen: BoolArray) -> Any:
        """The rows that a mask selects."""
        return self.X[np.flatnonzero(chosen)]

    def compared(self, u: FloatArray) -> "Compared":
        """The comparator `u` with its margins on the rows."""
        if not self.many:
            return Compared(u, self.codes * (self.X @ u))
        scores = self.X @ u.T
        rounds = np.arange(len(self))
        right = scores[rounds, self.codes]
        scores[rounds, self.codes] = -np.inf
        return Compared(u, right - scores.max(axis=1))


class Compared(NamedTuple):
    """A comparator and its margins: y u·x, or for many classes the correct score minus the best wrong one."""

    u: FloatArray
    margins: FloatArray

    def scaled(self, factor: float) -> "Compared":
        """The comparator times a factor."""
        return Compared(self.u * factor, self.margins * factor)

    @property
    def norm(self) -> float:
        """‖u‖; for many classes, the root of the sum of squares over the classes."""
        return float(np.linalg.norm(self.u))

    def losses(self, margin: float | FloatArray = 1.0) -> FloatArray:
        """The hinge losses, max(0, margin - y u·x)."""
        return np.maximum(0.0, margin - self.margins)


class Draw(NamedTuple):
    """The decisions of one run, per round."""

    predicted: NDArray[Any]
    scores: FloatArray
    ask_probabilities: FloatArray
    asked: BoolArray
    updated: BoolArray
    mistakes: BoolArray
    from_start: bool
    exact: bool


def labelled(X: Any, y: ArrayLike, traces: Sequence[Trace], *, many: bool) -> LabelledRows:
    """Rows and labels from a user; raises ValueError if they cannot be used."""
    rows = _floats(X)
    given = labels.as_labels(y, rows.shape[0])
    classes = _classes(given, traces, many=many)
    order = np.argsort(classes)
    places = order[np.minimum(np.searchsorted(classes, given, sorter=order), len(order) - 1)]
    if not np.array_equal(classes[places], given):
        strange = given[classes[places] != given][0]
        raise ValueError(
            f"y has the class {strange.item()!r}, which the trace does not have: pass the y of the trace"
        )
    return LabelledRows(rows, places if many else places * 2.0 - 1.0, classes, many)


def _floats(X: Any) -> Any:
    rows: Any = sp.csr_array(X, dtype=np.float64) if sp.issparse(X) else np.asarray(X, np.float64)
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(f"X must be a non-empty matrix, not an array of shape {rows.shape}")
    if not np.isfinite(rows.data if sp.issparse(rows) else rows).all():
        raise ValueError("X contains NaN or infinity: replace it")
    if sp.issparse(rows) and not rows.has_canonical_format:
        rows = rows.copy()  # it may share its memory with the matrix of the user
        rows.sum_duplicates()
    return rows


def _classes(y: NDArray[Any], traces: Sequence[Trace], *, many: bool) -> NDArray[Any]:
    """The classes in the order of the traces, which breaks ties between scores; without a trace, sorted."""
    for trace in traces:
        if (trace.kind == MULTICLASS) != many:
            kinds = ("two classes", "many classes")
            raise ValueError(f"the trace is of {kinds[not many]}, but the algorithm is for {kinds[many]}")
    if not traces:
        found = np.unique(y)
        return found if many else labels.pair(labels.distinct(y, found[:0]))
    if any(not np.array_equal(trace.classes, traces[0].classes) for trace in traces):
        raise ValueError("the traces have different classes: pass traces of the same stream")
    return np.asarray(traces[0].classes)


def drawn(trace: Trace, rows: LabelledRows) -> Draw:
    """The decisions in a trace; raises ValueError if it is not of these rows."""
    prepared = Settings.in_name(trace.algorithm)
    if prepared:
        raise ValueError(
            f"the trace is of a learner with {prepared}, whose update rule saw other rows than X: add the "
            "constant column or scale the rows yourself, run the learner without, and pass these rows"
        )
    if len(trace) != len(rows):
        raise ValueError(
            f"the trace has {len(trace)} rounds but X has {len(rows)} rows: pass the rows of the trace"
        )
    if not np.array_equal(trace.true_codes, rows.codes):
        wrong = int(np.argmax(trace.true_codes != rows.codes))
        raise ValueError(f"the trace has another label than y at row {wrong}: pass the labels of the trace")
    return Draw(
        predicted=trace.predicted_codes,
        scores=trace.scores.astype(np.float64),
        ask_probabilities=trace.ask_probabilities.astype(np.float64),
        asked=trace.asked,
        updated=trace.updated,
        mistakes=trace.predicted_codes != rows.codes,
        from_start=trace.first_round == 0,
        exact="float64" in trace.mode,
    )


def checked(u: ArrayLike, rows: LabelledRows) -> FloatArray:
    """A comparator from a user, in the shape of `coef_`; raises ValueError if it does not match the rows."""
    try:
        given = np.asarray(u, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"the comparator must be numbers, not {u!r}") from None
    shape = (len(rows.classes), rows.width) if rows.many else (rows.width,)
    if not rows.many and given.shape == (1, rows.width):
        given = given[0]
    if given.shape != shape:
        raise ValueError(f"the comparator has the shape {given.shape}, but these rows need {shape}")
    if not np.isfinite(given).all():
        raise ValueError("the comparator contains NaN or infinity: pass finite numbers")
    return in_order(given, rows)


def in_order(u: FloatArray, rows: LabelledRows) -> FloatArray:
    """For many classes, reorder from the sorted order of users to that of `rows.classes`."""
    return u[np.argsort(np.argsort(rows.classes))] if rows.many else u


def in_sorted_order(u: FloatArray, rows: LabelledRows) -> FloatArray:
    """For many classes, reorder from that of `rows.classes` to the sorted order of users."""
    return u[np.argsort(rows.classes)] if rows.many else u
