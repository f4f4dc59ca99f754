"""What several votes on an item come to: its most probable label, given what is known of those who voted.

A verdict is computed once, when a vote comes, and written with the vote. So a replay learns the same labels,
whatever has been learned of labellers since. What is known of labellers is a function of the votes below alone: a
vote that was undone, or whose item was deleted, leaves no trace.
"""

from collections.abc import Callable, Collection, Mapping

from msgspec import Struct, field

from askance.annotators import Crowd, Vote
from askance.service.settings import Labelling
from askance.service.state import journal
from askance.service.state.history import Labeller
from askance.service.state.questions import Question, Verdict
from askance.service.store.entries import Entry

REMEMBERED = 50  # labels of each labeller that can be undone without naming the item
MOST = 5000  # votes; what is older says little about people now, and takes time and memory
# How probable a label must be after `per_item` votes, and after twice as many. A tie of people of whom little is
# known needs another vote; but those who know nothing about an item must not be asked for ever. Two votes that
# would make a label twice as probable as the other, if they were independent, are discounted to 0.64.
LIKELY, AT_LAST = 0.64, 0.5 + 1e-6


class Cast(Struct, frozen=True, array_like=True):
    """A vote on an item that has its label."""

    item: int
    who: str
    label: str
    confidence: float | None = None  # of a program


class VotingState(Struct):
    """The votes on items that have a label, in order, and the labels that somebody decided on or corrected."""

    votes: list[Cast] = field(default_factory=list)
    decided: dict[int, str] = field(default_factory=dict)


class Voting:
    """The votes of a task, and what they tell about those who voted."""

    def __init__(self, state: VotingState | None = None, *, most: int = MOST) -> None:
        self.state = state or VotingState()
        self._most = most
        self._crowd: Crowd | None = None  # it is made when it is needed: a replay needs none

    def add(self, item: int, votes: Mapping[str, str | Vote], *, decided: str | None = None) -> None:
        """Learn from the votes on an item, by labeller. Its label is certain if somebody has `decided` on it."""
        cast = [_cast(item, who, vote) for who, vote in votes.items()]
        self.state.votes += cast
        if self._crowd is not None:
            for one in cast:
                self._crowd.tell(*_as_vote(one))
        if cast and decided is not None:
            self.decide(item, decided)
        if len(self.state.votes) > 1.1 * self._most:
            self._forget_oldest()

    def decide(self, item: int, label: str) -> None:
        """Take a label for certain, if there are votes on the item."""
        if self.state.decided.get(item) != label and any(one.item == item for one in self.state.votes):
            self.state.decided[item] = label
            self._crowd = None

    def forget(self, items: Collection[int]) -> None:
        """Forget the votes on items."""
        self._keep([one for one in self.state.votes if one.item not in items])

    def retract(self, item: int, who: str) -> None:
        """Forget somebody's vote on an item."""
        self._keep([one for one in self.state.votes if (one.item, one.who) != (item, who)])

    def verdict(self, votes: Mapping[str, str], labels: Labelling, classes: Collection[str]) -> Verdict | None:
        """What the votes on an item come to; None as long as another one is wanted."""
        if len(votes) < labels.at_first:
            return None
        posterior = self.posterior(votes, classes)
        label = max(posterior, key=lambda one: posterior[one])
        return (
            Verdict(label, posterior[label], len(votes))
            if posterior[label] >= _wanted(labels, len(votes))
            else None
        )

    def posterior(self, votes: Mapping[str, str | Vote], classes: Collection[str]) -> dict[str, float]:
        """The probabilities of the classes of an item with these votes.

        They assume that people err independently and items are equally hard, but for a discount of several votes.
        """
        return self._learned(classes).posterior_of(votes)

    def _learned(self, classes: Collection[str]) -> Crowd:
        if self._crowd is None or self._crowd.classes != tuple(classes):
            self._crowd = Crowd(classes)
            for one in self.state.votes:
                self._crowd.tell(*_as_vote(one))
            for item, label in self.state.decided.items():
                self._crowd.settle(item, label)
        return self._crowd

    def _forget_oldest(self) -> None:
        self._keep(self.state.votes[-self._most :])

    def _keep(self, votes: list[Cast]) -> None:
        if len(votes) == len(self.state.votes):
            return
        items = {one.item for one in votes}
        decided = {item: label for item, label in self.state.decided.items() if item in items}
        self.state, self._crowd = VotingState(votes, decided), None


def compare(
    question: Question, who: str | None, given: journal.Label, labeller: Callable[[str | None], Labeller]
) -> tuple[int, int]:
    """Count how a vote agrees with those before it, and return the number of pairs, and of equal ones.

    A final vote does not count: its author has seen the others.
    """
    equal = 0
    others = [] if given.final else question.votes
    for vote in others:
        same = vote.label == given.label
        equal += same
        for one in (labeller(vote.who), labeller(who)):
            one.compared += 1
            one.agreed += same
    return len(others), equal


def remember(recent: dict[str, list[tuple[int, int]]], entry: Entry, item: int) -> None:
    """Add a label to the last ones of a labeller, by entry and item."""
    given = recent.setdefault(entry.who or "", [])
    given.append((entry.seq, item))
    del given[:-REMEMBERED]


def _wanted(labels: Labelling, votes: int) -> float:
    """How probable a label must be after some votes on an item."""
    if votes < labels.per_item and labels.enough is not None:
        return labels.enough
    return LIKELY if votes < 2 * labels.per_item else AT_LAST


def _cast(item: int, who: str, vote: str | Vote) -> Cast:
    return Cast(item, who, str(vote.label), vote.confidence) if isinstance(vote, Vote) else Cast(item, who, vote)


def _as_vote(one: Cast) -> tuple[int, str, str, float | None]:
    return one.item, one.who, one.label, one.confidence
