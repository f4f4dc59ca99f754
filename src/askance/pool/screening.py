"""Screening: find nearly all positives of a pool, and stop when that is certain."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from askance.auto.core import AutoCore
from askance.auto.rows import part
from askance.auto.settings import AutoSettings
from askance.errors import ParameterError, shown
from askance.metrics.recall import RecallCertifier
from askance.pool.labelling.model import Pool
from askance.typing import BoolArray, IntArray

PROMISING = 0.01  # the share that models give the positive class from which on a row is read because of it
RANK_EVERY = 10  # labels
MEMORY = 3000  # labels to learn from
FIRST_NEGATIVES = 200  # that are learned; later, only those of promising rows


class Reading(NamedTuple):
    """A row to read.

    Attributes
    ----------
    row : int
        The row.
    random : bool
        Whether it was drawn at random, rather than chosen because it is likely to be positive.
    """

    row: int
    random: bool


class Screening:
    """Find the positives of a pool, most likely ones first, until at least a share `recall` of them is found.

    While rows are promising, the most promising one is read next. When there are none, rows are drawn at random:
    what they show certifies the recall, and positives among them teach the model what it has missed. The
    certificate holds at all times at once, so that stopping because of it does no harm.

    Parameters
    ----------
    X : array-like, sparse matrix, MixedRows, stream or data frame
        The rows. A stream, such as `askance.data.read_table` returns, is read to its end. A data frame is read
        like a file without labels: leave out columns that give the answer away.
    recall : float, default=0.95
        The share of positives to find.
    level : float, default=0.95
        The probability that the certificate is right.
    random_state : int, default=0
        Decides which rows are drawn at random.

    Attributes
    ----------
    certifier : RecallCertifier
        What has been read and found, and the recall that follows.
    positives : list of int
        The positive rows found so far.
    skipped : int
        The number of rows that were read without a decision.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.pool import Screening
    >>> X = np.random.default_rng(0).normal(size=(3000, 3))
    >>> relevant = X[:, 0] > 1.5
    >>> screening = Screening(X)
    >>> while (reading := screening.next()) is not None:
    ...     screening.answer(relevant[reading.row])
    >>> bool(len(screening.positives) >= 0.95 * relevant.sum()), screening.certifier.read < 2000
    (True, True)
    """

    def __init__(self, X: Any, *, recall: float = 0.95, level: float = 0.95, random_state: int = 0) -> None:
        if not 0 < recall <= 1:
            raise ParameterError("Screening", "recall", recall, "greater than 0 and at most 1")
        self.pool = X if isinstance(X, Pool) else Pool(X)
        self.wanted = recall
        self.certifier = RecallCertifier(self.pool.rows, level)
        self.positives: list[int] = []
        self.skipped = 0
        settings = AutoSettings(memory=MEMORY, random_state=random_state, classes=[False, True], forget=False)
        self._core = AutoCore(settings)
        self._rows = self.pool.all()
        self._core.start(self._rows)
        self._core.observe(self._rows)
        self._unread: BoolArray = np.ones(self.pool.rows, bool)
        self._order: IntArray = np.random.default_rng(random_state).permutation(self.pool.rows)
        self._drawn = 0  # places of the order that have been passed
        self._ranking: list[int] = []  # promising rows, the most promising last
        self._learned = 0  # since the last ranking
        self._reading: Reading | None = None

    @property
    def recall(self) -> float:
        """The share of the positives that has been found at least; a skipped row counts as one not found."""
        return len(self.positives) / self.certifier.most if self.positives else 0.0

    @property
    def done(self) -> bool:
        """Whether enough positives have been found, or all rows have been read."""
        return self.recall >= self.wanted or self.certifier.read == self.pool.rows

    def next(self) -> Reading | None:
        """The row to read next; None if this is done."""
        if self._reading is None and not self.done:
            promising = self._promising()
            self._reading = Reading(self._draw(), True) if promising is None else Reading(promising, False)
        return self._reading

    def answer(self, positive: bool) -> None:
        """Say whether the row to read is positive: True or False, or 1 or 0."""
        reading = self._to_read()
        positive = bool(_as_answers([positive])[0])
        self._reading = None
        self._take(reading, positive)

    def skip(self) -> None:
        """Go on without a decision about the row to read.

        It counts as a positive one that was not found, so that the certificate stays right whatever it is.
        """
        row, random = self._to_read()
        self._reading = None
        self._unread[row] = False
        self.certifier.add(positive=True, random=random)
        self.skipped += 1

    def know(self, row: int, positive: bool) -> None:
        """Take in a row whose label was known before."""
        self._take(Reading(row, False), positive)

    def read_next(self, reading: Reading) -> None:
        """Read this row next, which a screening that is repeated has read at this place."""
        self.next()
        self._reading = reading

    def _to_read(self) -> Reading:
        reading = self.next()
        if reading is None:
            raise ValueError("the screening is done: there is no row to read")
        return reading

    def _take(self, reading: Reading, positive: bool) -> None:
        row, random = reading
        self.certifier.add(positive=positive, random=random)
        self._unread[row] = False
        if positive:
            self.positives.append(row)
        if positive or not random or self.certifier.read <= FIRST_NEGATIVES:
            self._core.tell(part(self._rows, row, row + 1), np.array([positive]))
            self._learned += 1

    def run(self, y: ArrayLike) -> "Screening":
        """Simulate: read until this is done, with these answers: True or False, or 1 or 0, for each row."""
        answers = _as_answers(y)
        if len(answers) != self.pool.rows:
            raise ValueError(f"y has {len(answers)} answers, but there are {self.pool.rows} rows")
        while (reading := self.next()) is not None:
            self.answer(bool(answers[reading.row]))
        return self

    def _promising(self) -> int | None:
        """The most promising row; None if there is none, or nothing to compare with."""
        if not self.positives:
            return None
        if self._learned >= RANK_EVERY or (self._learned and not self._ranking):
            chances = np.where(self._unread, self._core.shares(self._rows)[:, 1], 0.0)
            order = np.argsort(chances, kind="stable")
            self._ranking = order[chances[order] >= PROMISING].tolist()
            self._learned = 0
        while self._ranking and not self._unread[self._ranking[-1]]:
            self._ranking.pop()
        return self._ranking.pop() if self._ranking else None

    def _draw(self) -> int:
        """A row at random, of those that have not been read."""
        while not self._unread[self._order[self._drawn]]:
            self._drawn += 1
        return int(self._order[self._drawn])


def _as_answers(y: ArrayLike) -> BoolArray:
    """Answers as booleans; ValueError for others, because all but 0 and empty text would be positive."""
    answers = np.asarray(y).ravel()
    for answer in answers.tolist():
        if not isinstance(answer, bool | int | float | np.bool_ | np.number) or answer not in (0, 1):
            raise ValueError(
                f"answers must be True or False, or 1 or 0, not {shown(answer)}: compare labels with the positive "
                "one, such as y == 1"
            )
    return answers.astype(bool)
