"""Commands of programs that guess: what they think the labels of items are that came before."""

from collections import Counter
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from askance.service import messages
from askance.service.commands.asking import withdraw_deserted
from askance.service.commands.items import check_guess, no_item
from askance.service.commands.labels import item_numbers
from askance.service.errors import conflict, invalid
from askance.service.label_sets import check_single
from askance.service.state import journal
from askance.service.store.entries import Entry
from askance.service.transaction import Transaction


class Given(NamedTuple):
    """A guess as it was sent, with the number of its item and the body of its entry."""

    item: int
    key: str | UnsetType
    body: journal.LateGuess


def guess(transaction: Transaction, request: messages.LateGuesses, who: str | None) -> messages.GuessReceipts:
    """Accept guesses: all of them, or none if one is not valid.

    They are features of items that get their label later. What was learned stays as it was.
    """
    check_single(transaction.settings, "guesses")
    given = _checked(transaction, request)
    keys = transaction.by_key([journal.GUESS], [one.key for one in given if one.key is not UNSET])
    bodies = transaction.contents(one.item for one in given)
    known = {item: dict(body.guesses or {}) for item, body in bodies.items()}
    fresh = [not _is_repeated(one, keys) and known[one.item].get(one.body.name) != one.body.guess for one in given]
    _check_counts(known, [one for one, is_fresh in zip(given, fresh, strict=True) if is_fresh])
    _check_money(transaction, [one.body.name for one, is_fresh in zip(given, fresh, strict=True) if is_fresh])
    for one, is_fresh in zip(given, fresh, strict=True):
        if is_fresh:
            transaction.write(journal.GUESS, one.body, item=one.item, key=one.key, who=who)
            transaction.waiting.forget(one.item)
    pairs = zip(given, fresh, strict=True)
    return messages.GuessReceipts([messages.GuessReceipt(one.item, not is_fresh) for one, is_fresh in pairs])


def _checked(transaction: Transaction, request: messages.LateGuesses) -> list[Given]:
    """The guesses, if all are about items that there are, and each is one of the classes."""
    settings, items = transaction.settings, item_numbers(transaction, request.guesses)
    entries = transaction.at(items)
    given = []
    for place, (one, item) in enumerate(zip(request.guesses, items, strict=True)):
        if item not in entries or entries[item].kind not in journal.ITEMS:
            raise no_item(item, entries.get(item))
        check_guess(settings, f"guess {place} (from 0)", one.label)
        body = journal.LateGuess(one.name, journal.Guess(settings.id_of(one.label), one.confidence))
        given.append(Given(item, one.key, body))
    counts = Counter((one.item, one.body.name) for one in given)
    for (item, name), count in counts.items():
        if count > 1:
            raise invalid(f"item {item} has {count} guesses of {name!r} in this request: send one")
    return given


def _is_repeated(one: Given, keys: dict[str, Entry]) -> bool:
    """Whether a guess with this key came before. Refuse the key of another guess."""
    earlier = keys.get(one.key) if one.key is not UNSET else None
    if earlier is not None and (earlier.item, journal.read(earlier)) != (one.item, one.body):
        raise conflict("key_reused", f"the key {one.key!r} belongs to another guess: choose another key")
    return earlier is not None


def _check_money(transaction: Transaction, programs: list[str]) -> None:
    """Refuse guesses that cost more than is left."""
    fold, counts = transaction.fold, Counter(programs)
    if not fold.money.affords(counts):
        withdraw_deserted(transaction)
    if not fold.money.affords(counts):
        raise conflict(
            "budget_spent",
            f"these guesses cost more than the {fold.money.left} that is left: raise oracles.budget",
        )


def _check_counts(known: dict[int, dict[str, journal.Guess]], fresh: list[Given]) -> None:
    """Refuse guesses of too many programs."""
    names = {item: set(guesses) for item, guesses in known.items()}
    for one in fresh:
        names[one.item].add(one.body.name)
        if len(names[one.item]) > messages.MOST_GUESSES:
            raise invalid(
                f"item {one.item} already has guesses of {messages.MOST_GUESSES} programs, which is the most"
            )
