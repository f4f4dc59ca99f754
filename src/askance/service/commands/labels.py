"""Commands of labellers: lend questions, take labels and skips, give questions back."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from askance.service import messages
from askance.service.commands.items import check_class
from askance.service.errors import Refusal, conflict, unfit, unknown
from askance.service.state import journal
from askance.service.state.questions import Question
from askance.service.store.entries import Entry
from askance.service.transaction import Draft
from askance.service.views import explain


def lease(draft: Draft, wish: messages.LeaseWish, who: str | None) -> messages.Questions:
    """The oldest questions that nobody else has, or the ones that are named."""
    per_item = draft.settings.labels.per_item
    if draft.fold.state != "running":
        return messages.Questions([], 0)
    earlier = _lent_before(draft, wish, who)
    if standing := _standing(draft, earlier, who):
        questions, leases = zip(*standing, strict=True)
        return messages.Questions(_shown_all(draft, questions, leases, why=wish.why), _waiting(draft))
    if wish.items is UNSET:
        chosen = draft.fold.questions.next_for(who, wish.count, draft.now, per_item)
    else:
        chosen = [_free(draft, item, who) for item in dict.fromkeys(wish.items)]
    seconds = draft.settings.labels.lease_seconds if wish.seconds is UNSET else wish.seconds
    return lend(draft, chosen, draft.now + seconds, who, why=wish.why, key=UNSET if earlier else wish.key)


def lend(
    draft: Draft,
    chosen: Sequence[Question],
    until: float,
    who: str | None,
    *,
    why: bool = False,
    key: str | UnsetType = UNSET,
) -> messages.Questions:
    """Write the leases down, and show the questions."""
    names = iter(()) if key is UNSET else _lease_keys(key, len(chosen))
    loans = [
        draft.write(journal.LEASE, journal.Lease(until), item=question.item, key=next(names, None), who=who)
        for question in chosen
    ]
    return messages.Questions(_shown_all(draft, chosen, loans, why=why), _waiting(draft))


def _lent_before(draft: Draft, wish: messages.LeaseWish, who: str | None) -> list[Entry]:
    """The leases that this very request has made, when its answer was lost on the way."""
    if wish.key is UNSET:
        return []
    most = wish.count if wish.items is UNSET else len(wish.items)
    found = draft.by_key([journal.LEASE], list(_lease_keys(wish.key, most)))
    if any(entry.who != who for entry in found.values()):
        raise conflict("key_reused", f"the key {wish.key!r} belongs to somebody else's lease")
    return sorted(found.values(), key=lambda entry: entry.seq)


def _standing(draft: Draft, leases: Sequence[Entry], who: str | None) -> list[tuple[Question, Entry]]:
    """Of some leases, those that still hold, with their questions."""
    found = []
    for entry in leases:
        question = draft.fold.questions.open.get(entry.item or 0)
        loan = None if question is None else question.loan(who, draft.now)
        if question is not None and loan is not None and loan.seq == entry.seq:
            found.append((question, entry))
    return found


def _lease_keys(key: str, count: int) -> Iterator[str]:
    """An entry's key is its own, so that of a request for several leases is numbered."""
    return (f"{key}/{place}" for place in range(count))


def _shown_all(
    draft: Draft, chosen: Sequence[Question], loans: Sequence[Entry], *, why: bool
) -> list[messages.Question]:
    items = draft.at(question.item for question in chosen)
    shown = []
    for question, loan in zip(chosen, loans, strict=True):
        content = journal.read(items[question.item])
        reasons = explain.why_asked(draft.fold, content, question) if why else None
        shown.append(_shown(question, items[question.item].key, content, loan, reasons))
    return shown


def give_back(draft: Draft, item: int, who: str | None) -> messages.Questions:
    """End a lease before its time; without one, nothing happens."""
    question = draft.fold.questions.open.get(item)
    if question is None:
        raise why_closed(draft, item)
    if question.loan(who, draft.now) is not None:
        draft.write(journal.RETURN, journal.Nothing(), item=item, who=who)
    return messages.Questions([], _waiting(draft))


def label(draft: Draft, labels: Sequence[messages.Label], who: str | None) -> messages.NotedLabels:
    """Take labels: all of them, or if one is wrong, none."""
    items = item_numbers(draft, labels)
    keys = draft.by_key([journal.LABEL], [one.key for one in labels if one.key is not UNSET])
    repeated = [_is_repeated(draft, one, item, keys, who) for one, item in zip(labels, items, strict=True)]
    fresh = [item for item, again in zip(items, repeated, strict=True) if not again]
    if len(set(fresh)) < len(fresh):
        twice = next(item for item in fresh if fresh.count(item) > 1)
        raise unfit(f"item {twice} is there twice: give it one label")
    for one, item, again in zip(labels, items, repeated, strict=True):
        if not again:
            _check(draft, one, item, who)
    rows = draft.fold.rows({seq: journal.read(entry) for seq, entry in draft.at(fresh).items()})
    noted = []
    for one, item, again in zip(labels, items, repeated, strict=True):
        votes = _votes(draft, item) if again else draft.fold.questions.open[item].counts()
        if not again:
            draft.write(journal.LABEL, journal.Label(one.label), item=item, key=one.key, who=who, row=rows[item])
            votes[one.label] = votes.get(one.label, 0) + 1
        is_open = item in draft.fold.questions.open
        state: Any = "waiting" if is_open else "learned"
        noted.append(messages.Noted(item, state, votes, draft.fold.version, again))
    return messages.NotedLabels(noted)


def skip(draft: Draft, wish: messages.Skip, who: str | None) -> messages.Skipped:
    """Leave a question to others."""
    key = wish.key if wish.key is not UNSET else None
    earlier = draft.by_key([journal.SKIP], [key] if key else []).get(key or "")
    if earlier is not None and earlier.item != wish.item:
        raise conflict("key_reused", f"the key {key!r} belongs to another skip")
    question = draft.fold.questions.open.get(wish.item)
    again = earlier is not None or (question is not None and (who or "") in question.skipped)
    if not again:
        if question is None:
            raise why_closed(draft, wish.item)
        draft.write(journal.SKIP, journal.Nothing(), item=wish.item, key=wish.key, who=who)
    is_open = wish.item in draft.fold.questions.open
    return messages.Skipped(wish.item, "open" if is_open else "given up", again)


def item_numbers(draft: Draft, named: Sequence[messages.Label | messages.Correction]) -> list[int]:
    """The items that are meant, by number or by the sender's id."""
    for one in named:
        if (one.item is UNSET) == (one.id is UNSET):
            raise unfit("name the item by its number (item) or by your own name of it (id), and not by both")
    known = draft.by_key(journal.ITEMS, [one.id for one in named if one.id is not UNSET])
    for one in named:
        if one.id is not UNSET and one.id not in known:
            raise unknown("unknown_item", f"there is no item with the id {one.id!r}")
    return [one.item if one.item is not UNSET else known[_own(one)].seq for one in named]


def why_closed(draft: Draft, item: int) -> Refusal:
    """Why an item is no open question."""
    entry = draft.at([item]).get(item)
    if entry is None or entry.kind not in journal.ITEMS:
        return unknown("unknown_item", f"there is no item {item}")
    if entry.kind == journal.ITEM:
        return conflict("not_asked", f"item {item} was not asked for: import it if its label is known")
    if entry.kind == journal.TAUGHT:
        return conflict("answered", f"item {item} came with its label: send a correction to change it")
    return conflict("answered", f"item {item} has its labels already: send a correction to change its label")


def _own(one: Any) -> str:
    assert one.id is not UNSET
    return str(one.id)


def _is_repeated(draft: Draft, one: messages.Label, item: int, keys: dict[str, Entry], who: str | None) -> bool:
    """Whether this label was taken before, by its key or by who said it; a key for another label is refused."""
    earlier = keys.get(one.key) if one.key is not UNSET else None
    if earlier is not None:
        if (earlier.item, journal.read(earlier).label) != (item, one.label):
            raise conflict("key_reused", f"the key {one.key!r} belongs to another label")
        return True
    question = draft.fold.questions.open.get(item)
    if question is not None:
        vote = question.voter(who)
        return vote is not None and vote.label == one.label
    votes = [entry for entry in standing_votes(draft, item) if entry.who == who]
    return bool(votes) and journal.read(votes[-1]).label == one.label


def _check(draft: Draft, one: messages.Label, item: int, who: str | None) -> None:
    check_class(draft.settings, one.label)
    question = draft.fold.questions.open.get(item)
    if question is None:
        raise why_closed(draft, item)
    if question.voter(who) is not None:
        raise conflict("answered", f"item {item} has another label of yours: undo it first")
    loan = question.loan(who, draft.now)
    if one.lease is not UNSET and (loan is None or loan.seq != one.lease):
        raise conflict(
            "lease_expired", f"the lease {one.lease} of item {item} does not hold any more: lease it anew"
        )
    if not question.has_room(who, draft.now, draft.settings.labels.per_item):
        raise conflict("leased_by_another", f"item {item} is with another labeller now")


def standing_votes(draft: Draft, item: int) -> list[Entry]:
    """The labels of an item that were not taken back."""
    undone = draft.fold.amendments.undone
    return [entry for entry in draft.of_item(item) if entry.kind == journal.LABEL and entry.seq not in undone]


def _votes(draft: Draft, item: int) -> dict[str, int]:
    counts: dict[str, int] = {}
    for entry in standing_votes(draft, item):
        given = journal.read(entry).label
        counts[given] = counts.get(given, 0) + 1
    return counts


def _free(draft: Draft, item: int, who: str | None) -> Question:
    """The question of that item, if this labeller may have it, be it for longer."""
    question = draft.fold.questions.open.get(item)
    if question is None:
        raise why_closed(draft, item)
    if question.voter(who) is not None:
        raise conflict("answered", f"item {item} has a label of yours already")
    if not question.has_room(who, draft.now, draft.settings.labels.per_item):
        raise conflict("leased_by_another", f"item {item} is with another labeller now")
    return question


def _waiting(draft: Draft) -> int:
    return len(draft.fold.questions.open) - draft.fold.questions.lent(draft.now)


def _shown(
    question: Question, own_id: str | None, content: Any, loan: Entry, why: messages.Why | None
) -> messages.Question:
    text, record, note = (None if part is UNSET else part for part in (content.text, content.record, content.note))
    return messages.Question(
        question.item,
        loan.seq,
        journal.read(loan).until,
        question.guess,
        question.score,
        question.probability,
        question.asked_at,
        own_id,
        text,
        record,
        note,
        why,
    )
