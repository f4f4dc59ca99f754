"""Guesses of programs about items: those that came with an item, and those that came later."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET

from askance.data.kinds import BINS
from askance.service.settings import TaskSettings
from askance.service.state import journal
from askance.service.store.entries import Entry


def with_guesses(content: Any, later: Iterable[Entry]) -> Any:
    """The content of an item with the guesses of these entries. The last one of each name counts."""
    found: dict[str, journal.Guess] = {} if content.guesses is UNSET else dict(content.guesses)
    for body in map(journal.read, later):
        if body.guess is not UNSET:
            found[body.name] = body.guess
    return msgspec.structs.replace(content, guesses=found) if found else content


def guesses_of(settings: TaskSettings, item: Any) -> Any:
    """The guesses of an item as the journal keeps them, with the first names of classes."""
    if item.guesses is UNSET:
        return UNSET
    return {
        name: journal.Guess(settings.id_of(guess.label), guess.confidence) for name, guess in item.guesses.items()
    }


def guess_features(settings: TaskSettings, content: Any) -> list[str]:
    """The names of the features of guesses: each answer, and each answer with a bin of confidence.

    An answer has two features, so that few labels tell how good it is, and many how good it is at a confidence.
    """
    names: list[str] = []
    for name, guess in {} if content.guesses is UNSET else content.guesses.items():
        answer = f"guess:{name}={settings.id_of(guess.label)}"
        names.append(answer)
        if guess.confidence is not None:
            names.append(f"{answer}:{min(BINS - 1, int(guess.confidence * BINS))}")
    return names
