"""Programs that can decide items in the place of people: what they guess, and how reliable they have been.

What is known of them comes from items that they guessed about before a person labelled them. A verdict is computed
once, when somebody is to be asked, and written down, so a replay needs no reliabilities.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple

from msgspec import Struct, field
from scipy.special import betaincinv

from askance.annotators import Vote, confidence_bin
from askance.service.settings import TaskSettings
from askance.service.state.journal import Guess
from askance.service.state.questions import Verdict
from askance.service.state.voting import Voting, VotingState

LEARNING = 200  # guesses with a label, before a program is given up that may not decide
LATEST = 1000  # guesses with a label; older ones say little about what the programs are now
FEWEST = 10  # of them with the same answer and bin of confidence, before these can decide
SURE = 0.9
MOST = 20_000  # items whose guesses are kept until they have a label
SURPLUS = 2000


Cell = tuple[str, int]  # an answer, and the bin of its confidence


class Reliable(NamedTuple):
    """The cells in which a program is right often enough, and their share of its answers."""

    cells: frozenset[Cell]
    share: float


class Trust(NamedTuple):
    """A program: the items that it decided, and how often it was right on others that it would have decided."""

    name: str
    decided: int
    checked: int
    right: int


class ProgramsState(Struct):
    """Guesses about items without a label of a person, who decided which of them, and guesses with a label.

    People label a share of the items that programs could have decided. These are `drawn`.
    """

    guesses: dict[int, dict[str, Guess]] = field(default_factory=dict)
    decided: dict[int, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    drawn: list[int] = field(default_factory=list)
    known: VotingState = field(default_factory=VotingState)


class Programs:
    """The programs of a task that may decide items."""

    def __init__(self, state: ProgramsState | None = None) -> None:
        self._state = state or ProgramsState()
        self._known = Voting(self._state.known, most=LATEST)
        self._found: dict[tuple[str, float, tuple[str, ...]], Reliable] = {}  # until more is known

    @property
    def state(self) -> ProgramsState:
        """All of it, for a snapshot."""
        self._state.known = self._known.state
        return self._state

    # ------------------------------------------------------------------ the journal

    def note(self, item: int, guesses: Mapping[str, Guess]) -> None:
        """Take in guesses about an item that waits for a label."""
        if guesses:
            kept = self._state.guesses
            kept[item] = {**kept.get(item, {}), **guesses}
            if len(kept) >= MOST + SURPLUS:
                self._state.guesses = dict(list(kept.items())[-MOST:])

    def draw(self, item: int) -> None:
        """Note that a person is asked about an item that programs could have decided."""
        self._state.drawn.append(item)
        del self._state.drawn[:-LATEST]

    def decide(self, item: int, name: str) -> None:
        """Count an item that a program has decided."""
        self._state.decided[item] = name
        self._count(name, 1)

    def learn(self, item: int, label: str) -> None:
        """Learn how good the guesses about an item are from a person's label, or from another one later."""
        self._found = {}
        self._take_back(item)
        guesses = self._state.guesses.pop(item, {})
        if guesses:
            votes = {name: Vote(one.label, one.confidence) for name, one in guesses.items()}
            self._known.add(item, votes, decided=label)
        else:
            self._known.decide(item, label)

    def forget(self, items: Collection[int]) -> None:
        """Forget deleted items."""
        self._found = {}
        for item in items:
            self._take_back(item)
            self._state.guesses.pop(item, None)
        self._known.forget(items)

    def _take_back(self, item: int) -> None:
        name = self._state.decided.pop(item, None)
        if name is not None:
            self._count(name, -1)

    def _count(self, name: str, more: int) -> None:
        self._state.counts[name] = self._state.counts.get(name, 0) + more

    # ------------------------------------------------------------------ what follows from it

    def guessed(self, item: int) -> Mapping[str, Guess]:
        """The guesses about an item that waits."""
        return self._state.guesses.get(item, {})

    @property
    def items_decided(self) -> int:
        """The number of items that programs decided, and nobody has corrected."""
        return len(self._state.decided)

    def has_decided(self, item: int) -> bool:
        """Whether a program decided an item, and nobody has corrected it."""
        return item in self._state.decided

    def verdict(self, settings: TaskSettings, item: int) -> tuple[str, Verdict] | None:
        """The program that decides an item, and what all come to about it; None if no program can."""
        guesses = {name: one for name, one in self.guessed(item).items() if name in settings.oracles.guesses}
        deciding = [name for name, one in guesses.items() if _cell(one) in self._reliable(settings, name).cells]
        found = self._most_probable(settings, guesses) if deciding else None
        if found is None or found.probability < _enough(settings):
            return None
        return next(((name, found) for name in deciding if guesses[name].label == found.label), None)

    def is_worth(self, settings: TaskSettings, name: str) -> bool:
        """Whether a guess is expected to save more of people's labels than it costs, or too little is known."""
        found, oracles = self._reliable(settings, name), settings.oracles
        if not found.cells:
            return len(self._answers(name)) < LEARNING
        return found.share * (1 - oracles.check) * float(oracles.price_of_label) > float(oracles.price_of(name))

    def _reliable(self, settings: TaskSettings, name: str) -> Reliable:
        """The cells of a program that, alone, make their label probable enough.

        That is an expectation. As it is looked at after every label, and may be too high by chance, the share of
        right answers in all of these cells together must also be as high, quite certainly.
        """
        key = name, _enough(settings), tuple(settings.ids)
        if key not in self._found:
            answers = self._answers(name)
            counts = Counter(_cell(guess) for _, guess in answers)
            cells = frozenset(
                _cell(guess)
                for guess in {_cell(guess): guess for _, guess in answers}.values()
                if counts[_cell(guess)] >= FEWEST and self._is_probable(settings, name, guess)
            )
            inside = [truth == guess.label for truth, guess in answers if _cell(guess) in cells]
            is_sure = any(inside) and _lowest(sum(inside), len(inside)) >= _enough(settings)
            self._found[key] = (
                Reliable(cells, len(inside) / len(answers)) if is_sure else Reliable(frozenset(), 0.0)
            )
        return self._found[key]

    def _is_probable(self, settings: TaskSettings, name: str, guess: Guess) -> bool:
        found = self._most_probable(settings, {name: guess})
        return found.label == guess.label and found.probability >= _enough(settings)

    def _most_probable(self, settings: TaskSettings, guesses: Mapping[str, Guess]) -> Verdict:
        votes = {name: Vote(one.label, one.confidence) for name, one in guesses.items()}
        posterior = self._known.posterior(votes, settings.ids)
        label = max(posterior, key=lambda one: posterior[one])
        return Verdict(label, posterior[label], 1)

    def _answers(self, name: str) -> list[tuple[str, Guess]]:
        """The latest guesses of a program about items whose label is known, after these labels."""
        truths, votes = self._known.state.decided, self._known.state.votes
        return [(truths[one.item], Guess(one.label, one.confidence)) for one in votes if one.who == name]

    def trust(self, names: Collection[str]) -> list[Trust]:
        """What each of these programs decided, and how often it was right where people decided in its place."""
        drawn, truths = set(self._state.drawn), self._known.state.decided
        found = []
        for name in names:
            checks = [one for one in self._known.state.votes if one.item in drawn and one.who == name]
            right = sum(truths.get(one.item) == one.label for one in checks)
            found.append(Trust(name, self._state.counts.get(name, 0), len(checks), right))
        return found


def _cell(guess: Guess) -> Cell:
    return guess.label, confidence_bin(guess.confidence)


def _enough(settings: TaskSettings) -> float:
    """How probable a label must be; without a limit, nothing is."""
    return math.inf if settings.oracles.enough is None else settings.oracles.enough


def _lowest(right: int, answers: int) -> float:
    """The lower limit of a share, which is exceeded with the probability `SURE`, after Clopper and Pearson."""
    return float(betaincinv(right, answers - right + 1, 1 - SURE))
