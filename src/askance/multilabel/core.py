"""The core of a learner of several labels: lanes, thresholds, and the questions they ask."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from askance.auto.core import DOUBLING, EVERY_ROW
from askance.auto.models import copy_scales, refresh
from askance.auto.rows import part
from askance.errors import ParameterError
from askance.jit.kernels import labelling, pairs
from askance.jit.kernels.labelling import REMEMBERED
from askance.jit.kernels.mixed import Mixed
from askance.jit.kernels.pairs import LEARNED, NEXT_REFRESH, PairModels
from askance.learners.core import Spending
from askance.multilabel.models import new_models, with_labels, with_room, without_oldest
from askance.multilabel.questions import ASKED, REFUSED, ROWS, SEEN, Answer, decide, no_questions
from askance.multilabel.settings import MultiLabelSettings
from askance.multilabel.thresholds import logistic, new_thresholds

Numbers = NDArray[np.float64]
Sides = NDArray[np.int8]

REFRESH_SWEEPS, LAST_SWEEPS = 2, 10


class MultiLabelCore:
    """Lanes, one per label in the order in which labels became known, for rows of the kind `Mixed`."""

    models: PairModels

    def __init__(self, settings: MultiLabelSettings) -> None:
        settings.check()
        self.settings = settings
        self.names: list[Any] = []
        self.thresholds = new_thresholds(0)
        self.questions = no_questions()
        self.widths: tuple[int, int] | None = None
        self.unit_columns = 0  # the first columns, if they are vectors of length 1 beside others

    def start(self, X: Mixed) -> None:
        """Prepare for rows like these, unless there were some before."""
        if self.widths is None:
            self.widths = X.dense.shape[1], X.sparse_width
            self.models = new_models(*self.widths, len(self.names), float(self.settings.C))

    @property
    def remembered(self) -> int:
        """The number of labelled rows in memory."""
        return 0 if self.widths is None else int(self.models.counts[REMEMBERED])

    @property
    def spending(self) -> Spending:
        """The number of rows seen, of pairs asked about, and of those that the budget refused."""
        return Spending(*(int(self.questions.counts[place]) for place in (ROWS, ASKED, REFUSED)))

    def add_labels(self, names: Sequence[Any]) -> None:
        """Add lanes for new labels. Rows of which all labels were known do not carry them."""
        if not names:
            return
        self.names = [*self.names, *names]
        self.thresholds = self.thresholds.with_labels(len(names))
        if self.widths is not None:
            self.models = with_labels(self.models, len(names))
            if self.models.whole.any():
                pairs.retrain(self.models, False, LAST_SWEEPS)

    def with_columns(self, columns: int) -> "MultiLabelCore":
        """Return a core for rows with more dense columns, which were 0 in all rows so far.

        It learns the remembered labels again: this is for the first rows.
        """
        assert self.widths is not None
        fresh, before, rows = MultiLabelCore(self.settings), self.widths[0], self.remembered
        fresh.add_labels(self.names)
        fresh.thresholds, fresh.questions, fresh.unit_columns = self.thresholds, self.questions, self.unit_columns
        X = part(self.models.labelled, 0, rows)
        longest = int(np.diff(X.starts).max(initial=0))
        X = X._replace(dense=np.hstack([X.dense, np.zeros((rows, columns - before))]), longest=longest)
        fresh.start(X)
        copy_scales(self.models.scales, fresh.models.scales, before)
        counts = self.models.counts
        fresh.models.counts[NEXT_REFRESH] = counts[NEXT_REFRESH]
        fresh.models = with_room(fresh.models, rows, len(X.values))
        for row in range(rows):
            sides, whole = self.models.lanes.sides[row : row + 1], bool(self.models.whole[row])
            pairs.learn(part(X, row, row + 1), sides, whole, fresh.models, 0)
        fresh.models.counts[LEARNED] = counts[LEARNED]
        return fresh

    # ------------------------------------------------------------------ the labelling loop

    def ask(self, X: Mixed, *, granted: bool = True) -> tuple[Numbers, Answer]:
        """Return the distances of one row's scores from the thresholds, and what to ask about it."""
        self.start(X)
        self.observe(X)
        margins = self.margins(X)[0]
        return margins, decide(margins, self.questions, self.settings, granted=granted)

    def pass_over(self, X: Mixed) -> None:
        """Let rows pass, one after the other, about which nobody can be asked."""
        self.start(X)
        rows = len(X.dense)
        for place in range(rows):
            self.observe(part(X, place, place + 1))
        self.questions.counts[ROWS] += rows
        self.questions.counts[SEEN] += rows * len(self.names)

    def tell(self, X: Mixed, sides: Sides, chances: Numbers, *, whole: bool) -> None:
        """Learn what is known of one row: sides of labels, 0 for those that are unknown."""
        self.check_chances(sides, chances)
        self.start(X)
        if self.models.scales.rows[0] <= self.models.counts[LEARNED]:  # never asked about: it is new
            self.observe(X)
        self.learn_sides(X, sides[np.newaxis], chances[np.newaxis], whole=whole)

    @staticmethod
    def check_chances(sides: Sides, chances: Numbers) -> None:
        """Raise ParameterError if a label is known that could not be asked about."""
        for chance in chances[sides != 0].tolist():
            if not 0 < chance <= 1:
                raise ParameterError("tell", "ask_probability", chance, "greater than 0 and at most 1")

    def learn(self, X: Mixed, sides: Sides, whole: NDArray[np.bool_]) -> None:
        """Learn from rows with their labels, a few at a time."""
        self.start(X)
        start, count = 0, len(X.dense)
        while start < count:
            stop = min(count, start + max(1, self.remembered // 10))
            if (whole[start:stop] != whole[start]).any():
                stop = start + int(np.argmax(whole[start:stop] != whole[start]))
            rows, here = part(X, start, stop), sides[start:stop]
            self.observe(rows)
            self.learn_sides(rows, here, np.ones(here.shape), whole=bool(whole[start]))
            start = stop
        if count > 1:
            pairs.retrain(self.models, False, LAST_SWEEPS)

    def learn_sides(self, X: Mixed, sides: Sides, chances: Numbers, *, whole: bool) -> None:
        """Compare scores with the sides of rows that the models have not seen, and learn them."""
        for scores, own, probabilities in zip(self.scores(X), sides, chances, strict=True):
            known = np.flatnonzero(own)
            self.thresholds.add(known, scores[known], own[known] > 0, probabilities[known])
        models = with_room(self.models, len(sides), len(X.values))
        pairs.learn(X, sides, whole, models, 0)
        memory = int(self.settings.memory)
        if models.counts[REMEMBERED] > memory:
            models = without_oldest(models, int(models.counts[REMEMBERED]) - memory + memory // 10)
        self.models = models

    def relabel(self, place: int, sides: Sides) -> None:
        """Replace all that is known of a remembered row, and learn again from what is remembered.

        The oldest row is 0. Thresholds keep the sides that the row had: they compare labels with the scores from
        before they were learned, which are not kept.
        """
        if not 0 <= place < self.remembered:
            raise IndexError(f"there is no remembered row {place}: there are {self.remembered}, from 0")
        lanes = self.models.lanes
        changed = lanes.sides[place] != sides
        if changed.any():
            lanes.sides[place, changed], lanes.duals[place, changed] = sides[changed], 0.0
            pairs.retrain(self.models, True, REFRESH_SWEEPS)

    # ------------------------------------------------------------------ predictions

    def scores(self, X: Mixed) -> Numbers:
        """Return the scores of rows (rows × labels)."""
        found = np.zeros((len(X.dense), len(self.names)))
        pairs.score(X, self.models, found)
        return found

    def margins(self, X: Mixed) -> Numbers:
        """Return by how much scores are above the thresholds of their labels."""
        return self.scores(X) - self.thresholds.values

    def probabilities(self, margins: Numbers) -> Numbers:
        """Return the probabilities that rows carry labels, which are 0.5 at the thresholds."""
        return logistic(self.thresholds.temperature * margins)

    # ------------------------------------------------------------------ inside

    def observe(self, X: Mixed) -> None:
        """Learn scales from rows without labels."""
        labelling.observe_all(X, self.models.scales)
        rows, counts = int(self.models.scales.rows[0]), self.models.counts
        if rows < counts[NEXT_REFRESH]:
            return
        refresh(self.models.scales, self.unit_columns)
        counts[NEXT_REFRESH] = rows + (1 if rows < EVERY_ROW else min(rows, DOUBLING))
        if self.remembered:
            pairs.retrain(self.models, True, REFRESH_SWEEPS)
