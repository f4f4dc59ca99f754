"""A task whose items programs and people answer for money: a world with a truth, and everybody in it."""

import random
from typing import Any

from askance.service import messages
from askance.service.commands import guesses as guess_commands
from askance.service.prices import Oracles
from askance.service.settings import Asking
from askance.service.views.wanted import wanted
from service_task import TaskRunner, settings

PROGRAM = "gpt-4o"
PRICES = Oracles(people=1.0, guesses={PROGRAM: 0.01}, enough=0.9)


class DecidingWorld:
    """Items with a truth that a person knows, and a program that is right for a share of them.

    A program that is right often says so: it is nearly always right where it is confident. One that is right for
    half of two classes knows nothing, and is as confident.
    """

    def __init__(
        self,
        path: Any,
        items: int,
        right: float,
        oracles: Oracles = PRICES,
        *,
        seed: int = 0,
        algorithm: str = "PA-I",
    ) -> None:
        made = settings(algorithm, questions=Asking("lease"), oracles=oracles)
        self.task = TaskRunner(str(path / "a.db"), made)
        self._chance = chance = random.Random(seed)
        self.truths: dict[int, str] = {}
        self.guesses: dict[int, tuple[str, float]] = {}
        texts = [f"w{chance.randrange(50)} w{chance.randrange(50)} {place}" for place in range(items)]
        for decision in self.task.decide(*texts):
            truth, sure = chance.choice(["ham", "spam"]), chance.random() < 0.8
            knows = 0.5 < right < 1
            is_right = chance.random() < right + knows * (0.04 if sure else -0.16)
            said = truth if is_right else ("ham" if truth == "spam" else "spam")
            self.truths[decision.item] = truth
            self.guesses[decision.item] = said, 0.97 if sure else 0.65

    def guess(self) -> int:
        """Let the program guess about everything that is wanted; return how many guesses that were."""
        items = [one.item for one in self.task.run(lambda transaction: wanted(transaction, PROGRAM)).items]
        sent = [
            messages.LateGuess(label=label, confidence=confidence, name=PROGRAM, item=item)
            for item in items
            for label, confidence in [self.guesses[item]]
        ]
        if sent:
            request = messages.LateGuesses(sent)
            self.task.run(lambda transaction: guess_commands.guess(transaction, request, "worker"))
        return len(items)

    def answer(self) -> int | None:
        """Let a person answer one question; return its item."""
        found = self.task.lease().questions
        if not found:
            return None
        self.task.label(found[0].item, self.truths[found[0].item])
        return found[0].item

    def settle(self, items: int) -> None:
        """Go on until this many items have a label."""
        while self.settled < items:
            self.guess()
            if self.answer() is None:
                break

    @property
    def people(self) -> messages.PaidAnswers:
        """What people answered."""
        return self._paid[0]

    @property
    def program(self) -> messages.PaidAnswers:
        """What the program answered."""
        return self._paid[1]

    @property
    def _paid(self) -> list[messages.PaidAnswers]:
        money = self.task.figures().spend.money
        assert money is not None
        return money.oracles

    @property
    def settled(self) -> int:
        """The number of items with a label."""
        return sum(one.decided for one in self._paid)

    def accuracy(self) -> float:
        """The share of labels that are right."""
        found = self.task.found(state="labelled", count=100)
        labels = {}
        while True:
            labels |= {one.item: one.label for one in found.items}
            if found.before is None:
                break
            found = self.task.found(state="labelled", count=100, before=found.before)
        return sum(self.truths[item] == label for item, label in labels.items()) / len(labels)
