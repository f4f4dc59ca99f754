"""Commands of those who run a task: other settings, a pause, an end."""

from askance.service import messages
from askance.service.errors import invalid
from askance.service.settings import State, TaskSettings, check_keys
from askance.service.state import journal
from askance.service.transaction import Transaction


def change(transaction: Transaction, request: messages.TaskChange, who: str | None) -> TaskSettings:
    """Other settings from now on, as far as they are given; what the model rests on stays as it is."""
    written = journal.SettingsChange(request.budget, request.labels, request.costs, request.interface)
    changed = written.applied_to(transaction.settings)
    try:
        check_keys(changed)
        changed.query()
    except ValueError as error:
        raise invalid(str(error)) from None
    if changed != transaction.settings:
        transaction.write(journal.SETTINGS, written, who=who)
    return changed


def set_state(transaction: Transaction, state: State, who: str | None) -> None:
    """Pause a task, to ask and lend nothing, archive it, to take no items, or start it again."""
    if transaction.fold.state != state:
        transaction.write(journal.STATE, journal.StateChange(state), who=who)
