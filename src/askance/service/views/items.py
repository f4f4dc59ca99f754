"""Lists of items, the newest first: in a state, with some text in them."""

from collections.abc import Iterator

from msgspec import UNSET

from askance.service import messages
from askance.service.state import journal
from askance.service.store import Store
from askance.service.store.entries import Entry
from askance.service.task import LiveTask
from askance.service.transaction import Draft
from askance.service.views.task import story_of

BATCH = 500
MOST_SEARCHED = 20_000  # items in one request, so that none takes long

KINDS: dict[messages.ItemState, tuple[str, ...]] = {
    "all": journal.ITEMS,
    "asked": (journal.QUESTION,),
    "waiting": (journal.QUESTION,),
    "labelled": (journal.QUESTION, journal.TAUGHT),
    "corrected": journal.ITEMS,
    "disagreement": (journal.QUESTION,),
}


def found(store: Store, task: LiveTask, wish: messages.ItemSearch) -> messages.ItemsFound:
    """So many items as are wanted, or as are found among those that one request looks at."""
    items: list[messages.ItemStory] = []
    searched = 0
    for batch, stories in _matching(store, task, wish, None if wish.before is UNSET else wish.before):
        items += stories
        searched += len(batch)
        if len(items) >= wish.count:
            items = items[: wish.count]
            return messages.ItemsFound(items, items[-1].item, searched)
        if searched >= MOST_SEARCHED:
            return messages.ItemsFound(items, batch[-1].seq, searched)
    return messages.ItemsFound(items, None, searched)


def everything_found(
    store: Store, task: LiveTask, wish: messages.ItemSearch
) -> Iterator[list[messages.ItemStory]]:
    """All items that match, some at a time."""
    return (stories for _, stories in _matching(store, task, wish, None))


def _matching(
    store: Store, task: LiveTask, wish: messages.ItemSearch, before: int | None
) -> Iterator[tuple[list[Entry], list[messages.ItemStory]]]:
    """Batches of items, and which of each match."""
    for batch in store.newest(task.number, before, KINDS[wish.state], BATCH):
        draft = Draft(task.fold, store, task.number, 0.0)
        likely = [entry for entry in batch if _may_match(draft, wish, entry)]
        draft.look_up(likely)
        stories = [story_of(draft, entry) for entry in likely]
        yield batch, [story for story in stories if _is_in(wish.state, story)]


def _may_match(draft: Draft, wish: messages.ItemSearch, entry: Entry) -> bool:
    """What can be told without looking at the entries about an item."""
    if wish.state == "waiting" and entry.seq not in draft.fold.questions.open:
        return False
    if wish.state == "corrected" and entry.seq not in draft.fold.amendments.corrected:
        return False
    return not wish.search or _has(entry, wish.search.casefold())


def _has(entry: Entry, wanted: str) -> bool:
    """Whether the content, the sender's id or the number of an item has this text in it."""
    body = journal.read(entry)
    parts = [entry.key or "", str(entry.seq), *(part for part in (body.text, body.note) if part is not UNSET)]
    if body.record is not UNSET:
        parts += [str(part) for pair in body.record.items() for part in pair]
    return any(wanted in part.casefold() for part in parts)


def _is_in(state: messages.ItemState, story: messages.ItemStory) -> bool:
    if state == "labelled":
        return story.label is not None
    if state == "disagreement":
        return story.agreement is not None and story.agreement < 1
    return True
