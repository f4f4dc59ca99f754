"""Which items are decided without people: confident predictions, while a certificate says that few are wrong.

A row of the certificate is an item on its arrival: what was predicted then, and how confident the model was. Its
coin says whether people are asked about it, so the probability is known and has nothing to do with the item. If
questions are chosen on lease, the coin must be below `certify.audit`; otherwise it is the coin of the query rule.
An item without an answer holds up those after it. One that was given up counts as a mistake.
"""

import math
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field

from askance.metrics.certificate import FIRST_LABELS, Certificate, Certifier, log_odds_of_lead
from askance.service.settings import Certify, TaskSettings
from askance.service.state import journal

# With more checks without an answer than this share of the answers, too little is known of the newest items.
LATE, FEW = 0.25, 10
# Until there are enough labels to say anything of confidences, this share of the questions is drawn at random.
LEARNING = 0.5
TIDY_EVERY = 1000  # rows, after which items are forgotten that make no difference any more

Reason = Literal["mistakes", "late", "settings"]
Phase = Literal["learning", "searching", "checking", "late", "certified"]


class Announced(Struct, frozen=True):
    """The last entry of the journal that says that predictions are certified, or no longer."""

    certified: bool
    seq: int
    at: float


class AutomationState(Struct):
    """All of it, for a snapshot."""

    certify: Certify
    certifier: dict[str, Any] | None = None
    sets: int = 0
    rows: dict[int, tuple[int, str]] = field(default_factory=dict)
    is_late: bool = False
    announced: Announced | None = None


class Row(NamedTuple):
    """An item on its arrival: the confidence, and the probability and the fact of being asked about."""

    confidence: float
    chance: float
    asked: bool


class Automation:
    """The certificate of a task, as far as the journal goes."""

    def __init__(self, certify: Certify) -> None:
        self.certify = certify
        self.announced: Announced | None = None
        self._sets = 0  # that were begun, with these settings or earlier ones
        self._rows: dict[int, tuple[int, str]] = {}  # item: its row, and the prediction
        self._is_late = False
        self._certifier = _certifier(certify, 0)

    @classmethod
    def of(cls, state: AutomationState) -> "Automation":
        """The one of which `state` was taken."""
        made = cls(state.certify)
        made.announced, made._sets, made._rows, made._is_late = (
            state.announced, state.sets, state.rows, state.is_late,
        )  # fmt: skip
        if made._certifier is not None and state.certifier is not None:
            made._certifier.restore(state.certifier)
        return made

    def state(self) -> AutomationState:
        """All of it, for a snapshot."""
        certifier = None if self._certifier is None else self._certifier.state()
        return AutomationState(
            self.certify, certifier, self._sets, dict(self._rows), self._is_late, self.announced
        )

    # ------------------------------------------------------------------ the journal

    def add(self, item: int, row: Row, prediction: str) -> None:
        """Add an item."""
        certifier = self._certifier
        if certifier is None:
            return
        number = certifier.add(*row)
        if row.asked:
            self._rows[item] = (number, prediction)
        if certifier.rows % TIDY_EVERY == 0:
            self._rows = {one: known for one, known in self._rows.items() if certifier.awaits(known[0])}
        self._look()

    def settle(self, item: int, label: str | None) -> None:
        """An item has a label, or another one than before. One that was given up counts as a mistake."""
        if self._certifier is not None and item in self._rows:
            number, prediction = self._rows[item]
            self._certifier.tell(number, prediction != label)
            self._look()

    def follow(self, certify: Certify) -> None:
        """Begin again if the settings are others. The probability of an error is shared with what was before."""
        if certify != self.certify:
            self._sets = self._certifier.sets if self._certifier is not None else self._sets
            self.certify, self._rows, self._is_late = certify, {}, False
            self._certifier = _certifier(certify, self._sets)

    def _look(self) -> None:
        """Find out whether too many checks have no answer. Half as many must be left before that is over."""
        assert self._certifier is not None
        most = max(FEW, LATE * self._certifier.answered)
        self._is_late = self._certifier.unanswered > (most / 2 if self._is_late else most)

    # ------------------------------------------------------------------ what follows from it

    @property
    def certified(self) -> bool:
        """Whether a certificate holds, and people keep up with its checks."""
        return self._certifier is not None and self._certifier.certified and not self._is_late

    def includes(self, confidence: float, chance: float) -> bool:
        """Whether an item with this confidence, and this chance of being checked, is decided without people."""
        return self.certified and self._certifier is not None and self._certifier.includes(confidence, chance)

    @property
    def phase(self) -> Phase | None:
        """How far it is; None if nothing is to be certified."""
        certifier = self._certifier
        if certifier is None:
            return None
        if certifier.certified:
            return "late" if self._is_late else "certified"
        if certifier.has_set:
            return "checking"
        return "learning" if certifier.labels < FIRST_LABELS else "searching"

    @property
    def why_not(self) -> Reason:
        """Why there is no certificate any more."""
        if self._certifier is None or (self.announced and not self._certifier.rows):
            return "settings"
        return "late" if self._certifier.certified else "mistakes"

    def certificate(self) -> Certificate | None:
        """What the certifier knows; None if nothing is to be certified."""
        return None if self._certifier is None else self._certifier.certificate()

    @property
    def unanswered(self) -> int:
        """The number of checks that have no answer."""
        return 0 if self._certifier is None else self._certifier.unanswered

    @property
    def missing(self) -> int:
        """About how many more answers it takes: to know anything about confidences, or for the certificate."""
        certifier = self._certifier
        if certifier is None:
            return 0
        return FIRST_LABELS - certifier.labels if self.phase == "learning" else certifier.certificate().missing

    def checks(self) -> Iterator[int]:
        """The items on whose answers the certificate waits, the oldest first."""
        if self._certifier is not None:
            items = {number: item for item, (number, _) in self._rows.items()}
            yield from (items[number] for number in self._certifier.awaited)


def confidence(settings: TaskSettings, score: float) -> float:
    """The confidence of a prediction: log-odds of being right, if the learner is the automatic one.

    In journals of earlier versions, scores are log-odds, too, until the learner has a label of a third class.
    """
    if settings.is_auto and settings.many and 0 <= score <= 1:
        return float(log_odds_of_lead(score))
    return abs(score)


def score(settings: TaskSettings, confidence: float) -> float:
    """The score of a prediction with this confidence, without its sign."""
    return math.tanh(confidence / 2) if settings.is_auto and settings.many else confidence


def certified(settings: TaskSettings, found: Certificate) -> journal.Certified:
    """What the journal says of a certificate."""
    return journal.Certified(
        error=found.error,
        confidence=found.level,
        threshold=score(settings, found.threshold),
        share=found.share,
        members=found.members,
        labels=found.labels,
        mistakes=found.mistakes,
    )


def _certifier(certify: Certify, earlier: int) -> Certifier | None:
    return None if certify.error is None else Certifier(certify.error, certify.confidence, earlier=earlier)
