"""What the settings of a task must agree on, one part with another."""

from typing import TYPE_CHECKING

from askance.service.prices import Oracles, check_prices

if TYPE_CHECKING:
    from askance.service.settings import TaskSettings

TAKEN_KEYS = {"u": "undo", "?": "help"}  # space, which skips, is excluded by the pattern


def check(settings: "TaskSettings") -> None:
    """Raise ValueError for the first thing that is not valid."""
    if len(set(settings.classes)) != len(settings.classes):
        raise ValueError(f"classes must be distinct, not {settings.classes}")
    check_former(settings)
    check_keys(settings)
    check_multilabel(settings)
    check_positive(settings)
    check_item(settings)
    check_oracles(settings)


def check_multilabel(settings: "TaskSettings") -> None:
    """Raise ValueError if a multilabel task is to have something that is for one class per item."""
    if not settings.multilabel:
        return
    refused = {
        f"algorithm {settings.method}": not settings.is_auto,
        "positive": settings.positive is not None,
        "costs": settings.costs != type(settings.costs)(),
        "questions that are chosen on arrival": not settings.named.asks_on_lease,
        "labels.per_item": settings.labels.per_item > 1,
        "labels.enough": settings.labels.enough is not None,
        "certify": settings.certify.error is not None,
        "oracles": settings.oracles != Oracles(),
    }
    for name, is_wanted in refused.items():
        if is_wanted:
            raise ValueError(f"{name}: not possible in a multilabel task: leave it out")


def check_keys(settings: "TaskSettings") -> None:
    """Raise ValueError unless each key means one class and nothing else."""
    keys = settings.interface.keys
    for name, key in keys.items():
        if name not in settings.classes:
            raise ValueError(f"interface.keys: {name!r} is not one of the classes")
        if key.lower() in TAKEN_KEYS:
            raise ValueError(
                f"interface.keys: {key!r} already means {TAKEN_KEYS[key.lower()]}: choose another key"
            )
    if len({key.lower() for key in keys.values()}) < len(keys):
        raise ValueError("interface.keys: two classes have the same key: choose another for one of them")


def check_former(settings: "TaskSettings") -> None:
    """Raise ValueError unless earlier names of classes lead to current ones."""
    for name in settings.former.values():
        if name not in settings.classes:
            raise ValueError(f"former: {name!r} is not one of the classes")


def check_positive(settings: "TaskSettings") -> None:
    """Raise ValueError unless the positive class is one of two classes."""
    if settings.positive is None:
        return
    if settings.many:
        raise ValueError(f"positive is for two classes, and there are {len(settings.classes)}: leave it out")
    if settings.positive not in settings.classes:
        listed = " or ".join(map(repr, settings.classes))
        raise ValueError(f"positive must be {listed}, not {settings.positive!r}")


def check_item(settings: "TaskSettings") -> None:
    """Raise ValueError unless the parts of items are distinct, and vectors have a length."""
    if len(set(settings.parts)) < len(settings.parts):
        raise ValueError(f"item: {settings.item} names a part twice: name each once")
    if settings.takes_vectors and settings.vector_length is None:
        raise ValueError("vector_length is missing: items may have vectors, so say how many numbers each has")
    if settings.vector_length is not None and not settings.takes_vectors:
        raise ValueError(f"vector_length is for items with vectors, and item is {settings.item!r}: leave it out")
    if settings.columns and "record" not in settings.parts:
        raise ValueError(f"columns is for items with records, and item is {settings.item!r}: leave it out")
    if settings.columns and not settings.is_auto:
        raise ValueError(f"{settings.method} hashes records as they are: leave out columns, or use auto")


def check_oracles(settings: "TaskSettings") -> None:
    """Raise ValueError unless prices are right, and programs decide only where questions are chosen on lease."""
    check_prices(settings.oracles)
    if settings.oracles.enough is not None and not settings.named.asks_on_lease:
        raise ValueError("oracles.enough is for questions that are chosen on lease: leave it out")
