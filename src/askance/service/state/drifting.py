"""Whether predictions have become worse: an alarm from the answers that people give.

If questions are chosen on lease, questions at random count, with what the model predicted when it asked. Others
are chosen because they are difficult, so mistakes among them say little. If items are decided on arrival, all
questions count, with their probabilities.
"""

from msgspec import Struct, field

from askance.metrics import DriftDetector

EVERY = 10_000  # answers per false alarm, on average at least
MOST = 2000  # answers after which the detector begins again, so that a snapshot stays small


class Answer(Struct, frozen=True, array_like=True):
    """An answer, as the detector sees it."""

    at: float
    wrong: bool
    ask_probability: float


class Alarm(Struct, frozen=True):
    """Predictions have become worse: noticed at an entry of the journal, probably so since an earlier time."""

    seq: int
    at: float
    since: float


class DriftState(Struct):
    """All of it, for a snapshot."""

    answers: list[Answer] = field(default_factory=list)
    alarm: Alarm | None = None
    announced: Alarm | None = None


class Drifting:
    """The detector of a task, as far as the journal goes. It is a function of the answers since it began."""

    def __init__(self, state: DriftState | None = None) -> None:
        state = state or DriftState()
        self.alarm = state.alarm  # the last one
        self.announced = state.announced  # the last one in the journal
        self._answers = state.answers
        self._detector: DriftDetector | None = None

    def state(self) -> DriftState:
        """All of it, for a snapshot."""
        return DriftState(list(self._answers), self.alarm, self.announced)

    def tell(self, seq: int, answer: Answer) -> None:
        """Take in an answer."""
        if self._detector is None:  # after a snapshot
            self._detector = DriftDetector(EVERY)
            for earlier in self._answers:
                self._detector.update(earlier.wrong, earlier.ask_probability)
        self._answers.append(answer)
        if self._detector.update(answer.wrong, answer.ask_probability):
            since = self._answers[self._detector.drifts_[-1].since].at
            self.alarm = Alarm(seq, answer.at, since)
            self._begin()
        elif len(self._answers) >= MOST:
            self._begin()

    @property
    def is_new(self) -> bool:
        """Whether the journal does not know of the last alarm yet."""
        return self.alarm is not None and (self.announced is None or self.announced.seq < self.alarm.seq)

    def _begin(self) -> None:
        self._answers, self._detector = [], DriftDetector(EVERY)
