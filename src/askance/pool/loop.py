"""The loop of pool-based active learning: select, label, fit again."""

from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance._util.parameters import COUNT, check_parameters
from askance.learners.labels import as_labels
from askance.pool.selection import Indices, Selection, Strategy
from askance.pool.views import as_matrix, as_privileged


class PoolLoop:
    """Iterate over the batches of rows to label. Each step fits the strategy to the labels so far.

    Labels may arrive late, in any order, only for some rows, for rows that were not selected, and again if the
    first one was wrong. A row whose label is outstanding is selected again only when no other row is left. The
    loop ends when `queries` labels have been given, or when every row has a label or was skipped.

    Parameters
    ----------
    strategy : Strategy
        Chooses the rows. It is fitted again in each step.
    X : array-like or sparse matrix of shape (n_rows, n_features)
        The pool, including the rows that have labels.
    labels : mapping of int to label
        The first labels, by row index. It may be empty if the strategy needs none: `CoreSet`, `ProbCover`,
        `TypiClust`, and `PrivilegedSelector(use="diversity")`.
    privileged : array-like or sparse matrix of shape (n_rows, n_privileged_features) or None, default: None
        Privileged features. A row of NaN means that the row has none.
    batch : int, default: 10
        Number of rows per step; fewer at the end.
    queries : int or None, default: None
        Number of labels to ask for. None means all.

    Raises
    ------
    askance.errors.ParameterError
        If `batch` or `queries` is not allowed.
    ValueError
        If X, `labels` or `privileged` cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import MarginSampling, PoolLoop
    >>> X = np.arange(20.0).reshape(-1, 1)
    >>> answers = np.where(X[:, 0] < 8, "low", "high")
    >>> loop = PoolLoop(MarginSampling(), X, {0: "low", 19: "high"}, batch=2, queries=6)
    >>> for selection in loop:
    ...     _ = loop.tell(selection.rows, answers[selection.rows])
    >>> len(loop.labelled()[0])
    8
    """

    def __init__(
        self,
        strategy: Strategy,
        X: Any,
        labels: Mapping[int, Any],
        *,
        privileged: Any = None,
        batch: int = 10,
        queries: int | None = None,
    ) -> None:
        self.strategy = strategy
        self.batch = batch
        self.queries = queries
        check_parameters(self, {"batch": COUNT} | ({} if queries is None else {"queries": COUNT}))
        self._X = as_matrix(X)
        self._privileged = None
        if privileged is not None:
            matrix, known = as_privileged(privileged, self._X.shape[0])
            self._privileged = matrix if known.all() else np.where(known[:, None], matrix, np.nan)
        if not labels and not getattr(strategy, "starts_without_labels", False):
            raise ValueError("labels is empty: this strategy learns from labels, so label some random rows first")
        self._labels: dict[int, Any] = {}
        self._outstanding: set[int] = set()
        self._skipped: set[int] = set()
        if labels:
            self.tell(list(labels), list(labels.values()))
        self._given = len(self._labels)

    def __iter__(self) -> Iterator[Selection]:
        return self

    def __next__(self) -> Selection:
        choice, n = self._choice()
        if not len(choice) or n < 1:
            raise StopIteration
        rows, labels = self.labelled()
        if len(rows):
            self.strategy.fit(self._X[rows], labels, self._others(rows))
        selection = self.strategy.select(self._X[choice], n, self._others(choice))
        selection = selection._replace(rows=choice[selection.rows])
        self._outstanding.update(selection.rows.tolist())
        return selection

    def tell(self, rows: int | Sequence[int] | Indices, labels: Any) -> Self:
        """Give the labels of some rows. If one of them cannot be used, none is taken.

        Parameters
        ----------
        rows : int or array-like of int
            Indices of rows in the pool.
        labels : label or array-like of labels
            One label per row.

        Returns
        -------
        self : PoolLoop
        """
        places = self._places(rows)
        given = as_labels([labels] if isinstance(rows, Integral) else labels, len(places)).tolist()
        merged = self._labels | dict(zip(places, given, strict=True))
        as_labels(list(merged.values()), len(merged))  # checks that all are of one kind
        self._labels = merged
        self._outstanding.difference_update(places)
        self._skipped.difference_update(places)
        return self

    def skip(self, rows: int | Sequence[int] | Indices) -> Self:
        """Never select these rows again, because their labels cannot be had.

        Parameters
        ----------
        rows : int or array-like of int
            Indices of rows in the pool.

        Returns
        -------
        self : PoolLoop
        """
        places = self._places(rows)
        self._skipped.update(places)
        self._outstanding.difference_update(places)
        return self

    def labelled(self) -> tuple[Indices, NDArray[Any]]:
        """Return the labelled rows and their labels, for example to train a final classifier.

        Returns
        -------
        rows : ndarray of int
            Indices of rows, in increasing order.
        labels : ndarray
            Their labels.
        """
        rows = sorted(self._labels)
        return np.array(rows, np.intp), as_labels([self._labels[row] for row in rows], len(rows))

    def outstanding(self) -> Indices:
        """Return the rows that were selected and have no label yet.

        Returns
        -------
        rows : ndarray of int
            Indices of rows, in increasing order.
        """
        return np.array(sorted(self._outstanding), np.intp)

    def _choice(self) -> tuple[Indices, int]:
        """Rows to select from, and how many to select: new rows, or else those whose labels are outstanding."""
        count, waiting = self._X.shape[0], self.outstanding()
        left = count if self.queries is None else self.queries - (len(self._labels) - self._given)
        fresh = np.setdiff1d(np.arange(count), [*self._labels, *self._skipped, *waiting])
        if len(fresh) and left > len(waiting):
            return fresh, min(self.batch, left - len(waiting))
        return waiting, min(self.batch, left)

    def _others(self, rows: Indices) -> Any:
        return None if self._privileged is None else self._privileged[rows]

    def _places(self, rows: ArrayLike) -> list[int]:
        places = np.atleast_1d(np.asarray(rows))
        count = self._X.shape[0]
        if places.ndim != 1 or (len(places) and places.dtype.kind not in "iu"):
            raise ValueError(f"rows must be whole numbers from 0 to {count - 1}, not {rows!r}")
        bad = places[(places < 0) | (places >= count)]
        if len(bad):
            raise ValueError(f"there is no row {bad[0]}: the pool has rows 0 to {count - 1}")
        if len(np.unique(places)) < len(places):
            raise ValueError(f"rows has the same row twice: {rows!r}")
        return [int(place) for place in places]
