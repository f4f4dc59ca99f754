"""Select, label, fit: the loop in which a strategy asks and anything that knows labels answers."""

from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from askance._util.parameters import COUNT, check_parameters
from askance.learners.labels import as_labels
from askance.pool.selection import Indices, Selection, Strategy
from askance.pool.views import as_matrix, as_privileged


class Loop:
    """Goes through a pool: each turn fits the strategy to the labels so far and asks for those of more rows::

        loop = Loop(strategy, X, {3: "cat", 17: "dog"}, privileged=P, batch=10, queries=100)
        for question in loop:
            loop.tell(question.rows, [oracle(row) for row in question.rows])

    Parameters
    ----------
    strategy : how to choose rows; it is fitted again in each turn.
    X, privileged : the pool, labelled rows included; a row of NaN in `privileged` says that it has none.
    labels : the labels to begin with, by their places in X.
    batch : how many rows a question is about, or fewer at the end.
    queries : how many labels to ask for; None means all.

    Labels may be told late, in any order, in part, for rows that nobody asked about, and again, if the first was
    wrong. A row whose label is outstanding is asked about again only when there is no other row left to ask for.
    The loop ends when `queries` labels have been told, or when every row has a label or was skipped.
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
        if not labels:
            raise ValueError(
                "labels is empty: the strategy learns from labels, so label some rows at random first"
            )
        self._labels: dict[int, Any] = {}
        self._outstanding: set[int] = set()
        self._skipped: set[int] = set()
        self.tell(list(labels), list(labels.values()))
        self._given = len(self._labels)

    def __iter__(self) -> Iterator[Selection]:
        return self

    def __next__(self) -> Selection:
        choice, n = self._choice()
        if not len(choice) or n < 1:
            raise StopIteration
        rows, labels = self.labelled()
        self.strategy.fit(self._X[rows], labels, self._others(rows))
        selection = self.strategy.select(self._X[choice], n, self._others(choice))
        selection = selection._replace(rows=choice[selection.rows])
        self._outstanding.update(selection.rows.tolist())
        return selection

    def tell(self, rows: int | Sequence[int] | Indices, labels: Any) -> Self:
        """Take the labels of rows, which are places in the pool; if one of them is bad, none is taken."""
        places = self._places(rows)
        told = as_labels([labels] if isinstance(rows, Integral) else labels, len(places)).tolist()
        merged = self._labels | dict(zip(places, told, strict=True))
        as_labels(list(merged.values()), len(merged))  # of one kind
        self._labels = merged
        self._outstanding.difference_update(places)
        self._skipped.difference_update(places)
        return self

    def skip(self, rows: int | Sequence[int] | Indices) -> Self:
        """Ask about these rows no more: nobody can tell their labels."""
        places = self._places(rows)
        self._skipped.update(places)
        self._outstanding.difference_update(places)
        return self

    def labelled(self) -> tuple[Indices, NDArray[Any]]:
        """The rows that have labels, in the order of the pool, and these labels, for a last classifier."""
        rows = sorted(self._labels)
        return np.array(rows, np.intp), as_labels([self._labels[row] for row in rows], len(rows))

    def outstanding(self) -> Indices:
        """The rows that were asked about and have no label yet."""
        return np.array(sorted(self._outstanding), np.intp)

    def _choice(self) -> tuple[Indices, int]:
        """Rows to choose from, and how many: those never asked about, or else those without an answer."""
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
            raise ValueError(f"rows are places in the pool, from 0 to {count - 1}, not {rows!r}")
        bad = places[(places < 0) | (places >= count)]
        if len(bad):
            raise ValueError(f"there is no row {bad[0]}: the pool has rows from 0 to {count - 1}")
        if len(np.unique(places)) < len(places):
            raise ValueError(f"a row stands twice in rows: {rows!r}")
        return [int(place) for place in places]
