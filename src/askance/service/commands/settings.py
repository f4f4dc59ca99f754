"""Commands of those who run a task: other settings, a pause, an end."""

from askance.service import messages
from askance.service.errors import unfit
from askance.service.settings import State, TaskSettings, check_keys
from askance.service.state import journal
from askance.service.transaction import Draft


def change(draft: Draft, wish: messages.TaskChange, who: str | None) -> TaskSettings:
    """Other settings from now on, as far as they are given; what the model rests on stays as it is."""
    written = journal.Changed(wish.budget, wish.labels, wish.costs, wish.desk)
    changed = written.applied_to(draft.settings)
    try:
        check_keys(changed)
        changed.query()
    except ValueError as error:
        raise unfit(str(error)) from None
    if changed != draft.settings:
        draft.write(journal.SETTINGS, written, who=who)
    return changed


def become(draft: Draft, state: State, who: str | None) -> None:
    """Pause a task, to ask and lend nothing, archive it, to take no items, or start it again."""
    if draft.fold.state != state:
        draft.write(journal.STATE, journal.Became(state), who=who)
