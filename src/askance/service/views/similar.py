"""Items that are like another one, as the model sees them."""

import heapq

from askance.service import messages
from askance.service.commands.groups import is_set_aside
from askance.service.commands.items import check_finite
from askance.service.label_sets import label_of
from askance.service.state import journal
from askance.service.state.fold import Fold
from askance.service.state.ranking import likeness, opinions
from askance.service.state.rows import has_content, stored_rows
from askance.service.store import Store
from askance.service.task import Task
from askance.service.transaction import Transaction
from askance.service.views.items import details_of
from askance.service.views.task import content

COMPARED = 2000  # items per request, the newest ones


def similar(
    store: Store, task: Task, item: int, request: messages.SimilarRequest, labeller: str | None = None
) -> messages.SimilarItems:
    """The items that are most like an item; of those that are open, only the ones with the same prediction.

    A labeller sees nothing of what others say about them before the own vote.
    """
    fold, settings = task.fold, task.settings
    check_finite(fold)
    transaction = Transaction(fold, store, task.number, 0.0)
    own = content(transaction, item)
    numbers = _can_be_labelled(fold, item) if request.open else _newest(store, task, item)
    contents = transaction.contents(numbers)
    kept = {seq: one for seq, one in contents.items() if has_content(settings, one)}
    rows = stored_rows(settings, {item: own, **kept})
    with fold.model.lock:
        found = opinions(fold.model.learner, settings, list(rows.values()))
        cosines = likeness(fold.model.learner, list(rows.values()), first=1)[0]
    said = [label_of(settings, label) for label in found.predictions]
    places = [place for place in range(1, len(rows)) if not request.open or said[place] == said[0]]
    best = heapq.nlargest(request.count, places, key=lambda place: float(cosines[place]))
    best = [place for place in best if cosines[place] > 0]
    items = list(rows)
    details = {one.item: one for one in details_of(store, task, [items[place] for place in best], labeller)}
    shown = [
        messages.SimilarItem(
            details[items[place]], min(1.0, float(cosines[place])), said[place], float(found.scores[place])
        )
        for place in best
        if items[place] in details  # not if it was deleted a moment ago
    ]
    return messages.SimilarItems(shown, len(kept), said[0], float(found.scores[0]), is_set_aside(fold, item))


def _newest(store: Store, task: Task, item: int) -> list[int]:
    """The numbers of the last items, without the item itself."""
    batch = next(store.newest(task.number, None, journal.ITEMS, COMPARED), [])
    return [entry.seq for entry in batch if entry.seq != item]


def _can_be_labelled(fold: Fold, item: int) -> list[int]:
    """The newest items that can be labelled in a group: questions, and items that wait, but not random samples."""
    known = {*list(fold.questions.open), *list(fold.candidates.waiting)} - {item}
    free = [one for one in known if not is_set_aside(fold, one)]
    return heapq.nlargest(COMPARED, free)
