"""Answers from a keyboard, one key each, or from lines."""

import sys
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from askance.cli.commands.label.keystrokes import Keyboard, KeyGuard
from askance.service.shortcuts import QUIT, VERBS, keys_if_enough, keys_of, with_chosen

POLL_SECONDS = 1.0


class Answer(NamedTuple):
    """A label, or a command: s, u or q."""

    label: str | None
    command: str | None = None


class Answers(Protocol):
    """A source of answers."""

    @property
    def keys(self) -> Mapping[str, str]:
        """The classes by key."""
        ...

    def begin(self) -> None:
        """A new question is shown: ignore what was typed before."""

    def next(self) -> Answer:
        """The answer to the current question."""
        ...

    def wait(self) -> Answer | None:
        """While there is no question: a command, or None after a while."""
        ...


class KeyAnswers:
    """Answers by single keys."""

    def __init__(self, source: Keyboard, classes: Sequence[str], chosen: Mapping[str, str]) -> None:
        self.keys = with_chosen(keys_of(classes), chosen)
        self._keyboard = source
        self._guard = KeyGuard()

    def begin(self) -> None:
        """Ignore keys that were pressed for the previous question."""
        self._guard.question_is_shown()

    def next(self) -> Answer:
        """The next key that was meant and has a meaning."""
        while True:
            key = self._keyboard.key()
            if key is None or not self._guard.is_meant(key):
                continue
            if key in self.keys:
                return Answer(self.keys[key])
            if key in VERBS:
                return Answer(None, key)

    def wait(self) -> Answer | None:
        """Wait a second for a command."""
        key = self._keyboard.key(POLL_SECONDS)
        return Answer(None, key) if key in VERBS else None


class LineAnswers:
    """Answers by lines: a class, its key or a command; the end of the input quits."""

    def __init__(self, classes: Sequence[str], chosen: Mapping[str, str]) -> None:
        self._classes = classes
        self.keys = with_chosen(keys_if_enough(classes), chosen)

    def begin(self) -> None:
        """Nothing to do: lines answer the questions in their order."""

    def next(self) -> Answer:
        """The next line."""
        line = sys.stdin.readline()
        said = line.strip()
        if not line:
            return Answer(None, QUIT)
        if said in self._classes:
            return Answer(said)
        if said in self.keys:
            return Answer(self.keys[said])
        if said in VERBS:
            return Answer(None, said)
        commands = ", ".join(f"{key} ({command})" for key, command in VERBS.items())
        raise ValueError(f"{said!r} is not an answer: give one of {', '.join(self._classes)}, or {commands}")

    def wait(self) -> Answer | None:
        """Quit if the input is not a terminal; otherwise wait."""
        if not sys.stdin.isatty():
            return Answer(None, QUIT)
        time.sleep(POLL_SECONDS)
        return None
