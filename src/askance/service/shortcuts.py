"""The keys of classes at the terminal and on the page."""

import string
from collections.abc import Mapping, Sequence

SKIP, UNDO, QUIT = "s", "u", "q"  # at the terminal; the page skips with the space bar
VERBS = {SKIP: "skip", UNDO: "undo", QUIT: "quit"}
DIGITS = "123456789"
USUAL_KEYS = [key for key in DIGITS + string.ascii_lowercase if key not in VERBS]


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


def page_keys(classes: Sequence[str], chosen: Mapping[str, str]) -> list[tuple[str, str]]:
    """Keys and classes on the page; if a class has several keys, its first one is shown.

    The first nine classes have a digit. Of up to nine classes, those that share their first letter with no other
    have that letter too. With more classes, letters search, except those that the task chose.
    """
    found = {key.lower(): name for name, key in chosen.items()}
    others = [name for name in classes if name not in chosen]
    first = [name[0].lower() for name in classes]
    few = len(classes) <= len(DIGITS)
    for name in others if few else []:
        letter = name[0].lower()
        if first.count(letter) == 1 and letter.isalnum() and letter != UNDO:
            found.setdefault(letter, name)
    numbered = any(letter.isdigit() for letter in first)  # "2" must not mean the second class if another is "2"
    for digit, name in zip(DIGITS, classes, strict=False):
        if name in others and not (numbered and name in found.values()):
            found.setdefault(digit, name)
    for name in [name for name in others if few and name not in found.values()]:
        found[next(digit for digit in DIGITS if digit not in found)] = name
    return list(found.items())
