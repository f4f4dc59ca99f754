"""One pass over a stream with several oracles."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from askance.annotators import Ledger, Oracle
from askance.auto.core import BURST, AutoCore
from askance.auto.guess_rows import NO_ANSWER, Guesses, with_bought
from askance.auto.guess_table import GuessTable, Worth
from askance.auto.rows import part
from askance.auto.settings import AutoSettings
from askance.jit.kernels.mixed import Mixed
from askance.learners.core import Decision
from askance.metrics import DriftDetector

Numbers = NDArray[np.float64]

LEAST_FOR_PEOPLE = 0.05  # of the budget, however much guesses would cost
LEARNING = 0.2  # the error of a model falls with about this power of the number of labels
MEMORY = 30.0  # labels after which older losses of a model count little
LEAST_WEIGHT = 0.25  # of a label that was asked for out of doubt, beside 1 for one that was drawn at random
DOUBTED = 10.0  # labels: with as many, half of a prediction is believed
LEAST_CHANCE = 0.005  # of a class, in losses
LEAST_RATE = 1e-6
EVERY = 100  # rows between looks at the budget
WITHOUT, UPDATED, FEATURES = range(3)  # the models
FIRST_LOSSES = (0.0, -1.0, 0.0)  # before any label, what machines say counts most


class Question(NamedTuple):
    """A row that a person was asked about: when the label comes, what was bought, and what the label counts."""

    due: int
    row: int
    bought: list[bool]
    chance: float
    weight: float


class OracleRun:
    """Who is asked about each row, and what is learned.

    Three models predict: one without guesses, the same updated by the tables of guesses as if mistakes had nothing
    to do with the row, and one with guesses as features.
    """

    def __init__(
        self, oracles: Sequence[Oracle], ledger: Ledger, settings: AutoSettings, X: Mixed, guesses: list[Guesses]
    ) -> None:
        self.ledger, self.X, self.guesses, self.rows = ledger, X, guesses, len(X.dense)
        self.person = next(oracle for oracle in oracles if oracle.is_person)
        self.machines = [oracle for oracle in oracles if not oracle.is_person]
        self.audit, self.classes = settings.audit, len(settings.classes or ())
        self.without, self.with_guesses = AutoCore(settings), AutoCore(settings)
        self.tables = [GuessTable(self.classes) for _ in guesses]
        self.worth = [Worth() for _ in guesses]
        self.drifts = [DriftDetector() for _ in guesses]
        self.trusted = [True] * len(guesses)
        self.losses = np.array(FIRST_LOSSES)
        self.seen = np.ones(self.classes)  # labels of each class
        self.waiting: deque[Question] = deque()
        self.share_out(0)

    # ------------------------------------------------------------------ asking

    def step(self, t: int) -> tuple[int, float, list[bool], bool]:
        """Decide about a row; learn later what is asked.

        Returns the predicted class, the probability that a person is asked, the guesses that were bought for every
        row like it, and whether a person is asked.
        """
        if not t % EVERY:
            self.share_out(t)
        for detector in self.drifts:
            detector.update(None)
        bought = [
            trusted and self.ledger.buy(machine.name)
            for machine, trusted in zip(self.machines, self.trusted, strict=True)
        ]
        decision, granted = self._decide(t, bought)
        predicted = int(self._mixed(self._predict(t, bought)).argmax())
        chance = decision.ask_probability if granted else 0.0
        asks = granted and decision.ask and self.ledger.buy(self.person.name)
        return predicted, chance, bought, asks

    def ask_person(self, t: int, bought: list[bool], chance: float) -> list[bool]:
        """Let a person label a row, and buy the other guesses for it, to compare. Returns what was bought."""
        every = [has or self.ledger.buy(machine.name) for has, machine in zip(bought, self.machines, strict=True)]
        weight = 1.0
        if self.ledger.bought[self.person.name] > BURST:
            weight = max(LEAST_WEIGHT, min(1.0, self.rate * self.audit / chance))
        self.waiting.append(Question(t + self.person.latency, t, every, chance, weight))
        return every

    def _decide(self, t: int, bought: list[bool]) -> tuple[Decision, bool]:
        """The question of the model that predicts better, of those that ask; and whether a person can be paid."""
        granted = self.ledger.affords(self.person.name) and self.ledger.bought[self.person.name] + 1 <= self.most
        leads = any(bought) and self.losses[FEATURES] < self.losses[WITHOUT]
        one = self.with_guesses.ask(self._row(t, bought), granted=granted and leads)
        other = self.without.ask(part(self.X, t, t + 1), granted=granted and not leads)
        return one if leads else other, granted

    # ------------------------------------------------------------------ learning

    def learn_due(self, t: int, codes: NDArray[np.int64]) -> None:
        """Learn the labels that have come by now."""
        while self.waiting and self.waiting[0].due <= t:
            self._learn(self.waiting.popleft(), codes)
            self._judge(t)

    def _learn(self, question: Question, codes: NDArray[np.int64]) -> None:
        t, weight = question.row, question.weight
        label = codes[t : t + 1]
        code = int(label[0])
        chances = self._predict(t, question.bought)
        losses = -np.log(np.maximum(chances[:, code], LEAST_CHANCE))
        self.losses = (1.0 - weight / MEMORY) * self.losses + weight * losses
        for place, guess in enumerate(self.guesses):
            if question.bought[place] and guess.answers[t] != NO_ANSWER:
                alone = max(float(self._updated(chances[WITHOUT], t, [place])[code]), LEAST_CHANCE)
                self.worth[place].learn(float(losses[WITHOUT]), -float(np.log(alone)), weight)
                if self.drifts[place].tell(int(guess.answers[t]) != code, question.chance):
                    self.tables[place].restart()
                    self.worth[place].give_up()
                self.tables[place].learn(int(guess.answers[t]), int(guess.bins[t]), code, weight)
        self.seen[code] += weight
        self.with_guesses.tell(self._row(t, question.bought), label, question.chance)
        self.without.tell(part(self.X, t, t + 1), label, question.chance)

    def _judge(self, t: int) -> None:
        """Give up guesses that are not worth their price, and take up those that are."""
        left, before = max(float(self.ledger.left), 1e-9), list(self.trusted)
        for place, machine in enumerate(self.machines):
            share = min(1.0, float(machine.price) * (self.rows - t) / left)
            self.trusted[place] = self.worth[place].judge(LEARNING * share)
        if before != self.trusted:
            self.share_out(t)

    def share_out(self, t: int) -> None:
        """Leave to people what trusted guesses of the rows to come will not cost, at an even rate."""
        rest, asked = max(1, self.rows - t), self.ledger.bought[self.person.name]
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

    def _predict(self, t: int, bought: list[bool]) -> Numbers:
        """The probabilities of the classes by each of the three models."""
        base = self._cautious(self.without.probabilities(part(self.X, t, t + 1))[0])
        if not any(bought):
            return np.vstack([base, base, base])
        updated = self._updated(base, t, np.flatnonzero(bought).tolist())
        featured = self._cautious(self.with_guesses.probabilities(self._row(t, bought))[0])
        return np.vstack([base, updated, featured])

    def _cautious(self, chances: Numbers) -> Numbers:
        """Probabilities closer to equal ones, while there are few labels: models are too certain then."""
        known: float = self.without.labels / (self.without.labels + DOUBTED)
        return known * chances + (1.0 - known) / self.classes

    def _updated(self, base: Numbers, t: int, places: list[int]) -> Numbers:
        """Probabilities after some guesses, by Bayes' rule."""
        found, shares = base.copy(), self.seen / self.seen.sum()
        for place in places:
            guess = self.guesses[place]
            if guess.answers[t] != NO_ANSWER:
                found *= self.tables[place].probabilities(int(guess.answers[t]), int(guess.bins[t])) / shares
        return found / found.sum()

    def _mixed(self, chances: Numbers) -> Numbers:
        trust = np.exp(self.losses.min() - self.losses)
        found: Numbers = trust @ chances
        return found

    def _row(self, t: int, bought: list[bool]) -> Mixed:
        return with_bought(part(self.X, t, t + 1), t, self.guesses, bought, self.classes)
