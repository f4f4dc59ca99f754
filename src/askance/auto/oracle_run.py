"""One pass over a stream with several oracles."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.annotators import Ledger, Oracle
from askance.auto.core import BURST, AutoCore
from askance.auto.goal import AccuracyGoal, Predicted
from askance.auto.guess_rows import NO_ANSWER, Case
from askance.auto.guess_table import GuessTable, Worth
from askance.auto.settings import AutoSettings
from askance.learners.core import Decision
from askance.metrics import DriftDetector

Numbers = NDArray[np.float64]

LEAST_FOR_PEOPLE = 0.05  # of the budget, however much guesses would cost
LEARNING = 0.2  # the error of a model falls with about this power of the number of labels
MEMORY = 12.0  # labels after which older losses count little: models soon are better than their first predictions
LEAST_WEIGHT = 0.25  # of a label that was asked for out of doubt, beside 1 for one that was drawn at random
DOUBTED = 10.0  # labels: with as many, half of a prediction is believed
LEAST_CHANCE = 0.005  # of a class, in losses
LEAST_RATE = 1e-6
CHECKED = 0.1  # times the rate, once predictions are as right as wanted: to notice if they get worse
EVERY = 100  # rows between looks at the budget
WITHOUT, UPDATED, FEATURES = range(3)  # the first models
# Further ones are updated too, from probabilities to these powers: a learner may be too certain, or not enough.
POWERS = (0.5, 2.0)
FIRST_LOSSES = (0.0, -1.0, 0.0, -1.0, -1.0)  # before any label, what machines say counts most


class Question(NamedTuple):
    """A row that a person was asked about.

    What was bought for it, the probability that the person was asked, what the label counts, and what was
    predicted.
    """

    case: Case
    bought: list[bool]
    chance: float
    weight: float
    predicted: int


class Step(NamedTuple):
    """What was decided about a row.

    The predicted class, the probability that a person is asked, the guesses that were bought for every row like
    it, those that were bought for this row, whether a person is asked, and which machines were trusted.
    """

    predicted: int
    chance: float
    for_all: list[bool]
    bought: list[bool]
    asks: bool
    trusted: list[bool]


class OracleRun:
    """Who is asked about each row, and what is learned.

    Several models predict: one without guesses; the same updated by the tables of guesses as if mistakes had
    nothing to do with the row, as certain as it is, less and more; and one with guesses as features.
    """

    def __init__(
        self,
        oracles: Sequence[Oracle],
        ledger: Ledger,
        settings: AutoSettings,
        rows: int,
        accuracy: float | None = None,
    ) -> None:
        self.goal = None if accuracy is None else AccuracyGoal(accuracy)
        self.ledger, self.rows, self.seen = ledger, rows, 0
        self.person = next(oracle for oracle in oracles if oracle.is_person)
        self.machines = [oracle for oracle in oracles if not oracle.is_person]
        self.audit, self.classes = settings.audit, len(settings.classes or ())
        self.without, self.with_guesses = AutoCore(settings), AutoCore(settings)
        self.tables = [GuessTable(self.classes) for _ in self.machines]
        self.worth = [Worth() for _ in self.machines]
        self.drifts = [DriftDetector() for _ in self.machines]
        self.trusted = [True] * len(self.machines)
        self.losses = np.array(FIRST_LOSSES)
        self.labels = np.ones(self.classes)  # of each class
        self.waiting: dict[int, Question] = {}  # by row, the oldest first
        self.share_out(0)

    # ------------------------------------------------------------------ asking

    def step(self, case: Case) -> Step:
        """Decide about the next row, and buy what was decided."""
        if not self.seen % EVERY:
            self.share_out(self.seen)
        bought = [trusted and self._buy(case, place) for place, trusted in enumerate(self.trusted)]
        for detector in self.drifts:
            detector.update(None)
        decision, granted = self._decide(case, bought)
        mixed = self._mixed(self._predict(case, bought))
        predicted = int(mixed.argmax())
        chance = decision.ask_probability if granted else 0.0
        wanted = granted and decision.ask
        if self.rests:
            chance = CHECKED * self.rate if self._affords_person else 0.0
            wanted = decision.coin < chance
        asks = wanted and self.ledger.buy(self.person.name)
        for_all, trusted = bought, list(self.trusted)
        if self.goal is not None:
            self.goal.add(Predicted(chance, float(mixed.max() / mixed.sum()), asks))
        if asks:
            bought = self._ask_person(case, bought, chance, predicted)
        self.seen += 1
        return Step(predicted, chance, for_all, bought, asks, trusted)

    def _ask_person(self, case: Case, bought: list[bool], chance: float, predicted: int) -> list[bool]:
        """Let a person label a row, and buy the other guesses for it, to compare. Returns what was bought."""
        every = [has or self._buy(case, place) for place, has in enumerate(bought)]
        weight = 1.0
        if self.ledger.bought[self.person.name] > BURST:
            weight = max(LEAST_WEIGHT, min(1.0, self.rate * self.audit / chance))
        self.waiting[self.seen] = Question(case, every, chance, weight, predicted)
        return every

    def _buy(self, case: Case, place: int) -> bool:
        """Get the answer of a machine and pay for it, and return whether there was enough money."""
        name = self.machines[place].name
        if not self.ledger.affords(name):
            return False
        case.answer(place)
        return self.ledger.buy(name)

    def _decide(self, case: Case, bought: list[bool]) -> tuple[Decision, bool]:
        """The question of the model that predicts better, of those that ask; and whether a person can be paid."""
        granted = self._affords_person and not self.rests
        leads = any(bought) and self.losses[FEATURES] < self.losses[WITHOUT]
        one = self.with_guesses.ask(case.with_bought(bought, self.classes), granted=granted and leads)
        other = self.without.ask(case.row, granted=granted and not leads)
        return one if leads else other, granted

    @property
    def rests(self) -> bool:
        """Whether predictions are as right as wanted, so that people only check them, at random."""
        return self.goal is not None and self.goal.reached

    @property
    def _affords_person(self) -> bool:
        """Whether the money has room for a label, beside the guesses to come."""
        return self.ledger.affords(self.person.name) and self.ledger.bought[self.person.name] + 1 <= self.most

    # ------------------------------------------------------------------ learning

    def learn_due(self, codes: NDArray[np.int64]) -> None:
        """Learn the labels that have come after the rows so far."""
        latency = max(1, self.person.latency)  # no label comes before the row itself
        while self.waiting and (row := next(iter(self.waiting))) + latency <= self.seen:
            self.learn(row, int(codes[row]))

    def learn(self, row: int, code: int) -> None:
        """Learn the label of a row that waits for one."""
        question = self.waiting.pop(row)
        self._learn(question, code)
        if self.goal is not None:
            self.goal.learn(row, right=question.predicted == code)
        self._judge()

    def _learn(self, question: Question, code: int) -> None:
        case, weight = question.case, question.weight
        chances = self._predict(case, question.bought)
        losses = -np.log(np.maximum(chances[:, code], LEAST_CHANCE))
        self.losses = (1.0 - weight / MEMORY) * self.losses + weight * losses
        for place in np.flatnonzero(question.bought).tolist():
            if (guess := case.answer(place)).code != NO_ANSWER:
                alone = max(float(self._updated(chances[WITHOUT], case, [place])[code]), LEAST_CHANCE)
                self.worth[place].learn(float(losses[WITHOUT]), -float(np.log(alone)), weight)
                if self.drifts[place].tell(guess.code != code, question.chance):
                    self.tables[place].restart()
                    self.worth[place].give_up()
                    if self.goal is not None:
                        self.goal.restart()
                self.tables[place].learn(guess.code, guess.bin, code, weight)
        self.labels[code] += weight
        label = np.array([code], np.int64)
        self.with_guesses.tell(case.with_bought(question.bought, self.classes), label, question.chance)
        self.without.tell(case.row, label, question.chance)

    def _judge(self) -> None:
        """Give up guesses that are not worth their price, and take up those that are."""
        left, before = max(float(self.ledger.left), 1e-9), list(self.trusted)
        for place, machine in enumerate(self.machines):
            share = min(1.0, float(machine.price) * (self.rows - self.seen + 1) / left)
            self.trusted[place] = self.worth[place].judge(LEARNING * share)
        if before != self.trusted:
            self.share_out(self.seen - 1)

    def share_out(self, row: int) -> None:
        """Leave to people what trusted guesses of the rows to come will not cost, at an even rate."""
        rest, asked = max(1, self.rows - row), self.ledger.bought[self.person.name]
        pairs = zip(self.machines, self.trusted, strict=True)
        reserved = rest * sum(float(machine.price) for machine, trusted in pairs if trusted)
        left, price = float(self.ledger.left), float(self.person.price)
        least = LEAST_FOR_PEOPLE * float(self.ledger.budget) - asked * price
        labels = rest if not price else max(left - reserved, min(least, left)) / price
        self.most = asked + labels + 1e-6  # prices are exact in the ledger, but not here
        self.rate = float(np.clip((labels - max(0, BURST - asked)) / rest, LEAST_RATE, 1.0))
        for core in (self.without, self.with_guesses):
            core.steer(self.rate)

    # ------------------------------------------------------------------ predicting

    def _predict(self, case: Case, bought: list[bool]) -> Numbers:
        """The probabilities of the classes by each of the models."""
        base = self._cautious(self.without.shares(case.row)[0])
        if not any(bought):
            return np.vstack([base] * len(FIRST_LOSSES))
        places = np.flatnonzero(bought).tolist()
        updated = self._updated(base, case, places)
        featured = self._cautious(self.with_guesses.shares(case.with_bought(bought, self.classes))[0])
        others = [self._updated(base**power, case, places) for power in POWERS]
        return np.vstack([base, updated, featured, *others])

    def _cautious(self, chances: Numbers) -> Numbers:
        """Probabilities closer to equal ones, while there are few labels: models are too certain then."""
        known: float = self.without.labels / (self.without.labels + DOUBTED)
        return known * chances + (1.0 - known) / self.classes

    def _updated(self, base: Numbers, case: Case, places: list[int]) -> Numbers:
        """Probabilities after some guesses, by Bayes' rule."""
        found, shares = base.copy(), self.labels / self.labels.sum()
        for place in places:
            guess = case.answer(place)
            if guess.code != NO_ANSWER:
                found *= self.tables[place].probabilities(guess.code, guess.bin) / shares
        return found / found.sum()

    def _mixed(self, chances: Numbers) -> Numbers:
        trust = np.exp(self.losses.min() - self.losses)
        found: Numbers = trust @ chances
        return found
