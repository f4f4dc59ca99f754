"""Taking in entries as they stand in the journal."""

from collections.abc import Iterable, Mapping
from itertools import islice, takewhile

from askance.service.state import journal
from askance.service.state.contents import GuessesAbout, LookUp, as_labelled, contents_of, no_guesses
from askance.service.state.fold import Fold
from askance.service.state.rows import AnyRow, stored_rows
from askance.service.store.entries import Entry


def replay(fold: Fold, entries: list[Entry], look_up: LookUp, guesses_about: GuessesAbout = no_guesses) -> None:
    """Let a fold take in entries. `look_up` finds items by their entries, `guesses_about` late guesses."""
    bodies = [journal.read(entry) for entry in entries]
    settings = fold.settings
    for entry, body in zip(entries, bodies, strict=True):
        if entry.kind == journal.SETTINGS:  # which may say what the columns are, before the first item
            settings = body.applied_to(settings)
    contents = contents_of(entries, bodies, look_up)
    rows = stored_rows(settings, contents)
    if fold.late_guesses or any(entry.kind == journal.GUESS for entry in entries):
        rows |= stored_rows(settings, as_labelled(entries, contents, guesses_about))
    seen = 0  # the last item that the model has seen
    came = [journal.as_it_came(entry, body) for entry, body in zip(entries, bodies, strict=True)]
    for place, (entry, body) in enumerate(came):
        row = rows.get(entry.seq, rows.get(entry.item or 0))
        if entry.kind in (journal.ITEM, journal.QUESTION):
            if entry.seq > seen:
                seen = _see_together(fold, (one for one, _ in islice(came, place, None)), rows) or seen
            fold.decide(row, entry.at, body, entry.kind, seen=entry.seq <= seen)
        else:
            fold.take(entry, body, row)


def _see_together(fold: Fold, entries: Iterable[Entry], rows: Mapping[int, AnyRow]) -> int:
    """Let the model see the items up to the next other entry in one call, if it can; return the last one."""
    if not (fold.settings.only_texts and fold.settings.asks_on_lease and fold.model.sees_many):
        return 0
    items = [entry.seq for entry in takewhile(lambda entry: entry.kind == journal.ITEM, entries)]
    fold.model.see_many([rows[item] for item in items if item in rows])  # the others were deleted
    return items[-1]
