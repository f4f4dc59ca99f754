"""Open questions: their leases, the votes so far, and when the votes settle the label."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct, field

from askance.service.settings import Labelling

LONGEST = 86_400.0 + 60  # seconds; a lease that ends later was given while the clock was ahead


class Verdict(Struct, frozen=True):
    """The most probable label when an item was settled, its probability, and the number of votes behind it."""

    label: str
    probability: float
    votes: int


class Vote(Struct, frozen=True):
    """A label that somebody gave, and its entry. That of a lead may be `final`; another may settle the item."""

    seq: int
    who: str | None
    label: str
    final: bool = False
    verdict: Verdict | None = None


class Loan(Struct, frozen=True):
    """A lease: its entry, and when it ends."""

    seq: int
    until: float


class Question(Struct):
    """An item that was asked about and whose label is not settled yet.

    `reason` says why, if the question was chosen on lease. `coin` is that of the item. The budget has set `labels`
    aside for it. If it was `given_up`, it can still get a final label. A `gold` one is for everybody.
    """

    item: int
    prediction: str
    score: float
    ask_probability: float
    asked_at: float
    votes: list[Vote] = field(default_factory=list)
    loans: dict[str, Loan] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)
    reason: Literal["audit", "check", "doubt", "given", "guesses"] | None = None
    coin: float = 1.0
    labels: int = 1
    given_up: bool = False
    gold: bool = False
    reopened: bool = False  # a vote was undone; labels are then set aside one at a time

    def is_deserted(self, now: float) -> bool:
        """Whether it has no vote, and nobody has it on lease."""
        return not self.votes and not self.on_loan(now)

    def on_loan(self, now: float) -> int:
        """The number of people who have it on lease."""
        return sum(is_current(loan.until, now) for loan in list(self.loans.values()))

    def missing(self, cost: int, now: float) -> int:
        """The labels that the budget still has to set aside for one more vote; those of a question `cost` that."""
        if self.gold:
            return 1
        return max(0, max(self.at_least(cost), len(self.votes) + self.on_loan(now) + 1) - self.labels)

    def at_least(self, cost: int) -> int:
        """The labels to set aside with a lease or a vote, at least; at first, they `cost` that."""
        return self.labels or (1 if self.reopened else cost)

    def counts(self) -> dict[str, int]:
        """The number of votes per label."""
        return dict(Counter(vote.label for vote in self.votes))

    def by_labeller(self) -> dict[str, str]:
        """The votes of labellers. A final one is no such vote."""
        return {vote.who or "": vote.label for vote in self.votes if not vote.final}

    def settled(self, labels: Labelling) -> str | None:
        """The label, once one vote is final, or there is a verdict, or enough votes and a majority.

        A verdict does not hold any more if one of its votes was undone.
        """
        if self.votes and self.votes[-1].final:
            return self.votes[-1].label
        if labels.weighs_votes:
            verdict = self.votes[-1].verdict if self.votes else None
            return verdict.label if verdict is not None and verdict.votes == len(self.votes) else None
        if len(self.votes) < labels.per_item:
            return None
        if len(self.votes) == 1:
            return self.votes[0].label  # the usual case; counting takes longer than learning the label
        best = Counter(vote.label for vote in self.votes).most_common(2)
        return best[0][0] if len(best) == 1 or best[0][1] > best[1][1] else None

    def voter(self, who: str | None) -> Vote | None:
        """The vote of that labeller."""
        return next((vote for vote in self.votes if vote.who == who), None)

    def loan(self, who: str | None, now: float) -> Loan | None:
        """The current lease of that labeller."""
        loan = self.loans.get(who or "")
        return loan if loan is not None and is_current(loan.until, now) else None

    def has_room(self, who: str | None, now: float, labels: Labelling) -> bool:
        """Whether a vote of this labeller is needed, given the leases of others."""
        if self.gold:
            return True
        others = sum(is_current(loan.until, now) for name, loan in self.loans.items() if name != (who or ""))
        wanted = max(labels.at_first, len(self.votes) + 1) - len(self.votes)
        return others < wanted

    def is_for(self, who: str | None, now: float, labels: Labelling) -> bool:
        """Whether it may be shown to this labeller."""
        unknown = self.voter(who) is None and (who or "") not in self.skipped and self.loan(who, now) is None
        return unknown and self.has_room(who, now, labels)


def is_current(until: float, now: float) -> bool:
    """Whether a lease that ends then has not ended."""
    return now < until <= now + LONGEST


class Questions(Struct):
    """All open questions, the oldest first, and those that were given up."""

    open: dict[int, Question] = field(default_factory=dict)
    on_loan: dict[int, float] = field(default_factory=dict)  # item: end of its last lease
    given_up: dict[int, Question] = field(default_factory=dict)

    def lend(self, question: Question, who: str, loan: Loan) -> None:
        """Add a lease."""
        question.loans[who] = loan
        self.on_loan[question.item] = max(loan.until, self.on_loan.get(question.item, 0.0))

    def end(self, question: Question, who: str) -> None:
        """End the lease of a labeller."""
        if question.loans.pop(who, None) is not None:
            self.on_loan.pop(question.item, None)  # a question that was given up has none
            if question.loans:
                self.on_loan[question.item] = max(loan.until for loan in question.loans.values())

    def close(self, question: Question) -> None:
        """Remove a question."""
        del self.open[question.item]
        self.on_loan.pop(question.item, None)

    def give_up(self, question: Question) -> None:
        """Remember a question that was closed without a label."""
        question.given_up, question.labels = True, 0
        question.loans.clear()
        self.given_up[question.item] = question

    def reopen(self, item: int) -> Question | None:
        """Open a question again that was given up."""
        question = self.given_up.pop(item, None)
        if question is not None:
            self.open[item] = question
        return question

    def lent(self, now: float) -> int:
        """The number of questions that are leased now."""
        return sum(is_current(until, now) for until in list(self.on_loan.values()))  # views ask from other threads

    def free_for(self, who: str | None, now: float, labels: Labelling) -> Iterator[Question]:
        """The questions that may be shown to this labeller, the oldest first."""
        return (question for question in self.open.values() if question.is_for(who, now, labels))
