"""Commands of labellers: lease questions, label, skip, and return questions."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from askance.service import messages
from askance.service.commands import choosing
from askance.service.commands.asking import current, withdraw_deserted
from askance.service.commands.items import image_of, no_item
from askance.service.commands.keys import check_key
from askance.service.errors import RequestError, conflict, invalid, not_found
from askance.service.label_sets import check_label, id_of, label_of, text_of
from askance.service.settings import TaskSettings
from askance.service.state import journal
from askance.service.state.questions import Question
from askance.service.state.rows import has_content, stored_rows
from askance.service.state.vectors import length_of
from askance.service.state.waiting_rows import Choice
from askance.service.store.entries import Entry
from askance.service.transaction import Transaction

Named = messages.Label | messages.Correction | messages.LateGuess


def lease(transaction: Transaction, request: messages.LeaseRequest, who: str | None) -> messages.Questions:
    """Lease questions that are free, or the questions of the named items."""
    if transaction.fold.state != "running":
        return messages.Questions([], 0)
    earlier = _lent_before(transaction, request, who)
    if standing := _standing(transaction, earlier, who):
        questions, leases = zip(*standing, strict=True)
        return messages.Questions(_shown_all(transaction, questions, leases), _waiting(transaction))
    if request.items is UNSET:
        chosen = choosing.with_gold(transaction, request.count, who)
    else:
        named = list(dict.fromkeys(request.items))
        choosing.check_room(transaction, named, who)
        choosing.ask_named(transaction, named)
        chosen = [_free(transaction, item, who) for item in named]
    seconds = transaction.settings.labels.lease_seconds if request.seconds is UNSET else request.seconds
    return lend(transaction, chosen, transaction.now + seconds, who, key=UNSET if earlier else request.key)


def lend(
    transaction: Transaction,
    chosen: Sequence[Question],
    until: float,
    who: str | None,
    *,
    key: str | UnsetType = UNSET,
) -> messages.Questions:
    """Write the leases, and return the questions."""
    names = iter(()) if key is UNSET else _lease_keys(key, len(chosen))
    loans = []
    for question in chosen:
        body, own_key = journal.Lease(until), next(names, None)
        loans.append(transaction.write(journal.LEASE, body, item=question.item, key=own_key, who=who).entry)
    return messages.Questions(_shown_all(transaction, chosen, loans), _waiting(transaction))


def _lent_before(transaction: Transaction, request: messages.LeaseRequest, who: str | None) -> list[Entry]:
    """The leases that this request made before, if its answer was lost."""
    if request.key is UNSET:
        return []
    most = request.count if request.items is UNSET else len(request.items)
    found = transaction.by_key([journal.LEASE], list(_lease_keys(request.key, most)))
    if any(entry.who != who for entry in found.values()):
        raise conflict(
            "key_reused", f"the key {request.key!r} belongs to another labeller's lease: choose another"
        )
    return sorted(found.values(), key=lambda entry: entry.seq)


def _standing(transaction: Transaction, leases: Sequence[Entry], who: str | None) -> list[tuple[Question, Entry]]:
    """The leases that have not ended, with their questions."""
    found = []
    for entry in leases:
        question = transaction.fold.question_of(entry.item)
        loan = None if question is None else question.loan(who, transaction.now)
        if question is not None and loan is not None and loan.seq == entry.seq:
            found.append((question, entry))
    return found


def _lease_keys(key: str, count: int) -> Iterator[str]:
    """The keys of the entries: keys are unique, so a request for several leases numbers them."""
    return (f"{key}/{place}" for place in range(count))


def _shown_all(
    transaction: Transaction, chosen: Sequence[Question], loans: Sequence[Entry]
) -> list[messages.Question]:
    """The questions as labellers see them, with what the current model says or, if it diverged, an earlier one."""
    items = transaction.at(question.item for question in chosen)
    now = current(transaction, [question.item for question in chosen])
    # Gold questions have none.
    hides_chances = not transaction.settings.asks_on_lease and bool(transaction.fold.gold.labels)
    shown = []
    for question, loan in zip(chosen, loans, strict=True):
        content = journal.read(items[question.item])
        choice = now.get(question.item) or Choice(question.item, question.prediction, question.score)
        flags = [
            messages.FlagDetail(one.who, one.at, journal.read(one).note or None)
            for one in own_flags(transaction, question.item, loan.who)
        ]
        found = _shown(transaction.settings, question, choice, items[question.item].key, content, loan, flags)
        shown.append(replace(found, ask_probability=None) if hides_chances else found)
    return shown


def return_question(transaction: Transaction, item: int, who: str | None) -> messages.Questions:
    """End a lease early. Without a lease, nothing happens."""
    question = transaction.fold.question_of(item)
    if question is None:
        raise why_closed(transaction, item)
    if question.loan(who, transaction.now) is not None:
        transaction.write(journal.RETURN, journal.Nothing(), item=item, who=who)
        withdraw_deserted(transaction)
    return messages.Questions([], _waiting(transaction))


def label(transaction: Transaction, labels: Sequence[messages.Label], who: str | None) -> messages.Receipts:
    """Accept labels: all of them, or none if one is not valid."""
    items = item_numbers(transaction, labels)
    keys = transaction.by_key([journal.LABEL], [one.key for one in labels if one.key is not UNSET])
    repeated = [is_repeated(transaction, one, item, keys, who) for one, item in zip(labels, items, strict=True)]
    fresh = [item for item, again in zip(items, repeated, strict=True) if not again]
    if len(set(fresh)) < len(fresh):
        twice = next(item for item in fresh if fresh.count(item) > 1)
        raise invalid(f"item {twice} has two labels in this request: send one label per item")
    for one, item, again in zip(labels, items, repeated, strict=True):
        if not again:
            check(transaction, one, item, who)
    choosing.check_room(transaction, fresh, who)
    choosing.ask_named(transaction, fresh)
    rows = stored_rows(transaction.settings, transaction.contents(fresh))
    receipts = []
    for one, item, again in zip(labels, items, repeated, strict=True):
        if again:
            votes = _votes(transaction, item)
        else:
            given = id_of(transaction.settings, one.label)
            body = journal.Label(given, verdict=transaction.fold.verdict(item, who, given))
            written = transaction.write(journal.LABEL, body, item=item, key=one.key, who=who, row=rows.get(item))
            assert written.question is not None
            votes = _by_name(transaction, written.question.counts())
        state: Any = "waiting" if item in transaction.fold.questions.open else "learned"
        if item in transaction.fold.gold.labels:  # nobody is to see that it is a gold item
            votes = _by_name(transaction, {id_of(transaction.settings, one.label): 1})
            state = "learned" if transaction.settings.labels.per_item == 1 else "waiting"
        receipts.append(messages.Receipt(item, state, votes, transaction.fold.version, again))
    return messages.Receipts(receipts)


def skip(transaction: Transaction, request: messages.Skip, who: str | None) -> messages.Skipped:
    """Skip a question: other labellers may still answer it."""
    key = request.key if request.key is not UNSET else None
    earlier = transaction.by_key([journal.SKIP], [key] if key else []).get(key or "")
    if earlier is not None:
        check_key(key or "", earlier, "skip", who, same=earlier.item == request.item)
    question = transaction.fold.question_of(request.item)
    again = earlier is not None or (question is not None and (who or "") in question.skipped)
    if not again:
        if question is None:
            raise why_closed(transaction, request.item)
        transaction.write(journal.SKIP, journal.Skip(request.reason), item=request.item, key=request.key, who=who)
    is_open = transaction.fold.question_of(request.item) is not None
    return messages.Skipped(request.item, "open" if is_open else "given up", again)


def item_numbers(transaction: Transaction, named: Sequence[Named]) -> list[int]:
    """The numbers of the named items; each is named by its number or by the sender's id."""
    for one in named:
        if (one.item is UNSET) == (one.id is UNSET):
            raise invalid("name the item by its number (item) or by your own id (id): give exactly one of the two")
    known = transaction.by_key(journal.ITEMS, [one.id for one in named if one.id is not UNSET])
    for one in named:
        if one.id is not UNSET and one.id not in known:
            raise not_found("unknown_item", f"there is no item with the id {one.id!r}")
    return [one.item if one.item is not UNSET else known[_own(one)].seq for one in named]


def why_closed(transaction: Transaction, item: int) -> RequestError:
    """The error for an item that is not an open question."""
    entry = transaction.at([item]).get(item)
    if entry is None or entry.kind not in journal.ITEMS:
        return no_item(item, entry)
    if entry.kind == journal.ITEM and not standing_votes(transaction, item):
        if not has_content(transaction.settings, journal.read(entry)):
            return conflict(
                "compacted", f"the content of item {item} was dropped by a compaction: ask about others"
            )
        return conflict("not_asked", f"item {item} was not asked about: import it if you know its label")
    if entry.kind == journal.IMPORTED:
        return conflict("answered", f"item {item} was imported with its label: send a correction to change it")
    return conflict("answered", f"item {item} already has its label: send a correction to change it")


def _own(one: Any) -> str:
    assert one.id is not UNSET
    return str(one.id)


def is_repeated(
    transaction: Transaction, one: messages.Label, item: int, keys: dict[str, Entry], who: str | None
) -> bool:
    """Whether this label was accepted before, by its key or its labeller. Refuse a key of another label."""
    earlier = keys.get(one.key) if one.key is not UNSET else None
    if earlier is not None:
        given = (item, id_of(transaction.settings, one.label))
        check_key(
            earlier.key or "", earlier, "label", who, same=(earlier.item, journal.read(earlier).label) == given
        )
        return True
    question = transaction.fold.question_of(item)
    if question is not None:
        vote = question.voter(who)
        return vote is not None and vote.label == id_of(transaction.settings, one.label)
    votes = [entry for entry in standing_votes(transaction, item) if entry.who == who]
    return bool(votes) and journal.read(votes[-1]).label == id_of(transaction.settings, one.label)


def check(transaction: Transaction, one: messages.Label, item: int, who: str | None) -> None:
    """Refuse a label that this labeller cannot give now."""
    check_label(transaction.settings, one.label)
    question = transaction.fold.question_of(item)
    if question is None and choosing.may_be_asked(transaction.fold, item):
        if one.lease is UNSET:
            return
        raise _expired(one.lease, item)
    if question is None:
        raise why_closed(transaction, item)
    if question.voter(who) is not None:
        raise conflict("answered", f"item {item} already has another label from you: undo it first")
    loan = question.loan(who, transaction.now)
    if one.lease is not UNSET and (loan is None or loan.seq != one.lease):
        raise _expired(one.lease, item)
    if not question.has_room(who, transaction.now, transaction.settings.labels):
        raise conflict("leased_by_another", f"item {item} is leased by another labeller: try another question")


def _expired(lease: int, item: int) -> RequestError:
    return conflict("lease_expired", f"the lease {lease} of item {item} has expired: lease the item again")


def standing_votes(transaction: Transaction, item: int) -> list[Entry]:
    """The labels of an item that were not undone; none if it was deleted."""
    undone, about = transaction.fold.amendments.undone, transaction.of_item(item)
    if about and about[0].kind == journal.DELETED:
        return []
    return [entry for entry in about if entry.kind == journal.LABEL and entry.seq not in undone]


def own_flags(transaction: Transaction, item: int, who: str | None) -> list[Entry]:
    """The open flags of a labeller on an item, the oldest first."""
    raised = transaction.fold.flags.get(item, {})
    entries = transaction.at(seq for seq, by in raised.items() if by == (who or ""))
    return [entry for _, entry in sorted(entries.items())]


def _votes(transaction: Transaction, item: int) -> dict[str, int]:
    counts: dict[str, int] = {}
    for entry in standing_votes(transaction, item):
        given = journal.read(entry).label
        counts[given] = counts.get(given, 0) + 1
    return _by_name(transaction, counts)


def _by_name(transaction: Transaction, counts: dict[str, int]) -> dict[str, int]:
    return {text_of(transaction.settings, label): count for label, count in counts.items()}


def _free(transaction: Transaction, item: int, who: str | None) -> Question:
    """The question of that item, if this labeller may lease it or renew the lease."""
    question = transaction.fold.question_of(item)
    if question is None:
        raise why_closed(transaction, item)
    if question.voter(who) is not None:
        raise conflict("answered", f"item {item} already has a label from you")
    if not question.has_room(who, transaction.now, transaction.settings.labels):
        raise conflict("leased_by_another", f"item {item} is leased by another labeller: try another question")
    return question


def _waiting(transaction: Transaction) -> int:
    return choosing.waiting(transaction.fold, transaction.now)


def _shown(
    settings: TaskSettings,
    question: Question,
    now: Choice,
    own_id: str | None,
    content: Any,
    loan: Entry,
    flags: list[messages.FlagDetail],
) -> messages.Question:
    """A question as labellers see it. A gold one looks like one that the model is in doubt about."""
    text, record, note = (None if part is UNSET else part for part in (content.text, content.record, content.note))
    on_lease = settings.asks_on_lease
    return messages.Question(
        question.item,
        loan.seq,
        journal.read(loan).until,
        label_of(settings, now.prediction),
        now.score,
        None if question.gold or question.reason in ("doubt", "given") else question.ask_probability,
        loan.at if question.gold and on_lease else question.asked_at,
        own_id,
        text,
        record,
        note,
        reason="doubt" if question.gold and on_lease else question.reason,
        vector_length=length_of(content),
        flags=flags,
        image=image_of(settings, question.item, content),
    )
