"""The trace of a pass over rows with several labels: what was predicted and asked of every pair."""

import dataclasses
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from askance._util.html import html_table
from askance.metrics import Estimate
from askance.metrics.multilabel import (
    MULTILABEL_METRICS,
    TITLES,
    AskedPairs,
    LabelCounts,
    check_metric,
    label_counts,
)

PER_ROW = ("y", "predictions", "scores", "ask_probabilities", "asked")


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class MultiLabelTrace:
    """The decisions of a pass, as matrices with one row per row and one column per label.

    `MultiLabelLearner.run` returns it.

    Attributes
    ----------
    classes : ndarray
        The labels, sorted: the columns of the matrices.
    y, predictions : ndarray of bool
        Which labels rows carry, and which were predicted.
    scores : ndarray of float
        The scores. Those of predicted labels are positive.
    ask_probabilities : ndarray of float
        The probabilities of asking about each pair of a row and a label.
    asked : ndarray of bool
        Which pairs were asked about.
    by_row : bool
        Whether one coin decided about all labels of a row.
    first_round : int
        The number of rows before the first one.
    refused : int
        The number of pairs that the budget refused.

    Examples
    --------
    >>> import numpy as np
    >>> from askance import MultiLabelLearner
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> trace = MultiLabelLearner(rate=0.3).run(X, X > 1)
    >>> bool(trace.asked.mean() < 0.35)
    True
    >>> bool(trace.metric("micro_f") > 0.6)
    True
    """

    classes: NDArray[Any]
    y: NDArray[np.bool_]
    predictions: NDArray[np.bool_]
    scores: NDArray[np.float64]
    ask_probabilities: NDArray[np.float64]
    asked: NDArray[np.bool_]
    by_row: bool
    first_round: int = 0
    refused: int = 0

    def __post_init__(self) -> None:
        shapes = {getattr(self, name).shape for name in PER_ROW}
        if len(shapes) > 1 or {shape[1:] for shape in shapes} != {self.classes.shape}:
            raise ValueError(f"the matrices {', '.join(PER_ROW)} must have one column per label, not {shapes}")

    def __len__(self) -> int:
        return len(self.predictions)

    def __repr__(self) -> str:
        asked = np.count_nonzero(self.asked)
        return f"<MultiLabelTrace: {len(self)} rows, {len(self.classes)} labels, {asked} pairs asked>"

    def _repr_html_(self) -> str:
        """The metrics and their estimates, for notebooks."""
        rows = [(TITLES[name], f"{self.metric(name):.4f}", self.estimate(name)) for name in MULTILABEL_METRICS]
        return html_table(repr(self).strip("<>"), rows, ("metric", "value", "estimate from asked labels"))

    def counts(self) -> LabelCounts:
        """Mistakes per label, over all rows."""
        return label_counts(self.y, self.predictions)

    def metric(self, name: str) -> float:
        """A metric over all rows: "micro_f", "macro_f", "hamming_loss" or "cardinality" (labels per row)."""
        check_metric(name)
        return MULTILABEL_METRICS[name](self.counts())

    def estimate(self, metric: str, level: float = 0.95) -> Estimate:
        """Estimate a metric over all rows from the asked pairs alone, with an interval.

        Each asked pair is weighted by the inverse of its ask probability. The interval is about one fixed time.
        Macro-F is that of the labels of which enough carriers are known; `Estimate.note` says how many.
        """
        matrices = (self.y & self.asked, self.predictions, self.asked, self.ask_probabilities)
        return AskedPairs(*matrices, self.by_row).estimate(metric, level)

    @classmethod
    def join(cls, traces: Iterable[Self]) -> "MultiLabelTrace":
        """Join consecutive pieces with the same labels into one trace."""
        pieces = list(traces)
        if not pieces:
            raise ValueError("there are no traces to join")
        if any(not np.array_equal(piece.classes, pieces[0].classes) for piece in pieces):
            raise ValueError("traces of different labels cannot be joined: give the learner its classes")
        whole: dict[str, Any] = {
            name: np.concatenate([getattr(piece, name) for piece in pieces]) for name in PER_ROW
        }
        return dataclasses.replace(pieces[0], **whole, refused=sum(piece.refused for piece in pieces))
