"""Who answers what the model doubts: programs or a person.

Programs guess about the items that people would be asked about next. What their guesses make probable enough, they
decide; people get the rest, and a share of what programs could decide, drawn by the coins of the items.
"""

from askance.service.commands.asking import ask, most_doubtful
from askance.service.state import journal
from askance.service.state.questions import Question, Verdict
from askance.service.state.waiting_rows import Choice
from askance.service.transaction import Transaction

AHEAD = 50  # items that the model doubts most, about which programs may guess before people are asked
ROUNDS = 5  # of deciding, before people get other questions


def doubtful(transaction: Transaction, count: int) -> list[Question]:
    """Let programs decide what they can of the most doubtful items, and ask people about others.

    People first get those that programs could have decided, then others with a guess. If there are too few of
    these, they do not wait for programs.
    """
    programs, share = transaction.fold.programs, transaction.settings.oracles.check
    found: list[Question] = []
    for _ in range(ROUNDS):
        missing = count - len(found)
        pool = most_doubtful(transaction, max(AHEAD, missing)) if missing else []
        checks, others, decided = list[Choice](), list[Choice](), 0
        for choice in pool:
            verdict = programs.verdict(transaction.settings, choice.item)
            if verdict is None:
                others.append(choice)
            elif _is_drawn(transaction, choice.item):
                checks.append(choice)
            else:
                _decide(transaction, choice, *verdict)
                decided += 1
        others.sort(key=lambda choice: not programs.guessed(choice.item))
        found += [ask(transaction, choice, "doubt", check=share) for choice in checks[:missing]]
        found += [ask(transaction, choice, "doubt") for choice in others[: count - len(found)]]
        if not decided:
            break
    return found


def _decide(transaction: Transaction, choice: Choice, program: str, verdict: Verdict) -> None:
    ask(transaction, choice, "guesses")
    body = journal.Label(verdict.label, verdict=verdict, by_program=True)
    transaction.write(journal.LABEL, body, item=choice.item, who=program)


def _is_drawn(transaction: Transaction, item: int) -> bool:
    """Whether people are asked about an item, whatever programs say, by digits of its coin that order nothing."""
    coin = transaction.fold.candidates.waiting[item].coin
    return coin * 2.0**30 % 1.0 < transaction.settings.oracles.check
