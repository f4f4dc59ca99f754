"""Commands that change the settings or the state of a task."""

import msgspec

from askance.service import messages
from askance.service.errors import conflict, invalid
from askance.service.settings import (
    MOST_CLASSES,
    State,
    TaskSettings,
    check_keys,
    check_multilabel,
    check_oracles,
)
from askance.service.state import journal
from askance.service.transaction import Transaction


def change(transaction: Transaction, request: messages.TaskChange, who: str | None) -> TaskSettings:
    """Change the given sections of the settings. What the model was built with cannot change."""
    labels = request.labels
    if labels is not msgspec.UNSET and labels.aggregate is None:
        labels = msgspec.structs.replace(labels, aggregate=transaction.settings.labels.aggregate)
    written = journal.SettingsChange(
        request.budget,
        labels,
        request.costs,
        request.interface,
        goal=request.goal,
        certify=request.certify,
        oracles=request.oracles,
    )
    changed = written.applied_to(transaction.settings)
    try:
        check_keys(changed)
        check_multilabel(changed)
        check_oracles(changed)
        changed.check_rate()
    except ValueError as error:
        raise invalid(str(error)) from None
    if changed != transaction.settings:
        transaction.write(journal.SETTINGS, written, who=who)
    return changed


def set_columns(
    transaction: Transaction, request: messages.ColumnsRequest, who: str | None, *, of_texts: bool = False
) -> TaskSettings:
    """Say what the fields of records hold, before the first item. The same columns again change nothing.

    With `of_texts`, items that were to be texts become records.
    """
    settings = transaction.settings
    if request.columns == settings.columns:
        return settings
    if transaction.fold.ledger.rows or transaction.fold.counts.imported:
        raise conflict("has_items", "the task has items, so its columns can no longer change: create another task")
    written = journal.SettingsChange(
        columns=request.columns, item="record" if of_texts and settings.only_texts else msgspec.UNSET
    )
    changed = written.applied_to(settings)
    try:
        changed.learner()
    except (ValueError, MemoryError) as error:
        raise invalid(str(error)) from None
    transaction.write(journal.SETTINGS, written, who=who)
    return changed


def change_classes(transaction: Transaction, request: messages.ClassChange, who: str | None) -> TaskSettings:
    """Rename classes and add new ones. What is already done is not done again."""
    before = transaction.settings
    renamed = before
    for old, new in request.rename.items():
        if before.former.get(old) != new or new not in before.classes:
            renamed = _with_other_name(renamed, old, new)
    fresh = [name for name in dict.fromkeys(request.add) if name not in renamed.classes]
    changed = _with_classes(renamed, fresh) if fresh else renamed
    if changed != before:
        parts = {name: getattr(changed, name) for name in ("classes", "former", "interface", "positive")}
        different = {name: part for name, part in parts.items() if part != getattr(before, name)}
        transaction.write(journal.SETTINGS, journal.SettingsChange(**different), who=who)
    return changed


def _with_other_name(settings: TaskSettings, old: str, new: str) -> TaskSettings:
    """The settings with another name for a class; its key and the positive class follow."""
    if old not in settings.classes:
        raise invalid(f"rename: {old!r} is not one of the classes")
    if settings.knows(new) and settings.id_of(new) != settings.id_of(old):
        raise conflict("name_taken", f"rename: {new!r} is or was the name of another class: choose another")
    former = {**settings.former, settings.id_of(old): new, old: new}
    keys = {new if name == old else name: key for name, key in settings.interface.keys.items()}
    return msgspec.structs.replace(
        settings,
        classes=[new if name == old else name for name in settings.classes],
        former={name: new if now == old else now for name, now in former.items()},
        interface=msgspec.structs.replace(settings.interface, keys=keys),
        positive=new if settings.positive == old else settings.positive,
    )


def _with_classes(settings: TaskSettings, fresh: list[str]) -> TaskSettings:
    """The settings with more classes; of more than two, none is the positive one."""
    for name in fresh:
        if name in settings.former:
            raise conflict("name_taken", f"add: {name!r} was the name of another class: choose another")
    if not settings.is_auto and not settings.many:
        raise conflict(
            "two_classes",
            f"{settings.method} is for two classes: create another task, or one with the algorithm auto",
        )
    classes = [*settings.classes, *fresh]
    if len(classes) > MOST_CLASSES:
        raise invalid(f"a task has at most {MOST_CLASSES} classes, not {len(classes)}")
    return msgspec.structs.replace(settings, classes=classes, positive=None)


def set_state(transaction: Transaction, state: State, who: str | None) -> None:
    """Pause a task (no questions), archive it (no items either), or start it again."""
    if transaction.fold.state != state:
        transaction.write(journal.STATE, journal.StateChange(state), who=who)
