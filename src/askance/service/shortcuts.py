"""One key per class: the same at the terminal and on the page."""

import string
from collections.abc import Mapping, Sequence

SKIP, UNDO, QUIT = "s", "u", "q"  # at the terminal; the page skips with the space bar
VERBS = {SKIP: "skip", UNDO: "undo", QUIT: "quit"}
USUAL_KEYS = [key for key in "123456789" + string.ascii_lowercase if key not in VERBS]


def keys_of(classes: Sequence[str]) -> dict[str, str]:
    """One key per class: its first letter or digit if these differ, otherwise 1 to 9 and then letters."""
    first = [name[0].lower() for name in classes]
    if len(set(first)) == len(first) and all(
        key.isascii() and key.isalnum() and key not in VERBS for key in first
    ):
        return dict(zip(first, classes, strict=True))
    if len(classes) > len(USUAL_KEYS):
        raise ValueError(
            f"there are {len(classes)} classes, more than keys: label on the page, or pipe in class names"
        )
    return dict(zip(USUAL_KEYS, classes, strict=False))


def keys_if_enough(classes: Sequence[str]) -> dict[str, str]:
    """Like `keys_of`, but no keys at all if there are more classes than keys."""
    return keys_of(classes) if len(classes) <= len(USUAL_KEYS) else {}


def with_chosen(keys: Mapping[str, str], chosen: Mapping[str, str]) -> dict[str, str]:
    """The keys of a task that sets some itself. The other classes keep theirs, or get the next free one."""
    found = {key.lower(): name for name, key in chosen.items()}
    others = {name: key for key, name in keys.items() if name not in chosen}
    found |= {key: name for name, key in others.items() if key not in found}
    for name in [name for name in others if name not in found.values()]:
        found[next(key for key in USUAL_KEYS if key not in found)] = name
    return found
