"""The models that compete: linear ones with several penalties, and a forest. They learn from the same labels."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.auto.memory import Growing, RowMemory
from askance.jit.kernels import descent, trees
from askance.jit.kernels.descent import Lanes, Rows

PENALTIES = (0.3, 3.0, 30.0, 300.0)  # C of PA-II
VISITS = 512  # remembered rows that a label makes a linear model visit again: the newest, and others in turn
YOUNG, YOUNG_SWEEPS = 50, 3  # up to 50 labels, all are visited three times after each
TREES = 50
GROWTH = 1.1  # a forest is grown from scratch when there are this many times more labels

Numbers = NDArray[np.float64]


class LinearModels:
    """A one-against-rest support vector machine for every penalty, kept up to date by dual coordinate descent."""

    def __init__(self, width: int) -> None:
        self.classes = 2
        # Only features of remembered rows have weights; place 0 is for all others, and its weights stay 0.
        self._places = np.zeros(width, np.int32)
        self._features = Growing((1,), np.int64)  # the feature of each place
        self.memory = RowMemory()
        self.squared_norms = Growing((0,), np.float64)
        self.codes = Growing((0,), np.int64)
        self._dampings = 1.0 / (2.0 * np.array(PENALTIES))
        self._start()

    def _start(self) -> None:
        self.lanes = len(PENALTIES) * (1 if self.classes == 2 else self.classes)
        self._weights = Growing((self._features.count, self.lanes), np.float64)
        self.duals = Growing((self.codes.count, self.lanes), np.float64)

    @property
    def weights(self) -> Numbers:
        """The weights of all features: features × lanes."""
        return self._weights.view[self._places]

    def scores(self, rows: Rows) -> Numbers:
        """Return the scores of rows: rows × penalties × classes, or × 1 for two classes."""
        found = np.empty((len(rows.starts) - 1, self.lanes))
        descent.scores(self._placed(rows), self._weights.view, found)
        return found.reshape(len(found), len(PENALTIES), -1)

    def add(self, rows: Rows, codes: NDArray[np.int64], classes: int) -> None:
        """Remember rows, and learn from them."""
        self._make_places(rows)
        self.memory.extend(self._placed(rows))
        self.squared_norms.extend(_squared_norms(rows))
        self.codes.extend(codes)
        self.duals.extend(np.zeros((len(codes), self.lanes)))
        if classes > max(2, self.classes):
            self.classes = classes
            self._start()
            self.sweep(10)
        elif self.codes.count <= YOUNG:
            self.sweep(YOUNG_SWEEPS)
        else:
            self._visit_some()

    def refresh(self, rows: Rows) -> None:
        """Go on with the same labels and other features of their rows."""
        self.memory = RowMemory()
        self.memory.extend(self._placed(rows))
        self.squared_norms.view[:] = _squared_norms(rows)
        descent.gather(self.memory.rows, self.codes.view, self._lanes())
        self.sweep(2)

    def learned(self) -> dict[str, NDArray[Any]]:
        """What a file must hold beside the rows and their codes."""
        return {"features": self._features.view, "weights": self._weights.view, "duals": self.duals.view}

    def restore(
        self, rows: Rows, codes: NDArray[np.int64], classes: int, learned: dict[str, NDArray[Any]]
    ) -> None:
        """Go on from what was learned before; ValueError if the shapes do not fit."""
        features, weights, duals = learned["features"], learned["weights"], learned["duals"]
        self._features.extend(features[1:])
        self._places[features[1:]] = np.arange(1, len(features))
        if (self._places[rows.indices] == 0).any() or len(np.unique(features[1:])) < len(features) - 1:
            raise ValueError("features of remembered rows need one place each")
        self.memory.extend(self._placed(rows))
        self.squared_norms.extend(_squared_norms(rows))
        self.codes.extend(codes)
        self.classes = classes
        self._start()
        if weights.shape != self._weights.view.shape or duals.shape != self.duals.view.shape:
            raise ValueError("weights and dual variables have other shapes than rows and classes")
        self._weights.view[:], self.duals.view[:] = weights, duals

    def drop(self, number: int) -> None:
        """Forget the oldest rows and what was learned from them."""
        for part in (self.memory, self.squared_norms, self.codes, self.duals):
            part.drop(number)
        descent.gather(self.memory.rows, self.codes.view, self._lanes())

    def sweep(self, times: int) -> None:
        """Visit all remembered rows."""
        for _ in range(times):
            self._visit(0, self.codes.count)

    def _make_places(self, rows: Rows) -> None:
        new = np.unique(rows.indices[self._places[rows.indices] == 0])
        self._places[new] = np.arange(self._features.count, self._features.count + len(new))
        self._features.extend(new)
        self._weights.extend(np.zeros((len(new), self.lanes)))

    def _placed(self, rows: Rows) -> Rows:
        return rows._replace(indices=self._places[rows.indices])

    def _visit_some(self) -> None:
        count = self.codes.count
        newest = max(0, count - VISITS // 2) if count > VISITS else 0
        self._visit(newest, count)
        if newest:
            turn = count * (VISITS // 2) % newest
            self._visit(turn, min(newest, turn + VISITS // 2))

    def _visit(self, first: int, last: int) -> None:
        descent.visit(self.memory.rows, self.codes.view, self.squared_norms.view, self._lanes(), first, last)

    def _lanes(self) -> Lanes:
        width = 1 if self.classes == 2 else self.classes
        return Lanes(self._weights.view, self.duals.view, self._dampings, width)


def _squared_norms(rows: Rows) -> Numbers:
    count = len(rows.starts) - 1
    owners = np.repeat(np.arange(count), np.diff(rows.starts))
    found: Numbers = np.bincount(owners, rows.values**2, count).astype(np.float64)
    return found


class Forest:
    """Extremely randomized trees on raw columns."""

    def __init__(self, random_state: int) -> None:
        self.random_state = random_state
        self.grown_on = 0
        self.trees = trees.empty(TREES, 1)

    def add(self, X: Numbers, codes: NDArray[np.int64], classes: int) -> None:
        """Grow from scratch if there are enough more labels than last time. `X` are all remembered rows."""
        if len(codes) < GROWTH * self.grown_on or len(codes) < 2:
            return
        self.trees = trees.empty(TREES, len(codes))
        trees.grow(X, codes, classes, self.trees, self.random_state)
        self.grown_on = len(codes)

    def shares(self, X: Any, classes: int) -> Numbers:
        """Return the share of trees that vote for each class, with one vote more that is divided evenly."""
        votes = np.full((len(X), classes), 1.0 / classes)
        if self.grown_on:
            trees.votes(X, self.trees, votes)
        return votes / votes.sum(axis=1, keepdims=True)
