"""Items as a labeller may see them: nothing of what others say about an item before the own vote.

Who knows the votes of others tends to agree with them, and then neither the agreement nor the most probable label
means anything.
"""

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from msgspec import UNSET
from msgspec.structs import replace

from askance.service import messages
from askance.service.commands.asking import current
from askance.service.commands.choosing import may_be_asked
from askance.service.connectors.events import SETTLED
from askance.service.state.fold import Fold
from askance.service.transaction import Transaction
from askance.typing import IntArray

# A list of the items in these states says something about each of them.
HINTS = ("disagreement", "flagged", "skipped")

Of = TypeVar("Of", messages.Vote, messages.SkipDetail, messages.FlagDetail)


def seen_by(fold: Fold, detail: messages.ItemDetail, who: str | None) -> messages.ItemDetail:
    """An item as this labeller may see it: without what others say, as long as the labeller may vote on it."""
    if not may_vote(fold, detail.item, who):
        return detail
    return replace(
        detail,
        votes=_of(detail.votes, who),
        corrections=[],
        skips=_of(detail.skips, who),
        flags=_of(detail.flags, who),
        agreement=None,
        label_probability=None,
        guesses=None,
        blind=True,
    )


def may_vote(fold: Fold, item: int, who: str | None) -> bool:
    """Whether a labeller has not voted on an item and may still do so."""
    question = fold.question_of(item)
    return may_be_asked(fold, item) if question is None else question.voter(who) is None


def like_others(transaction: Transaction, detail: messages.ItemDetail, who: str | None) -> messages.ItemDetail:
    """A gold item as a labeller may see it: as an item of the stream that nobody else has labelled."""
    fold, settings = transaction.fold, transaction.settings
    question = fold.gold.questions[detail.item]
    said = current(transaction, [detail.item]).get(detail.item)
    own, on_arrival = question.voter(who), not settings.asks_on_lease
    asked = on_arrival or own is not None or question.loan(who, transaction.now) is not None
    is_settled = own is not None and settings.labels.per_item == 1
    chance = 1.0 if on_arrival else 0.0
    prediction, score = (said.prediction, said.score) if said else (question.prediction, question.score)
    return replace(
        detail,
        state="learned" if is_settled else "open" if asked else "not asked",
        label=settings.name_of(own.label) if own is not None and is_settled else None,
        votes=_of(detail.votes, who),
        skips=_of(detail.skips, who),
        flags=_of(detail.flags, who),
        agreement=None,
        decision=messages.ItemDecision(
            detail.item, settings.name_of(prediction), score, chance, on_arrival, fold.version, detail.id
        ),
        reason="doubt" if asked and not on_arrival else None,
        ask_probability=chance if on_arrival else None,
    )


def without_hints(fold: Fold, items: IntArray, request: messages.ItemFilter, who: str | None) -> IntArray:
    """The items found by a filter, without those that it would tell a labeller something about.

    Before the own vote, nobody learns from a filter who has voted on an item or whether votes on it differ, and
    whether others have flagged or skipped it.
    """
    if who is None or (request.labeller is UNSET and request.state not in HINTS):
        return items
    others = {*list(fold.questions.open), *list(fold.flags)}
    if request.labeller is UNSET:
        others = {item for item in others if not _is_own(fold, item, request.state, who)}
    hidden = [item for item in others if may_vote(fold, item, who)]
    found: IntArray = items[~np.isin(items, hidden)]
    return found


def _is_own(fold: Fold, item: int, state: str, who: str) -> bool:
    """Whether a labeller has flagged or skipped an item, if that is what a filter is about."""
    if state == "flagged":
        return who in fold.flags.get(item, {}).values()
    question = fold.question_of(item)
    return state == "skipped" and question is not None and who in question.skipped


def without_labels(fold: Fold, events: Iterable[messages.Change], who: str | None) -> list[messages.Change]:
    """Events without those that tell the earlier label of an item that a labeller may vote on again."""
    return [one for one in events if one.type != SETTLED or not may_vote(fold, one.data["item"], who)]


def _of(done: Iterable[Of], who: str | None) -> list[Of]:
    return [one for one in done if one.by == who]
