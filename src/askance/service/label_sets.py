"""Labels of items: the name of one class or, in a multilabel task, the names of several.

In the journal, a label is one text (`set_text`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from askance.service.errors import conflict, invalid
from askance.service.messages.base import ShownLabel
from askance.service.set_text import joined, parted
from askance.service.settings import TaskSettings


def id_of(settings: TaskSettings, label: str | Sequence[str]) -> str:
    """The text of a label in the journal, whatever its classes are called now. It need not be valid."""
    return settings.id_of(label) if isinstance(label, str) else joined(map(settings.id_of, label))


def label_of(settings: TaskSettings, label_id: str) -> ShownLabel:
    """A label of the journal by the current names: of several classes, in the order of the settings."""
    if not settings.multilabel:
        return settings.name_of(label_id)
    names = set(map(settings.name_of, parted(label_id)))
    return [name for name in settings.classes if name in names]


def names_in(label: str | Sequence[str]) -> Sequence[str]:
    """The names of classes in a label as people send it."""
    return [label] if isinstance(label, str) else label


def in_words(label: ShownLabel) -> str:
    """A label as people read it in a line of text."""
    return label if isinstance(label, str) else ", ".join(label) or "(none)"


def text_of(settings: TaskSettings, label_id: str) -> str:
    """A label of the journal by the current names, as one text."""
    found = label_of(settings, label_id)
    return found if isinstance(found, str) else msgspec.json.encode(found).decode()


def check_label(settings: TaskSettings, label: str | Sequence[str]) -> str:
    """Return the text of a label in the journal. Refuse one that this task cannot have."""
    if settings.multilabel and isinstance(label, str):
        raise invalid(
            f"the label is {label!r}, but items of this task may have several classes: give a list, "
            f"such as {msgspec.json.encode(settings.classes[:1]).decode()}, or [] for none"
        )
    if not settings.multilabel and not isinstance(label, str):
        raise invalid("the label is a list, but items of this task have one class each: give its name")
    for name in names_in(label):
        check_class(settings, name)
    return id_of(settings, label)


def check_class(settings: TaskSettings, name: str) -> str:
    """Return the first name of a class. Refuse what is not one of the classes, nor an earlier name of one."""
    if not settings.knows(name):
        raise invalid(unknown_class(settings, name))
    return settings.id_of(name)


def unknown_class(settings: TaskSettings, name: str) -> str:
    """What is wrong with the name of a class that the task does not have."""
    shown = ", ".join(map(repr, settings.classes[:20]))
    return f"unknown class {name!r}: this task has {shown}{' …' if len(settings.classes) > 20 else ''}"


def check_single(settings: TaskSettings, what: str) -> None:
    """Refuse what is possible only if items have one class each."""
    if settings.multilabel:
        raise conflict("multilabel", f"{what}: not possible in a multilabel task")


def class_counts(settings: TaskSettings, counts: Mapping[str, int]) -> dict[str, int]:
    """How many labels have each class, by its current name, from the numbers of labels."""
    of_classes = Counter[str]()
    for label, count in counts.items():
        of_classes.update(dict.fromkeys(parted(label) if settings.multilabel else [label], count))
    return {name: of_classes[settings.id_of(name)] for name in settings.classes}
