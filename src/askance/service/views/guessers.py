"""How often programs that guess are right, by the labels of questions at random or, if there are none, of others.

A guess counts only if it came before the label of its item: a program may have seen the label of a later one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import UNSET

from askance.service import messages
from askance.service.state import journal
from askance.service.state.audits import Sample
from askance.service.state.figures import sample_estimates
from askance.service.store import Store
from askance.service.store.entries import Entry
from askance.service.task import Task
from askance.service.transaction import Transaction
from askance.service.views.task import figure_of

Said = dict[str, dict[int, str]]  # by program and item

NOT_AT_RANDOM = "The items with labels were not drawn at random, so this holds for them alone."
LOOKED_AT = 2000  # newest labels, if there are no questions at random


def sample(transaction: Transaction) -> Sample | None:
    """The questions at random; None if the task has none."""
    fold = transaction.fold
    return fold.audits.sample(fold.ledger.rows) if fold.settings.asks_on_lease else None


def guessers(store: Store, task: Task, sample: Sample | None) -> list[messages.Guesser]:
    """The programs that guess, with how often they are right."""
    if sample is None:
        return _on_labelled(store, task)
    items = [item for item, audit in sample.audits if audit.state != "deleted"]
    found = []
    for name, said in sorted(_said(store, task.number, items).items()):
        kept = sample._replace(audits=[(item, audit) for item, audit in sample.audits if item in said])
        estimate = sample_estimates(kept, task.settings, said)["accuracy"]
        found.append(messages.Guesser(name, len(said), figure_of(estimate)))
    return found


def _on_labelled(store: Store, task: Task) -> list[messages.Guesser]:
    """The same for tasks that ask on arrival, from their newest labels."""
    newest = next(store.newest(task.number, None, (journal.LABEL,), LOOKED_AT), [])
    undone = task.fold.amendments.undone
    labels = {entry.item or 0: journal.read(entry).label for entry in reversed(newest) if entry.seq not in undone}
    return [
        messages.Guesser(name, len(said), _share(said, labels))
        for name, said in sorted(_said(store, task.number, labels).items())
    ]


def _share(said: Mapping[int, str], labels: Mapping[int, str]) -> messages.Figure:
    right = sum(labels[item] == label for item, label in said.items())
    return messages.Figure(right / len(said), None, None, len(said), NOT_AT_RANDOM)


def _said(store: Store, number: int, items: Iterable[int]) -> Said:
    """What each program said of items before they had a label."""
    wanted = list(items)
    about = store.about(number, wanted)
    found: Said = defaultdict(dict)
    for item, entry in store.at(number, wanted).items():
        if entry.kind not in journal.ITEMS:
            continue
        for name, label in _before_label(entry, about[item]).items():
            found[name][item] = label
    return found


def _before_label(entry: Entry, about: list[Entry]) -> dict[str, str]:
    """What was guessed about an item before its last label."""
    body = journal.read(entry)
    found = {} if body.guesses is UNSET else {name: guess.label for name, guess in body.guesses.items()}
    end = max((one.seq for one in about if one.kind == journal.LABEL), default=None)
    late = [journal.read(one) for one in about if one.kind == journal.GUESS and (end is None or one.seq < end)]
    return found | {one.name: one.guess.label for one in late if one.guess is not UNSET}
