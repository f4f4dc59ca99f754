"""A labelling session that reads the rows of a pool until nearly all of one class are found."""

from collections.abc import Mapping, Sequence
from typing import Any

from askance.auto.core import AutoCore
from askance.errors import DataError, ParameterError
from askance.pool.labelling.model import learn_all, new_core
from askance.pool.labelling.session import Answer, Question, Session
from askance.pool.screening import Reading, Screening

POSITIVE, NEGATIVE = "relevant", "irrelevant"  # unless classes are given


class ScreeningSession(Session):
    """Read the rows of a pool in the order of `Screening`, until a share of the positive class is found.

    It ends with the same certificate. A row that is skipped counts as a positive one that was not found. To undo
    an answer means to repeat the others, as if it had not been given; the same row is then read again.

    Parameters
    ----------
    X : array-like, sparse matrix, MixedRows, stream or data frame
        The rows.
    recall : float
        The share of the positive class to find.
    positive : str
        The class to find.
    known : mapping of int to str, default: {}
        Labels that are known already, by row. They count as read.
    classes : sequence of str, default: ()
        The classes, if they are known. All but the positive one mean that a row is not looked for.
    random_state : int, default: 0
        Decides which rows are drawn at random.

    Attributes
    ----------
    screening : Screening
        What has been read and found, and the recall that follows.
    """

    def __init__(
        self,
        X: Any,
        *,
        recall: float,
        positive: str,
        known: Mapping[int, str] | None = None,
        classes: Sequence[str] = (),
        random_state: int = 0,
    ) -> None:
        super().__init__(X, known, classes, random_state)
        if self.given_classes and positive not in self.given_classes:
            listed = ", ".join(map(repr, self.given_classes))
            raise ParameterError("ScreeningSession", "positive", positive, f"one of {listed}")
        self.recall = recall
        self.positive = positive
        self._begin()

    def _begin(self) -> None:
        super()._begin()
        self.screening = Screening(self.pool, recall=self.recall, random_state=self.random_state)
        for row, label in self.known.items():
            self.screening.know(row, label == self.positive)

    def model(self) -> AutoCore:
        """A model that has learned all labels, for other rows; the one that orders rows learns few negatives."""
        core = new_core(self.pool, self.given_classes, self.random_state)
        learn_all(core, self.pool, self.labels.items())
        return core

    def _chosen(self) -> Question | None:
        reading = self.screening.next()
        if reading is None:
            return None
        row, random = reading
        unread = self.pool.rows - self.screening.certifier.read
        return Question(row, random, 1 / unread if random else 1.0, None)

    def _learn(self, answer: Answer) -> None:
        question, label = answer
        # Another version may rank rows otherwise. What was read in the past stays as it was.
        self.screening.read_next(Reading(question.row, question.audit))
        if label is None:
            self.screening.skip()
        else:
            self.screening.answer(label == self.positive)


def screening_classes(
    positive: str | None, classes: Sequence[str], others: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    """The class to find, and the classes to choose from; DataError if it is not clear which one to find.

    `classes` were named, and `others` are in a column of the file.
    """
    named = tuple(dict.fromkeys([*classes, *others]))
    if positive is None and named and POSITIVE not in named:
        listed = ", ".join(map(repr, named[:10]))
        raise DataError(
            f"there are the classes {listed}: name the one to find with positive=", parameter="positive"
        )
    found = POSITIVE if positive is None else positive
    if len({found, *named}) > 1:
        return found, tuple(dict.fromkeys([*classes, *([] if classes else [found]), *others]))
    return found, (found, NEGATIVE if found == POSITIVE else f"not {found}")
