"""Commands that change the settings or the state of a task."""

from askance.service import messages
from askance.service.errors import invalid
from askance.service.settings import State, TaskSettings, check_keys
from askance.service.state import journal
from askance.service.transaction import Transaction


def change(transaction: Transaction, request: messages.TaskChange, who: str | None) -> TaskSettings:
    """Change the given sections of the settings. What the model was built with cannot change."""
    written = journal.SettingsChange(request.budget, request.labels, request.costs, request.interface)
    changed = written.applied_to(transaction.settings)
    try:
        check_keys(changed)
        changed.check_rate()
    except ValueError as error:
        raise invalid(str(error)) from None
    if changed != transaction.settings:
        transaction.write(journal.SETTINGS, written, who=who)
    return changed


def set_state(transaction: Transaction, state: State, who: str | None) -> None:
    """Pause a task (no questions), archive it (no items either), or start it again."""
    if transaction.fold.state != state:
        transaction.write(journal.STATE, journal.StateChange(state), who=who)
