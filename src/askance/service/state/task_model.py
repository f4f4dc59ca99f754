"""The model of a task: its learner, how many labels it has learned, and whether its numbers are still finite."""

import math
import threading
from collections.abc import Sequence

from askance.learners.core import Decision
from askance.service.settings import TaskSettings
from askance.service.state import finite
from askance.service.state.auto_model import AutoModel
from askance.service.state.item_model import ItemModel
from askance.service.state.models import use_budget
from askance.service.state.rows import AnyRow


class TaskModel:
    """The learner of a task. Use the `lock` for all that it does: predictions come at any time from other threads.

    A model that has `diverged` sees and learns nothing more.
    """

    def __init__(self, settings: TaskSettings) -> None:
        self.learner = settings.learner()
        self.lock = threading.Lock()
        # Labels that it has learned: not those for tests, nor those that a rollback made it forget. None after a
        # snapshot of an earlier version, which did not count them.
        self.learned: int | None = 0
        self.diverged = 0  # the entry after which it was found to have numbers that are not finite

    def decide(self, row: AnyRow, *, granted: bool, many: bool) -> Decision:
        """Predict a row and decide whether to ask; NotFiniteError if a number of the decision is not finite.

        With `many` classes, the score is how far the likeliest leads, also while the automatic learner knows two.
        """
        with self.lock:
            found = finite.decision(self.learner, row, granted=granted)
            knows_two = isinstance(self.learner, AutoModel) and len(self.learner.classes_) == 2
        return found._replace(score=math.tanh(abs(found.score) / 2)) if many and knows_two else found

    def see(self, row: AnyRow, seq: int, *, granted: bool) -> None:
        """See the row of entry `seq`, of which the decision is known."""
        if not self.diverged:
            try:
                with self.lock:
                    self.learner.ask(row, granted=granted)
            except (ValueError, ArithmeticError):  # another label, corrected later, may have made it overflow
                self.diverged = seq

    @property
    def sees_many(self) -> bool:
        """Whether it can see several rows at once."""
        return isinstance(self.learner, ItemModel) and not self.diverged

    def see_many(self, rows: Sequence[AnyRow]) -> None:
        """See rows that are not granted, of which the decisions are known, if `sees_many`."""
        assert isinstance(self.learner, ItemModel)
        if rows:
            with self.lock:
                self.learner.pass_over(rows)

    def tell(self, seq: int, item: int, row: AnyRow, label: str, probability: float = 1.0) -> None:
        """Learn the label of an item, which entry `seq` gave it."""
        if self.diverged:
            return
        with self.lock:
            if not finite.learned_well(self.learner, row, label, probability):
                self.diverged = seq
                return
            if isinstance(self.learner, ItemModel):
                self.learner.note_item(item)
        if self.learned is not None:
            self.learned += 1

    def relabel(self, item: int, label: str) -> None:
        """Replace the label of an item, if it remembers which one that is."""
        if isinstance(self.learner, ItemModel) and not self.diverged:
            with self.lock:
                self.learner.relabel(item, label)

    def follow(self, before: TaskSettings, after: TaskSettings) -> None:
        """Follow a change of the settings."""
        with self.lock:
            if after.columns != before.columns:  # before the first item
                self.learner = after.learner()
            use_budget(self.learner, before.budget, after)

    def note_divergence(self, seq: int) -> bool:
        """Find out whether all its numbers are finite; if not, it has diverged after entry `seq`."""
        if not self.diverged and not finite.is_finite(self.learner):
            self.diverged = seq
        return self.diverged > 0
