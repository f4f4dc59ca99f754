"""Certificates for the part of a stream that may run without people: few of its predictions are wrong.

A row belongs to the set if its confidence is at least the threshold of that moment, which depends on earlier rows
and labels. Let a row of the set be mistaken (z = 1) or not (z = 0), and let its label be asked for (A = 1) with
probability π. For every λ > 0 with 1 - e^-λ < π

    exp(A z log(1 - (1 - e^-λ)/π) + λ z)

has mean 1 given the past: for z = 1, the mean is e^λ (1 - π + π (1 - (1 - e^-λ)/π)). So the product over the rows
is a martingale, which ever exceeds 1/δ with a probability of at most δ (Ville). The first terms are known from the
labels, and the second ones add up to λ Z, where Z is the number of mistakes. If there were more than ε N of these
among N rows, the product would be at least what it is for the smallest such number. If that exceeds 1/δ, the set
is certified. Nothing is assumed about rows, labels and drift: only the coins are random.

A set that turns out to have too many mistakes is given up, and a new one begins after that. A set that has been
certified is followed by another, which takes its place when it is certified too; if the follower has too many
mistakes, the stream has changed, and both are given up. The probabilities δ of all sets add up to 1 - level.
"""

import dataclasses
import math
from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np

from askance.errors import ParameterError
from askance.metrics.confident import Choices, Mistakes
from askance.typing import BoolArray

FIRST_LABELS = 60  # before there are as many, nothing is known about confidences
EVERY = 50  # rows, after which the threshold is chosen again
RECENT, LABELS = 1000, 400  # rows and labels to choose it from
START = 0.1  # the speed from which on a set is begun: see `Choices.fastest`
GIVE_UP = -3.0  # the logarithm of evidence at which it is given up
BOLDNESS = 0.8  # (1 - e^-λ)/π: near 1, evidence grows fastest without mistakes, and a single one ruins it
# With this much more evidence (logarithm) than needed, a single mistake does not end the certificate. From then on
# the set is as large as it can be with this share of the mistakes that are allowed, and its follower begins.
AMPLE, WIDER = 2.0, 0.25
FIRST_SHARE = 0.9  # of 1 - level is for the first set
SET_NUMBERS = ("since", "needed", "members", "labels", "mistakes", "step", "chance", "penalties", "left_out")
MOST_AWAITED = 5000  # rows outside of sets whose labels may still help to choose a threshold


@dataclasses.dataclass(frozen=True)
class Certificate:
    """What is known about the set of confident predictions.

    Attributes
    ----------
    certified : bool
        Whether at most a share `error` of the predictions in the set is wrong, at this `level` of confidence. That
        holds at all times at once: you may look whenever you like.
    error, level : float
        The share of mistakes that is allowed, and the level.
    threshold : float
        The confidence from which on a row belongs to the set now.
    share : float
        The share of recent rows that the threshold puts into the set. Those without a chance of being asked about
        are not in it, as when the budget is spent.
    since, until : int
        The rows that the certificate covers, from `since` to before `until`, counted from 0. It ends at the first
        row whose label is still awaited.
    members : int
        How many of them belong to the set.
    labels, mistakes : int
        How many labels were asked for among these, and how many of them were mistakes.
    missing : int
        About how many more labels without a mistake it takes; 0 if the set is certified.
    automatic : ndarray of bool, or None
        For each row of a trace, whether it came when its set was certified.
    """

    certified: bool
    error: float
    level: float
    threshold: float
    share: float
    since: int
    until: int
    members: int
    labels: int
    mistakes: int
    missing: int
    automatic: BoolArray | None = dataclasses.field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        if not self.members:
            return f"Not certified: no predictions are confident enough for an error of {self.error:.2%} yet."
        of = f"of {self.members:,} confident predictions from row {self.since:,} to {self.until - 1:,}"
        verb = "was" if self.mistakes == 1 else "were"
        found = f"{self.labels:,} have a label, and {self.mistakes:,} of these {verb} wrong"
        if not self.certified:
            return f"Not certified: {of}, {found}. About {self.missing:,} more labels are needed."
        return (
            f"Certified: {of}, at most {self.error:.2%} are wrong ({self.level:.0%} confidence). "
            f"Of them, {found}. {self.share:.0%} of recent rows are in the set."
        )


class Certifier:
    """Finds confident predictions with few mistakes in a stream, and certifies that there are few.

    Rows come in order, labels at any time. Use the confidences of a learner that asks about every row with some
    probability, such as `AutoLearner`; `AutoLearner(certify=error)` asks so that few labels are needed.

    Parameters
    ----------
    error : float, default=0.02
        The share of wrong predictions that is allowed.
    level : float, default=0.95
        The probability that no certificate is ever wrong.
    earlier : int, default=0
        The number of sets that others have begun for the same stream: the probability is for all together.
    widest : float, default=1.0
        The share of recent rows that the set has at most, until there is evidence to spare. If labels are few, a
        smaller set of more confident rows is certified sooner.

    Examples
    --------
    >>> import numpy as np
    >>> from askance.metrics import Certifier
    >>> random = np.random.default_rng(0)
    >>> certifier = Certifier(error=0.05)
    >>> for confidence in random.exponential(3, size=4000):
    ...     asked = random.random() < 0.2
    ...     row = certifier.add(confidence, 0.2, asked)
    ...     if asked:
    ...         certifier.tell(row, random.random() < 1 / (1 + np.exp(confidence)))
    >>> certifier.certificate().certified
    True
    """

    def __init__(self, error: float = 0.02, level: float = 0.95, *, earlier: int = 0, widest: float = 1.0) -> None:
        if not 0 < error < 1:
            raise ParameterError("Certifier", "error", error, "greater than 0 and less than 1")
        if not 0 < level < 1:
            raise ParameterError("Certifier", "level", level, "greater than 0 and less than 1")
        if not 0 < widest <= 1:
            raise ParameterError("Certifier", "widest", widest, "greater than 0 and at most 1")
        self.error, self.level, self.widest = error, level, widest
        self.threshold = math.inf
        self.rows = 0
        self._recent: deque[float] = deque(maxlen=RECENT)
        self._possible: deque[bool] = deque(maxlen=RECENT)  # whether somebody could be asked about these
        self._labels: deque[tuple[int, float, bool]] = deque(maxlen=LABELS)  # rows, confidences and mistakes
        self._awaited: dict[int, float] = {}  # the confidence of asked rows without a label
        self.sets = earlier
        self._current: _Set | None = None
        self._next: _Set | None = None

    # ------------------------------------------------------------------ the stream

    def add(self, confidence: float, ask_probability: float, asked: bool) -> int:
        """Add the next row, before its label is known.

        Parameters
        ----------
        confidence : float
            The confidence of its prediction, best as log-odds of being right: at least 0.
        ask_probability : float
            The probability with which its label is asked for. If it is 0, the row is not in the set.
        asked : bool
            Whether it is asked for.

        Returns
        -------
        int
            The row's number, with which to `tell` its label.
        """
        row = self.rows
        self.rows += 1
        self._recent.append(confidence)
        self._possible.append(ask_probability > 0)
        if asked:
            self._awaited[row] = confidence
            if len(self._awaited) > MOST_AWAITED:
                del self._awaited[next(iter(self._awaited))]
        if ask_probability > 0 and confidence >= self.threshold:
            for one in self._all():
                one.add(row, ask_probability, asked)
            self._review()
        if self.rows % EVERY == 0:
            self._choose()
        return row

    def tell(self, row: int, wrong: bool) -> None:
        """Learn whether the prediction of a row was wrong, or that it was otherwise than told before.

        A row that was not asked about is passed over.
        """
        if (confidence := self._awaited.pop(row, None)) is not None:
            self._labels.append((row, confidence, wrong))
        else:
            self._labels = deque(
                [(one, sure, wrong if one == row else was) for one, sure, was in self._labels], LABELS
            )
        for one in self._all():
            one.tell(row, wrong)
        self._review()

    def includes(self, confidence: float, ask_probability: float = 1.0) -> bool:
        """Whether a row with this confidence and probability of being asked about would be in the set now."""
        return self._current is not None and ask_probability > 0 and confidence >= self.threshold

    @property
    def labels(self) -> int:
        """The number of labels that the threshold is chosen from: it takes `FIRST_LABELS`."""
        return len(self._labels)

    @property
    def has_set(self) -> bool:
        """Whether a set has begun."""
        return self._current is not None

    @property
    def answered(self) -> int:
        """The number of rows of the set that have a label and count."""
        return 0 if self._current is None else self._current.labels

    @property
    def unanswered(self) -> int:
        """The number of rows of the set that await a label."""
        return 0 if self._current is None else len(self._current.awaited)

    @property
    def awaited(self) -> list[int]:
        """The rows of sets that await a label, the oldest first."""
        return sorted({row for one in self._all() for row in one.awaited})

    def awaits(self, row: int) -> bool:
        """Whether a label of this row makes a difference, or may make one."""
        return row in self._awaited or any(row in one.asked for one in self._all())

    @property
    def certified(self) -> bool:
        """Whether the set has few mistakes, for all that is known."""
        return self._current is not None and self._current.surplus(self.error) >= 0

    def certificate(self) -> Certificate:
        """Return what is certified now."""
        current = self._current or _Set(self.rows, math.inf)
        included = [self.includes(*one) for one in zip(self._recent, self._possible, strict=True)]
        share = float(np.mean(included)) if included else 0.0
        lacking = max(0.0, -current.surplus(self.error)) if self._current else 0.0
        return Certificate(
            certified=self.certified,
            error=self.error,
            level=self.level,
            threshold=self.threshold,
            share=share,
            since=current.since,
            until=current.awaits if current.awaits is not None else self.rows,
            members=current.members,
            labels=current.labels,
            mistakes=current.mistakes,
            missing=math.ceil(lacking / current.per_label(self.error)) if lacking else 0,
        )

    def state(self) -> dict[str, Any]:
        """Return all that is known, as lists and numbers: `restore` makes an equal certifier of it."""
        return {
            "threshold": self.threshold,
            "rows": self.rows,
            "sets": self.sets,
            "recent": list(self._recent),
            "possible": list(self._possible),
            "labels": [list(one) for one in self._labels],
            "awaited": [list(one) for one in self._awaited.items()],
            "current": self._current and self._current.state(),
            "next": self._next and self._next.state(),
        }

    def restore(self, state: dict[str, Any]) -> "Certifier":
        """Take over what `state` of a certifier returned."""
        self.threshold, self.rows, self.sets = state["threshold"], state["rows"], state["sets"]
        self._recent.extend(state["recent"])
        # Snapshots of earlier versions do not have it.
        self._possible.extend(state.get("possible", [True] * len(state["recent"])))
        self._labels.extend((row, confidence, wrong) for row, confidence, wrong in state["labels"])
        self._awaited = {row: confidence for row, confidence in state["awaited"]}  # noqa: C416
        self._current, self._next = (one and _Set.of(one) for one in (state["current"], state["next"]))
        return self

    # ------------------------------------------------------------------ inside

    def _choose(self) -> None:
        """Choose the threshold for the next rows, and begin a set if that is promising."""
        if len(self._labels) < FIRST_LABELS:
            return
        _, confidences, wrong = zip(*self._labels, strict=True)
        choices = Choices(np.asarray(self._recent), Mistakes.of(confidences, wrong), self.error)
        if self._current is not None and self._current.surplus(self.error) > AMPLE:
            self.threshold = choices.widest(WIDER)
            if self._next is None:
                self._next = self._new_set()
            return
        self.threshold, speed = choices.fastest(self.widest)
        if self._current is None and speed > START:
            self._current = self._new_set()

    def _new_set(self) -> "_Set":
        """A set that is certified wrongly with a small probability. Those of all sets add up to 1 - level."""
        self.sets += 1
        rest = (1 - FIRST_SHARE) * 6 / math.pi**2
        share = FIRST_SHARE if self.sets == 1 else rest / (self.sets - 1) ** 2
        return _Set(self.rows, -math.log((1 - self.level) * share))

    def _all(self) -> list["_Set"]:
        return [one for one in (self._current, self._next) if one is not None]

    def _review(self) -> None:
        """Give up what has too many mistakes, and let the follower take its place when it is certified."""
        if any(one.evidence(self.error) < GIVE_UP for one in self._all()):
            self._current = self._next = None
            self.threshold = math.inf
        elif self._next is not None and self._next.surplus(self.error) > AMPLE:
            self._current, self._next = self._next, None


@dataclasses.dataclass(slots=True)
class _Rows:
    """Rows of a set in their order: one that was asked about, or several that were not, with their probability."""

    chance: float
    count: int = 1
    asked: bool = False
    wrong: bool | None = False  # None if it is not known yet
    counted: bool = False


class _Set:
    """The confident predictions since some row, and the evidence that few of them are wrong."""

    def __init__(self, since: int, needed: float) -> None:
        self.since, self.needed = since, needed
        self.members = self.labels = self.mistakes = 0
        self.step = 0.0  # λ: follows from the first row's probability, and stays
        self.chance = 1.0  # that probability
        self.penalties = 0.0  # of mistakes
        self.left_out = 0  # rows with too small a probability: each may be a mistake
        # Rows count in their order. From the first row on that awaits a label, they are here.
        self.later: deque[_Rows] = deque()
        self.asked: dict[int, _Rows] = {}  # all rows that were asked about, because labels may be corrected
        self.awaited: dict[int, _Rows] = {}

    @property
    def awaits(self) -> int | None:
        """The first row that awaits a label."""
        return next(iter(self.awaited), None)

    def add(self, row: int, chance: float, asked: bool) -> None:
        if not self.step:
            self.step, self.chance = -math.log1p(-BOLDNESS * chance), chance
        if asked:
            self.asked[row] = self.awaited[row] = _Rows(chance, asked=True, wrong=None)
            self.later.append(self.asked[row])
        elif self.later and not self.later[-1].asked and self.later[-1].chance == chance:
            self.later[-1].count += 1
        else:
            self.later.append(_Rows(chance))
        self._count()

    def tell(self, row: int, wrong: bool) -> None:
        if (known := self.asked.get(row)) is None:
            return
        self.awaited.pop(row, None)
        if known.counted and known.wrong != wrong:  # it is corrected
            self._add_mistakes(known.chance, 1 if wrong else -1)
        known.wrong = wrong
        self._count()

    def _count(self) -> None:
        """Take in the rows up to the first that awaits a label."""
        while self.later and self.later[0].wrong is not None:
            rows = self.later.popleft()
            rows.counted = True
            self.members += rows.count
            self.left_out += rows.count if self._bet(rows.chance) >= 1 else 0
            self.labels += rows.asked
            if rows.wrong:
                self._add_mistakes(rows.chance, 1)

    def _bet(self, chance: float) -> float:
        return -math.expm1(-self.step) / chance

    def _add_mistakes(self, chance: float, count: int) -> None:
        self.mistakes += count
        if (bet := self._bet(chance)) < 1:
            self.penalties += count * math.log1p(-bet)

    def state(self) -> dict[str, Any]:
        numbers = {name: getattr(self, name) for name in SET_NUMBERS}
        asked = [[row, one.chance, one.wrong, one.counted] for row, one in self.asked.items()]
        waiting = {id(one): row for row, one in self.asked.items()}
        later = [[one.chance, one.count, waiting.get(id(one))] for one in self.later]
        return numbers | {"asked": asked, "later": later, "awaited": list(self.awaited)}

    @classmethod
    def of(cls, state: dict[str, Any]) -> "_Set":
        made = cls(state["since"], state["needed"])
        for name in SET_NUMBERS:
            setattr(made, name, state[name])
        for row, chance, wrong, counted in state["asked"]:
            made.asked[row] = _Rows(chance, 1, True, wrong, counted)
        made.later.extend(
            _Rows(chance, count) if row is None else made.asked[row] for chance, count, row in state["later"]
        )
        made.awaited = {row: made.asked[row] for row in state["awaited"]}
        return made

    def evidence(self, error: float) -> float:
        """The logarithm of the evidence against more mistakes than allowed."""
        too_many = math.floor(error * self.members * (1 + 1e-12)) + 1
        return self.penalties + self.step * (too_many - self.left_out) if self.members else 0.0

    def surplus(self, error: float) -> float:
        """By how much the evidence exceeds what is needed, as logarithms."""
        return self.evidence(error) - self.needed

    def per_label(self, error: float) -> float:
        """The evidence that a label without a mistake brings, on average."""
        return error * (self.step / self.chance if self.step else BOLDNESS)


def log_odds_of_lead(leads: Any) -> Any:
    """Return log-odds from the lead of the likeliest class: of two, the log-odds of the prediction being right."""
    below = np.minimum(leads, 1.0 - 1e-12)
    return np.log1p(below) - np.log1p(-below)


def certify(
    certifier: Certifier,
    confidences: Iterable[float], ask_probabilities: Iterable[float], asked: Iterable[bool], wrong: Iterable[bool],
) -> Certificate:  # fmt: skip
    """Certify rows whose labels come at once."""
    automatic = []
    for confidence, chance, is_asked, is_wrong in zip(confidences, ask_probabilities, asked, wrong, strict=True):
        automatic.append(certifier.certified and certifier.includes(confidence, chance))
        row = certifier.add(confidence, chance, is_asked)
        if is_asked:
            certifier.tell(row, is_wrong)
    return dataclasses.replace(certifier.certificate(), automatic=np.array(automatic, bool))
