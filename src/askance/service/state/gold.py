"""Gold items: their labels are known, and people label them all the same, so that it shows who is right.

They are no items of the stream: the model and the estimates never see them.
"""

from typing import Any

from msgspec import Struct, field

from askance.service.state import journal
from askance.service.state.questions import Loan, Question
from askance.service.store.entries import Entry

MOST = 2000  # gold items of a task


class Gold(Struct):
    """The gold items of a task: their labels, and their questions, which stay open for everybody."""

    labels: dict[int, str] = field(default_factory=dict)
    questions: dict[int, Question] = field(default_factory=dict)

    def add(self, item: int, label: str, prediction: str, at: float) -> None:
        """Take in a gold item, with the prediction to show if the model has none. It must not be the label."""
        self.labels[item] = label
        self.questions[item] = Question(item, prediction, 0.0, 0.0, at, gold=True)

    def delete(self, item: int) -> None:
        """Forget a gold item."""
        self.labels.pop(item, None)
        self.questions.pop(item, None)

    def on_loan(self, now: float) -> int:
        """The number of leases. The budget counts a label when it is given, so these are set aside until then."""
        return sum(question.on_loan(now) for question in self.questions.values())

    def free_for(self, who: str | None, now: float) -> list[Question]:
        """The questions that this labeller has neither answered nor skipped nor on lease."""
        return [
            one
            for one in self.questions.values()
            if one.voter(who) is None and (who or "") not in one.skipped and one.loan(who, now) is None
        ]


def note_lease_or_skip(question: Question, entry: Entry, body: Any) -> bool:
    """Take in a lease of a gold item, its end, or a skip; whether somebody skips it for the first time."""
    who = entry.who or ""
    question.loans.pop(who, None)
    if entry.kind == journal.LEASE:
        question.loans[who] = Loan(entry.seq, body.until)
    if entry.kind != journal.SKIP or who in question.skipped:
        return False
    question.skipped.append(who)
    return True
