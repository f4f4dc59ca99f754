"""About which items a program is to guess, if the task chooses between programs and people."""

from askance.service import messages
from askance.service.commands.asking import most_doubtful
from askance.service.commands.deciding import AHEAD
from askance.service.commands.items import entry_of
from askance.service.errors import conflict
from askance.service.transaction import Transaction
from askance.service.views.task import detail_of

AUDITS = 10  # of the next questions at random
# A guess may end the model's doubt, so that others are doubted most. A program must not go on like this through
# all items: it may be this many guesses ahead of this many times the items that have a label.
MOST_AHEAD, MORE = 2 * AHEAD, 1.5


def wanted(transaction: Transaction, program: str) -> messages.WantedItems:
    """The items about which people would be asked next, and the program has no guess.

    A program that is not worth its price guesses only about questions at random: it shows there if it gets better.
    """
    fold, settings = transaction.fold, transaction.settings
    if settings.oracles.enough is None or program not in settings.oracles.guesses:
        raise conflict(
            "not_chosen",
            f"this task does not choose what {program!r} guesses: it needs oracles.enough and a price",
        )
    if fold.state != "running" or fold.model.diverged or not fold.money_at(transaction.now).affords({program: 1}):
        return messages.WantedItems([])
    items = fold.audits.next(AUDITS)
    if fold.programs.is_worth(settings, program):
        items += [choice.item for choice in most_doubtful(transaction, AHEAD)]
    settled = fold.counts.labelled + fold.programs.items_decided
    room = int(MOST_AHEAD + MORE * settled) - fold.guessed.get(program, 0)
    missing = [item for item in items if program not in fold.programs.guessed(item)][: max(0, room)]
    return messages.WantedItems([detail_of(transaction, entry_of(transaction, item)) for item in missing])
