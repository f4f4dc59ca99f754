"""Random work in a task whose answers cost money: the journal is a list, and there is no store and no server."""

import contextlib
import random
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from askance.service import messages
from askance.service.commands import amendments, guesses, items, labels
from askance.service.errors import RequestError
from askance.service.prices import Oracles
from askance.service.settings import Asking, TaskSettings
from askance.service.state import journal
from askance.service.state.fold import Fold
from askance.service.state.replaying import replay
from askance.service.store.entries import Entry
from askance.service.transaction import Transaction
from service_task import settings

PEOPLE, PROGRAMS = ("ann", "bob", "cem", "dee"), ("first", "second", "free")
WORK = (
    "decide",
    "guess",
    "guess",
    "lease",
    "lease",
    "lease",
    "label",
    "label",
    "label",
    "skip",
    "give_back",
    "undo",
)


class Journal:
    """The entries of a task, with what commands read of a store."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def at(self, _task: int, seqs: Collection[int]) -> dict[int, Entry]:
        return {seq: self.entries[seq - 1] for seq in seqs if 0 < seq <= len(self.entries)}

    def of_item(self, _task: int, item: int) -> list[Entry]:
        return [entry for entry in self.entries if entry.item == item]

    def about(self, _task: int, numbers: Collection[int], kind: str | None = None) -> Mapping[int, list[Entry]]:
        return {
            item: [one for one in self.of_item(1, item) if one.seq != item and kind in (None, one.kind)]
            for item in numbers
        }

    def by_key(self, _task: int, kind: str, keys: Collection[str]) -> dict[str, Entry]:
        return {
            one.key: one for one in self.entries if one.key in keys and one.key is not None and one.kind == kind
        }


class PlainFold(Fold):
    """A fold without a history of estimates, which take longer than everything else."""

    def _add_point_if_due(self) -> None:
        """Do nothing."""


class MoneyStream:
    """A task with random prices and settings, and people and programs who do random things with it."""

    def __init__(self, seed: int) -> None:
        self.chance = chance = random.Random(seed)
        self.oracles = Oracles(
            budget=round(chance.uniform(0, 8), chance.choice([0, 2, 4])),
            people=chance.choice([0.5, 1.0, 1.25, 0.333]),
            guesses={"first": chance.choice([0.01, 0.1, 0.0003]), "second": 0.3, "free": 0.0},
            enough=chance.choice([None, 0.55]),
        )
        chosen: Any = "arrival" if self.oracles.enough is None and chance.random() < 0.4 else "lease"
        voting = {
            "per_item": chance.choice([1, 1, 2, 3]),
            "aggregate": "posterior",
            "enough": chance.choice([None, 0.6]),
        }
        self.settings: TaskSettings = settings(
            "PA-I", bits=4, labels=voting, questions=Asking(chosen), oracles=self.oracles
        )
        self.fold: Fold
        self.journal, self.fold, self.now, self.work = Journal(), PlainFold(self.settings), 1e6, ""

    def step(self) -> None:
        """Somebody does something, or tries to."""
        self.now += self.chance.choice([0.0, 1.0, 400.0])
        self.work = self.chance.choice(WORK) if self.fold.ledger.rows else "decide"
        transaction = Transaction(self.fold, self.journal, 1, self.now)  # type: ignore[arg-type]
        with contextlib.suppress(RequestError):
            getattr(self, f"_{self.work}")(transaction, self.chance.choice(PEOPLE))
        if transaction.fold is self.fold:
            self.journal.entries += transaction.entries

    def check(self) -> None:
        """What was spent is what the journal says, and not more than the budget."""
        money, price = self.fold.money, self.oracles.price_of
        guessed = self._guesses()
        assert self.fold.guessed == guessed
        assert self.fold.ledger.asked == self._labels()
        paid = {name: guessed[name] * price(name) for name in PROGRAMS}
        assert money.spent == self._labels() * self.oracles.price_of_label + sum(paid.values())
        assert self.oracles.limit is not None
        assert money.spent <= self.oracles.limit

    def _labels(self) -> int:
        """The labels that are set aside for open questions, and those that others have got."""
        opened, undone = self.fold.questions.open, self.fold.amendments.undone
        votes = [one for one in self.journal.entries if one.kind == journal.LABEL and one.seq not in undone]
        given = [one for one in votes if one.item not in opened and not journal.read(one).by_program]
        return len(given) + sum(question.labels for question in opened.values())

    def _guesses(self) -> Counter[str]:
        """The guesses of each program: late ones, and those that came with items."""
        found = Counter[str]()
        for entry in self.journal.entries:
            if entry.kind == journal.GUESS:
                found[journal.read(entry).name] += 1
            elif entry.kind in (journal.ITEM, journal.QUESTION):
                found.update(journal.read(entry).all_guessers)
        return found

    def replayed(self) -> Fold:
        """A fold from the journal alone."""
        fold, entries = PlainFold(self.settings), self.journal.entries
        for entry in entries:
            if entry.kind in journal.AMENDMENTS:
                fold.amend(entry)
        replay(
            fold,
            entries,
            lambda seqs: self.journal.at(1, list(seqs)),
            lambda numbers: self.journal.about(1, numbers, journal.GUESS),
        )
        return fold

    # ------------------------------------------------------------------ what is done

    @staticmethod
    def _truth(item: int) -> str:
        return ("ham", "spam")[item % 2]

    def _some_item(self) -> int:
        return self.chance.choice([one.seq for one in self.journal.entries if one.kind in journal.ITEMS])

    def _decide(self, transaction: Transaction, _who: str) -> None:
        given = []
        for place in range(3):
            said = {"free": messages.Guess(self._truth(self.fold.seq + 1 + place))}
            for name in ("first", "second"):
                if self.chance.random() < 0.1:
                    said[name] = messages.Guess("spam")
            given.append(messages.Item(text=f"w{self.chance.randrange(9)}", guesses=said))
        items.decide(transaction, given, "sender")

    def _guess(self, transaction: Transaction, _who: str) -> None:
        item, name = self._some_item(), self.chance.choice(PROGRAMS)
        label = self._truth(item) if self.chance.random() < 0.9 else "ham"
        request = messages.LateGuesses([messages.LateGuess(label=label, name=name, item=item)])
        guesses.guess(transaction, request, "worker")

    def _lease(self, transaction: Transaction, who: str) -> None:
        labels.lease(transaction, messages.LeaseRequest(count=self.chance.choice([1, 2])), who)

    def _label(self, transaction: Transaction, who: str) -> None:
        lent = [one.item for one in self.fold.questions.open.values() if one.loan(who, self.now)]
        item = self.chance.choice(lent) if lent and self.chance.random() < 0.8 else self._some_item()
        label = self._truth(item) if self.chance.random() < 0.8 else "ham"
        labels.label(transaction, [messages.Label(label=label, item=item)], who)

    def _skip(self, transaction: Transaction, who: str) -> None:
        labels.skip(transaction, messages.Skip(item=self._some_item()), who)

    def _give_back(self, transaction: Transaction, who: str) -> None:
        labels.return_question(transaction, self._some_item(), who)

    def _undo(self, transaction: Transaction, who: str) -> None:
        found = amendments.undo(transaction, messages.Undo(), who)
        assert isinstance(found, amendments.PendingAmendment)
        assert found.item is not None
        written = journal.entry(found.kind, self.fold.seq + 1, self.now, found.body, item=found.item, who=who)
        self.journal.entries += [*transaction.entries, written]
        self.fold = self.replayed()
        again = Transaction(self.fold, self.journal, 1, self.now)  # type: ignore[arg-type]
        amendments.lend_again(again, found.item, who)
        self.journal.entries += again.entries
