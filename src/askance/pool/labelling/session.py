"""A labelling session: questions about the rows of a pool, and what follows from the answers.

The state follows from the answers alone: undoing one, or going on from a journal, means to start again and repeat
the others. Coins are a pure function of the seed and the number of the question.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from askance.auto.core import AutoCore
from askance.errors import ParameterError
from askance.jit.coins import coins
from askance.metrics.estimates import Estimate
from askance.metrics.positive import CLEARLY_RARER
from askance.pool.labelling.checks import (
    COMPARED,
    FEWEST_AUDITED,
    Check,
    advice,
    checked,
    estimated_accuracy,
    estimated_f,
    next_check,
)
from askance.pool.labelling.model import Pool, as_names, leads, learn_all, new_core, predictions
from askance.typing import BoolArray, IntArray

FIRST = 10  # questions at random in the beginning, while there is nothing to doubt
MOST_CANDIDATES = 20_000  # rows that are ranked for each question
# The coins of questions are numbered from 0. These numbers are beyond those of any session.
ORDER_COINS, CANDIDATE_COINS = 1 << 40, 1 << 50


class Question(NamedTuple):
    """A row to ask about.

    Attributes
    ----------
    row : int
        The row.
    audit : bool
        Whether it was drawn at random, rather than chosen because it is in doubt.
    probability : float
        The probability with which this row became this question.
    prediction : str or None
        What the model predicts; None before the first label.
    """

    row: int
    audit: bool
    probability: float
    prediction: str | None


class Answer(NamedTuple):
    """A question with its label; None means that it was skipped."""

    question: Question
    label: str | None


class Draws(NamedTuple):
    """What chance decides, before the first question.

    Attributes
    ----------
    order : ndarray
        The rows without a label, in the order in which audits draw them.
    candidates : ndarray
        The rows that are ranked by doubt: all of them, or many at random.
    """

    order: IntArray
    candidates: IntArray


class Session(ABC):
    """Questions about the rows of a pool, one at a time, and their answers. Subclasses choose the rows.

    Attributes
    ----------
    answers : list of Answer
        The answers so far.
    labels : dict of int to str
        The labels by row, with those that were known before.
    checks : list of Check
        What was seen while labels arrived.
    """

    answers: list[Answer]
    labels: dict[int, str]
    checks: list[Check]

    def __init__(self, X: Any, known: Mapping[int, str] | None, classes: Sequence[str], random_state: int) -> None:
        self.pool = Pool(X)
        self.known = dict(known or {})
        self.random_state = random_state
        self.given_classes = tuple(dict.fromkeys([*classes, *self.known.values()]))

    def _begin(self) -> None:
        """Go back to where there are no answers."""
        self.answers = []
        self.labels = dict(self.known)
        self.checks = []
        self._answered: BoolArray = np.zeros(self.pool.rows, bool)
        self._answered[list(self.known)] = True
        self._question: Question | None = None

    # ------------------------------------------------------------------ the dialogue

    def question(self) -> Question | None:
        """The row to ask about now; None if all have been answered or skipped."""
        if self._question is None:
            self._question = self._chosen()
        return self._question

    def answer(self, label: str | None) -> Answer:
        """Answer the question, or skip it with None. The model has learned the label when this returns."""
        question = self.question()
        if question is None:
            raise ValueError("all rows have been answered: there is no question")
        found = Answer(question, label)
        self._take(found)
        return found

    def undo(self) -> Answer | None:
        """Go back to before the last answer, and return it; None if there is none."""
        if not self.answers:
            return None
        *before, last = self.answers
        self._begin()
        self.repeat(before)
        return last

    def repeat(self, answers: Iterable[Answer]) -> None:
        """Take answers that were given before, to questions that were chosen before."""
        for answer in answers:
            row = answer.question.row
            if not 0 <= row < self.pool.rows or self._answered[row]:
                raise ValueError(f"row {row} was not asked about at this place")
            self._take(answer)

    # ------------------------------------------------------------------ what is known

    @property
    def classes(self) -> list[str]:
        """The classes: those given, then others in the order of their first label."""
        return list(dict.fromkeys([*self.given_classes, *self.labels.values()]))

    @property
    def counts(self) -> Counter[str]:
        """The number of labels per class."""
        return Counter(self.labels.values())

    @property
    def skipped(self) -> int:
        """The number of rows that were skipped."""
        return sum(answer.label is None for answer in self.answers)

    # ------------------------------------------------------------------ what subclasses decide

    @abstractmethod
    def model(self) -> AutoCore:
        """The model that has learned the labels."""

    @abstractmethod
    def _chosen(self) -> Question | None: ...

    @abstractmethod
    def _learn(self, answer: Answer) -> None:
        """Take an answer in, before it is counted."""

    def _take(self, answer: Answer) -> None:
        question, label = answer
        self._learn(answer)
        if label is not None:
            self.labels[question.row] = label
        self._answered[question.row] = True
        self.answers.append(answer)
        self._question = None


class LabellingSession(Session):
    """Ask about the rows of a pool, one at a time, and learn from each answer.

    A question is an audit with probability `audit`: then it is about the next row of a random order of all rows
    that had no label. Otherwise, and if that row has been answered already, it is about the row that the model is
    least certain of. The first ten questions are audits.

    Parameters
    ----------
    X : array-like, sparse matrix, MixedRows, stream or data frame
        The rows. A stream is read to its end.
    known : mapping of int to str, default: {}
        Labels that are known already, by row.
    classes : sequence of str, default: ()
        The classes, if they are known. Others are added when they are first used.
    audit : float, default: 0.2
        The share of questions that are audits.
    random_state : int, default: 0
        Decides the coins.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import LabellingSession
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> session = LabellingSession(X, classes=["left", "right"])
    >>> for _ in range(30):
    ...     question = session.question()
    ...     _ = session.answer("right" if X[question.row, 0] > 0 else "left")
    >>> len(session.labels), session.predictions([0, 1, 2])
    (30, ['right', 'right', 'left'])
    >>> _ = session.undo()
    >>> len(session.labels)
    29
    """

    def __init__(
        self,
        X: Any,
        *,
        known: Mapping[int, str] | None = None,
        classes: Sequence[str] = (),
        audit: float = 0.2,
        random_state: int = 0,
    ) -> None:
        if not 0 < audit <= 1:
            raise ParameterError("LabellingSession", "audit", audit, "greater than 0 and at most 1")
        super().__init__(X, known, classes, random_state)
        self.audit = audit
        self.draws = _draws(self.pool.rows, self.known, random_state)
        self._candidates = self.pool.take(self.draws.candidates)
        self._compared = self.pool.take(self.draws.candidates[:COMPARED])
        self._begin()

    def _begin(self) -> None:
        super()._begin()
        self.core = new_core(self.pool, self.given_classes, self.random_state)
        if self.known:
            learn_all(self.core, self.pool, self.known.items())
        self._audits = 0  # questions that drew a row from the order, whether or not it had been answered

    def model(self) -> AutoCore:
        """The model that has learned the labels."""
        return self.core

    # ------------------------------------------------------------------ what is known

    def audited(self, first: int = 0) -> list[int]:
        """The rows that audits have drawn since a question, also those that had been answered before their turn.

        They are a random sample of all rows that had no label in the beginning, whatever else was asked about.
        """
        before = coins(self.random_state, 0, first) < self.audit
        before[:FIRST] = True
        return [int(row) for row in self.draws.order[np.count_nonzero(before) : self._audits]]

    def estimate(self) -> Estimate:
        """The accuracy of the model, from the audited rows alone, by what was predicted before their answers.

        Earlier models were worse, so only the later half of the questions counts. If it has fewer than ten audits,
        the last ten count, but none in the first quarter of the questions.
        """
        recent = self._recent()
        right = [prediction == label for prediction, label in recent]
        return estimated_accuracy(right if len(self.counts) > 1 else [])

    @property
    def rare_class(self) -> str | None:
        """The rarer of two classes, if less than a third of the audited rows are of it; None if there is none."""
        drawn = Counter(self.labels[row] for row in self.audited() if row in self.labels)
        if len(self.counts) != 2 or drawn.total() < FEWEST_AUDITED:
            return None
        rarer = min(self.counts, key=lambda name: drawn[name])
        return rarer if drawn[rarer] < CLEARLY_RARER * drawn.total() else None

    def figure(self) -> Estimate:
        """How good the model is: F of the rare class, or the accuracy if none is rare.

        A model that never predicts a rare class is nearly always right, so its accuracy says little. F comes from
        the same audits, those that are of the class or were predicted to be; there must be ten of them.
        """
        rare = self.rare_class
        if rare is None:
            return self.estimate()
        recent = self._recent(about=rare)
        return estimated_f(sum(prediction == label for prediction, label in recent), len(recent))

    def advice(self) -> str:
        """Advice to stop, with its reason; empty while labels change predictions or the figure is unknown."""
        return "" if self.figure().value is None else advice(self.checks, self.counts)

    def predictions(self, rows: Sequence[int] | IntArray) -> list[str | None]:
        """What the model predicts for some rows."""
        return predictions(self.core, self.pool.take(rows))

    # ------------------------------------------------------------------ inside

    @property
    def _share(self) -> float:
        """The probability that the next question is an audit."""
        return 1.0 if len(self.answers) < FIRST else self.audit

    def _is_audit(self, number: int) -> bool:
        """Whether this question, from 0, is an audit."""
        return number < FIRST or bool(coins(self.random_state, number, 1)[0] < self.audit)

    def _recent(self, about: str | None = None) -> list[tuple[str, str]]:
        """What was predicted of recent audits, and their labels; only those `about` a class, by either.

        Those of the later half of the questions, or the last ten of the last three quarters if they are more.
        """
        recent = self._predicted(len(self.answers) // 2, about)
        if len(recent) < FEWEST_AUDITED:
            recent = self._predicted(len(self.answers) // 4, about)[-FEWEST_AUDITED:]
        return recent

    def _predicted(self, first: int, about: str | None) -> list[tuple[str, str]]:
        """Predictions and labels of the rows that audits drew since a question and that have both."""
        asked = {answer.question.row: answer for answer in self.answers}
        found = [asked[row] for row in self.audited(first) if row in asked]
        pairs = [(answer.question.prediction, answer.label) for answer in found]
        known = [(one, two) for one, two in pairs if one is not None and two is not None]
        return known if about is None else [pair for pair in known if about in pair]

    def _chosen(self) -> Question | None:
        doubtful = self._most_doubtful()
        drawn = self._next_drawn() if self._is_audit(len(self.answers)) else None
        row = doubtful if drawn is None else drawn
        if row is None:
            return None
        probability = self._probability(is_doubtful=row == doubtful)
        return Question(row, drawn is not None, probability, self.predictions([row])[0])

    def _next_drawn(self) -> int | None:
        """The row that an audit draws; None if it has been answered already, or all were drawn."""
        undrawn = self.draws.order[self._audits : self._audits + 1]
        return int(undrawn[0]) if len(undrawn) and not self._answered[undrawn[0]] else None

    def _most_doubtful(self) -> int | None:
        is_open = ~self._answered[self.draws.candidates]
        if not is_open.any():  # of many rows, those that are not ranked are left
            rest = self.draws.order[~self._answered[self.draws.order]]
            return int(rest[0]) if len(rest) else None
        lead = np.where(is_open, leads(self.core, self._candidates), np.inf)
        return int(self.draws.candidates[int(np.argmin(lead))])

    def _probability(self, *, is_doubtful: bool) -> float:
        """The probability of a question about a row, which the order has not drawn, given the answers so far.

        An audit draws each row that was not drawn before with the same probability. If it draws one that has been
        answered, or if there is no audit, the question is about the most doubtful row.
        """
        undrawn = self.draws.order[self._audits :]
        if not len(undrawn):
            return 1.0
        answered = int(np.count_nonzero(self._answered[undrawn]))
        each = self._share / len(undrawn)
        return 1.0 - each * (len(undrawn) - answered - 1) if is_doubtful else each

    def _learn(self, answer: Answer) -> None:
        question, label = answer
        if label is not None:
            row = self.pool.take([question.row])
            self.core.tell(row, as_names([label]), question.probability)
        self._audits += self._is_audit(len(self.answers))

    def _take(self, answer: Answer) -> None:
        super()._take(answer)
        self._check()

    def _check(self) -> None:
        """Compare predictions with earlier ones, if there are enough labels more."""
        given, before = len(self.labels) - len(self.known), self.checks[-1].labels if self.checks else 0
        if given >= next_check(before):
            found = predictions(self.core, self._compared)
            self.checks.append(checked(self.checks, given, found))


def _draws(rows: int, known: Mapping[int, str], random_state: int) -> Draws:
    """The order of audits, and the rows to rank in an order of their own, which decides among equal ones."""
    open_rows = np.setdiff1d(np.arange(rows), list(known))
    order = open_rows[np.argsort(coins(random_state, ORDER_COINS, rows)[open_rows], kind="stable")]
    ranked = open_rows[np.argsort(coins(random_state, CANDIDATE_COINS, rows)[open_rows], kind="stable")]
    return Draws(order, ranked[:MOST_CANDIDATES])
